#include "core/lab/checks/check_list.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/base/json.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/lab_table.hpp"

namespace mm {
namespace {

constexpr double kAllPoints = 100;

std::vector<CheckDefinition> collected() {
    std::vector<CheckDefinition> all{
        {"folder", 0, "폴더를 읽을 수 있다", "文件夹可读", "the folder can be read"}};
    for (const LabStep& step : lab_table()) {
        all.insert(all.end(), step.checks.definitions.begin(), step.checks.definitions.end());
    }
    return all;
}

constexpr double kMostPoints = 1e6;

bool known(std::string_view name) {
    return std::any_of(check_list().begin(), check_list().end(), [&](const CheckDefinition& check) {
        return check.id == name || check.group() == name;
    });
}

}  // namespace

CheckDefinition::CheckDefinition(std::string_view the_id, double the_share, std::string_view korean,
                                 std::string_view chinese, std::string_view english)
    : id(the_id), share(the_share), ko(korean), zh(chinese), en(english) {}

std::span<const CheckDefinition> check_list() {
    static const std::vector<CheckDefinition> all = collected();
    return all;
}

std::vector<Hint> all_hints() {
    std::vector<Hint> all(kCommonHints.list.begin(), kCommonHints.list.end());
    for (const LabStep& step : lab_table()) {
        all.insert(all.end(), step.checks.hints.begin(), step.checks.hints.end());
    }
    return all;
}

Points default_points() {
    Points points;
    double shares = 0;
    for (const CheckDefinition& check : check_list()) shares += check.share;
    for (const CheckDefinition& check : check_list()) points.push_back(check.share * kAllPoints / shares);
    return points;
}

Points parse_weights(std::string_view json, const std::string& file) {
    const Json weights = parse_json(json, file, {.max_depth = 4, .max_bytes = std::size_t{1} << 20});
    const auto fail = [&file](const std::string& field, const std::string& what) {
        throw_error(ErrorKind::format, what, {.file = file, .field = field});
    };
    if (!weights.is_object()) fail("", "must be one JSON object from check ids or groups to points");
    for (const auto& [name, value] : weights.items()) {
        if (!known(name)) fail(name, "unknown check or group");
        const double points = value.is_number() ? value.get<double>() : -1;
        if (!(points >= 0 && points <= kMostPoints)) fail(name, "must be a number of points, 0 to 1,000,000");
    }
    const std::span<const CheckDefinition> list = check_list();
    const Points defaults = default_points();
    Points points;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const CheckDefinition& check = list[i];
        const std::string group(check.group());
        const bool whole_group = weights.contains(group) && check.id != group;
        if (weights.contains(check.id)) {
            if (whole_group) fail(check.id, join({"is given although its group ", group, " is given too"}));
            points.push_back(weights[check.id].get<double>());
        } else if (whole_group) {
            double all = 0;
            for (const CheckDefinition& other : list) all += other.group() == group ? other.share : 0;
            points.push_back(weights[group].get<double>() * check.share / all);
        } else {
            points.push_back(defaults[i]);
        }
    }
    if (std::none_of(points.begin(), points.end(), [](double p) { return p > 0; })) {
        fail("", "no check is worth a point");
    }
    return points;
}

}  // namespace mm
