// Step 6, topp.json: candidates that survive MiniMind's top-p rule on the reference model.
#include "core/base/join.hpp"
#include "core/lab/checks/judge.hpp"

namespace mm::checks {
namespace {

constexpr std::array<std::string_view, 3> kKeys{"0.5", "0.9", "0.99"};

}  // namespace

void check_top_p(Judge& judge, const GradeReference& reference) {
    const OpenedJson json = judge.open_json(
        "topp", {{kKeys[0], KeyType::integer}, {kKeys[1], KeyType::integer}, {kKeys[2], KeyType::integer}});
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
        const std::string id = join({"topp.survivors_", kKeys[i]});
        judge.with_value(id, json, kKeys[i], [&](const SubmittedValue& value) {
            const std::int64_t count = value.integer;
            const std::int64_t right = reference.survivors[i];
            const auto finding = [&](Hint hint) {
                return Finding{hint, {}, std::to_string(right), value.text};
            };
            if (count == right) return judge.pass(id);
            if (count >= reference.fewest[i] && count <= reference.most[i]) {
                return judge.pass(id, {finding(Hint::topp_borderline)});
            }
            std::vector<Finding> findings;
            for (const auto& [hint, triple] : reference.mistaken_survivors) {
                if (count == triple[i]) findings.push_back({hint});
            }
            if (findings.empty()) findings.push_back({Hint::topp_differs});
            findings.back() = finding(findings.back().hint);
            judge.fail(id, std::move(findings));
        });
    }
}

}  // namespace mm::checks
