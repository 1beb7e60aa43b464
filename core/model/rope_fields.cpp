#include "core/model/rope_fields.hpp"

#include <algorithm>
#include <array>

#include "core/base/exact_math.hpp"
#include "core/base/join.hpp"

namespace mm {
namespace {

/// The object that speaks of rotary embedding: transformers 5 moved rope_theta and rope_scaling into one.
/// To both versions rope_scaling is the one that counts when it holds anything, as it is to MiniMind.
const char* chosen_object(const ConfigFields& fields, bool minimind) {
    const Json* scaling = fields.find("rope_scaling");
    const Json* parameters = fields.find("rope_parameters");
    if (minimind)
        return scaling != nullptr ? "rope_scaling" : parameters != nullptr ? "rope_parameters" : nullptr;
    if (scaling != nullptr && scaling->is_object() && scaling->empty()) scaling = nullptr;
    if (scaling != nullptr && parameters != nullptr && *scaling != *parameters) {
        fields.refuse("rope_parameters", "is given beside rope_scaling and says something else");
    }
    if (scaling != nullptr) return "rope_scaling";
    return parameters != nullptr ? "rope_parameters" : nullptr;
}

void refuse_unknown(const ConfigFields& inner) {
    constexpr std::array<std::string_view, 12> kKnown = {"type",
                                                         "rope_type",
                                                         "rope_theta",
                                                         "partial_rotary_factor",
                                                         "beta_fast",
                                                         "beta_slow",
                                                         "factor",
                                                         "attention_factor",
                                                         "original_max_position_embeddings",
                                                         "mscale",
                                                         "mscale_all_dim",
                                                         "truncate"};
    inner.only("partial_rotary_factor", {1});
    for (const auto& [key, value] : inner.object().items()) {
        if (!value.is_null() && std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end()) {
            inner.refuse(key, "is not supported");
        }
    }
}

/// "yarn", "default", or nothing when the object does not say.
std::optional<std::string> rope_type(const ConfigFields& inner) {
    std::optional<std::string> type;
    for (const char* key : {"type", "rope_type"}) {
        const auto text = inner.text(key);
        if (!text) continue;
        if (*text != "yarn" && *text != "default") {
            inner.refuse(key, join({"\"", *text, "\" is not supported, only yarn"}));
        }
        if (type && *type != *text) inner.fail(key, join({"\"", *text, "\" contradicts type"}));
        type = text;
    }
    return type;
}

/// transformers 4 reads nothing of rope_parameters, and no rope_theta inside an object; version 5 does. A
/// file of version 4 that says something there means two things.
void refuse_what_version_4_ignores(const ConfigFields& fields, const ConfigFields& inner,
                                   std::string_view object, const std::optional<std::string>& type) {
    const Json* version = fields.find("transformers_version");
    if (version == nullptr || !version->is_string() || !version->get<std::string>().starts_with("4.")) return;
    constexpr std::string_view kIgnored =
        "is read by transformers 5, but not by the version 4 that wrote this file: give rope_theta and "
        "rope_scaling beside each other";
    if (object == "rope_parameters" && type && *type != "default") fields.refuse(object, kIgnored);
    const double outside = fields.number("rope_theta").value_or(kTransformersTheta);
    if (inner.number("rope_theta").value_or(outside) != outside) inner.refuse("rope_theta", kIgnored);
}

RopeScaling minimind_scaling(const ConfigFields& inner) {
    for (const char* key : {"mscale", "mscale_all_dim", "truncate"}) {
        if (inner.find(key)) inner.refuse(key, "is not supported");
    }
    RopeScaling scaling;
    scaling.beta_fast = inner.number("beta_fast").value_or(scaling.beta_fast);
    scaling.beta_slow = inner.number("beta_slow").value_or(scaling.beta_slow);
    scaling.factor = inner.number("factor").value_or(scaling.factor);
    scaling.attention_factor = inner.number("attention_factor").value_or(scaling.attention_factor);
    scaling.original_max_position_embeddings =
        inner.integer("original_max_position_embeddings").value_or(scaling.original_max_position_embeddings);
    return scaling;
}

/// transformers/modeling_rope_utils.py, `_compute_yarn_parameters` of 4.57 and 5.24.
RopeScaling transformers_scaling(const ConfigFields& fields, const ConfigFields& inner,
                                 std::int64_t max_position) {
    const auto magnitude = [](double scale, double mscale) {
        return scale <= 1 ? 1.0 : 0.1 * mscale * exact_log(scale) + 1.0;
    };
    const auto other_than_zero = [&](const char* name) {
        const auto value = inner.number(name);
        return value == 0 ? std::optional<double>() : value;
    };
    RopeScaling scaling;
    scaling.as_transformers = true;
    const auto factor = inner.number("factor");
    if (!factor) inner.fail("factor", "is missing; yarn needs it");
    if (!(*factor > 0)) inner.fail("factor", "must be above 0 and below 1e30");
    scaling.factor = *factor;
    scaling.beta_fast = other_than_zero("beta_fast").value_or(32);
    scaling.beta_slow = other_than_zero("beta_slow").value_or(1);
    scaling.truncate = inner.boolean("truncate").value_or(true);
    const auto mscale = other_than_zero("mscale");
    const auto mscale_all_dim = other_than_zero("mscale_all_dim");
    const double computed = mscale && mscale_all_dim
                                ? magnitude(*factor, *mscale) / magnitude(*factor, *mscale_all_dim)
                                : magnitude(*factor, 1);
    scaling.attention_factor = inner.number("attention_factor").value_or(computed);
    scaling.original_max_position_embeddings =
        inner.integer("original_max_position_embeddings").value_or(max_position);
    // To version 5 the one outside counts, to version 4 the one inside.
    const auto outside = fields.integer("original_max_position_embeddings");
    if (outside && *outside != scaling.original_max_position_embeddings) {
        fields.refuse("original_max_position_embeddings",
                      join({*outside, " contradicts ", scaling.original_max_position_embeddings,
                            " of the rotary embedding's own"}));
    }
    return scaling;
}

}  // namespace

void read_rope(const ConfigFields& fields, ConfigFile& out) {
    out.rope_theta = fields.number("rope_theta");
    const bool minimind = out.family == Family::minimind;
    const char* name = chosen_object(fields, minimind);
    if (name == nullptr) return;
    const ConfigFields inner(*fields.find(name), fields.file(), join({name, "."}));
    if (const auto theta = inner.number("rope_theta")) {
        // MiniMind's code reads the one outside.
        if (!minimind && out.rope_theta && *out.rope_theta != *theta) {
            inner.fail("rope_theta", "contradicts rope_theta outside of it");
        }
        if (!out.rope_theta) out.rope_theta = theta;
    }
    const std::optional<std::string> type = rope_type(inner);
    refuse_unknown(inner);
    if (!minimind) refuse_what_version_4_ignores(fields, inner, name, type);
    if (type == "default") return;
    if (!type && std::string_view(name) == "rope_parameters" && minimind) return;
    if (!type && !minimind) {
        for (const auto& [key, value] : inner.object().items()) {
            if (!value.is_null() && key != "rope_theta" && key != "partial_rotary_factor") {
                inner.fail("rope_type", join({"is missing; ", key, " depends on it"}));
            }
        }
        return;
    }
    out.rope_scaling = minimind
                           ? minimind_scaling(inner)
                           : transformers_scaling(fields, inner, out.max_position_embeddings.value_or(0));
}

}  // namespace mm
