// How a report looks: JSON for the page and for scripts, a table for people.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "native/bench/bench.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

std::string in_unit(double value, const std::string& unit) {
    if (unit == "s") return duration_text(value);
    std::array<char, 32> text{};
    if (value >= 1000) return grouped(static_cast<std::uint64_t>(std::llround(value)));
    std::snprintf(text.data(), text.size(), "%.3g", value);
    return text.data();
}

using Line = std::vector<std::string>;

std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::size_t used = display_width(text);
    const std::string space(width > used ? width - used : 0, ' ');
    return right ? space + text : text + space;
}

Line line_of(const BenchResult& result) {
    const Spread& v = result.value;
    const std::string unit = result.unit == "s" ? "" : " " + result.unit;
    std::string spread = v.min == v.max ? ""
                                        : in_unit(v.min, result.unit) + " … " + in_unit(v.max, result.unit) +
                                              (v.unsteady() ? " ~" : "");
    std::string share;
    if (result.share_of_limit) {
        share = std::to_string(std::lround(100 * *result.share_of_limit)) + " %";
    }
    return {result.what, std::to_string(result.threads), in_unit(v.median, result.unit) + unit, spread,
            share};
}

std::string rows_text(const std::vector<Line>& lines) {
    std::vector<std::size_t> widths(lines.front().size());
    for (const Line& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], display_width(line[i]));
    }
    std::string text;
    for (const Line& line : lines) {
        std::string row;
        for (std::size_t i = 0; i < line.size(); ++i) row += "  " + padded(line[i], widths[i], i > 0);
        text += row.substr(0, row.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

}  // namespace

Json to_json(const BenchReport& report) {
    Json results = Json::array();
    for (const BenchResult& r : report.results) {
        results.push_back({{"size", r.size},
                           {"what", r.what},
                           {"threads", r.threads},
                           {"instruction_set", r.instruction_set},
                           {"median", r.value.median},
                           {"min", r.value.min},
                           {"max", r.value.max},
                           {"unit", r.unit},
                           {"share_of_limit", r.share_of_limit ? Json(*r.share_of_limit) : Json(nullptr)}});
    }
    return {{"machine",
             {{"cpu", report.machine.cpu},
              {"cores", report.machine.cores},
              {"instruction_set", report.machine.instruction_set},
              {"threads", report.machine.threads},
              {"version", report.machine.version}}},
            {"made_up_weights", report.made_up_weights},
            {"results", results}};
}

std::string to_text(const BenchReport& report, int columns) {
    const BenchMachine& m = report.machine;
    std::string text =
        wrapped(m.cpu + ", " + std::to_string(m.cores) + (m.cores == 1 ? " core, " : " cores, ") +
                    m.instruction_set + ", mm-native " + m.version,
                static_cast<std::size_t>(std::max(columns, 20)), 0) +
        '\n';
    bool unsteady = false;
    for (std::size_t i = 0; i < report.results.size();) {
        const std::string& size = report.results[i].size;
        std::vector<Line> lines{{size, "threads", "median", "min … max", "of the limit"}};
        for (; i < report.results.size() && report.results[i].size == size; ++i) {
            lines.push_back(line_of(report.results[i]));
            unsteady = unsteady || report.results[i].value.unsteady();
        }
        text += '\n' + rows_text(lines);
    }
    if (unsteady) {
        text += '\n' +
                wrapped(
                    "~ a spread of a fifth or more: the machine was busy or changed its pace, and "
                    "the median is a rough number.",
                    static_cast<std::size_t>(std::max(columns, 20)), 2) +
                '\n';
    }
    return text;
}

}  // namespace mm
