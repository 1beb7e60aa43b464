#include "native/options/model_options.hpp"

#include <string_view>
#include <tuple>

#include "core/base/error.hpp"

namespace mm {
namespace {

constexpr const char* kGroup = "Model";
constexpr IntegerRange kPositive{1, std::int64_t{1} << 40};

}  // namespace

Error told_under_option(const Error& error, const ConfigOptions& options) {
    const std::tuple<bool, std::string_view, const char*> all[] = {
        {options.num_attention_heads.has_value(), "num_attention_heads", "--heads"},
        {options.num_experts_per_tok.has_value(), "num_experts_per_tok", "--experts-per-token"},
        {options.rope_theta.has_value(), "rope_theta", "--rope-theta"},
        {options.rms_norm_eps.has_value(), "rms_norm_eps", "--rms-norm-eps"},
        {options.max_position_embeddings.has_value(), "max_position_embeddings", "--max-positions"},
    };
    // The core names no file for a value that an option gave.
    for (const auto& [given, field, option] : all) {
        if (given && error.context().file.empty() && error.context().field == field) {
            return Error(ErrorKind::range, error.message(), {.field = option}, error.hint());
        }
    }
    return error;
}

void add_model_option(CLI::App& app, ModelOptions& options, const std::string& shown_default) {
    add_option(app,
               {"--model", "FILE|DIR",
                "checkpoint, .pth or .safetensors, or a folder that holds one; demo:pretrain and demo:sft "
                "are built in",
                kGroup, shown_default},
               options.model);
}

void add_tokenizer_option(CLI::App& app, ModelOptions& options) {
    add_option(app,
               {"--tokenizer", "FILE|DIR", "tokenizer.json or its folder", kGroup,
                "the demo's for the demo; for a file the one beside it, else that of /opt/mm"},
               options.tokenizer);
}

void add_loading_options(CLI::App& app, ModelOptions& options) {
    ConfigOptions& values = options.values;
    add_option(app, {"--config", "FILE", "a config.json", kGroup, "the one beside the checkpoint"},
               options.config);
    add_option(
        app,
        {"--threads", "N", "threads to compute with; results do not depend on it", kGroup, "physical cores"},
        options.threads, {1, 1024});
    add_option(app, {"--heads", "N", "query heads", kGroup, "from the tensors' shapes"},
               values.num_attention_heads, kPositive);
    add_option(app, {"--experts-per-token", "N", "experts each token passes", kGroup, "1"},
               values.num_experts_per_tok, kPositive);
    add_option(app, {"--rope-theta", "X", "rotary base", kGroup, "1e6"}, values.rope_theta);
    add_option(app, {"--rms-norm-eps", "X", "RMSNorm epsilon", kGroup, "1e-6; 1e-5 without q_norm"},
               values.rms_norm_eps);
    add_option(
        app,
        {"--rope-scaling", "yarn|none", "long-context scaling of the rotary frequencies", kGroup, "none"},
        [&values](const std::string& text) {
            if (text != "yarn" && text != "none") {
                throw_error(ErrorKind::range, "'" + text + "' is neither yarn nor none",
                            {.field = "--rope-scaling"});
            }
            values.yarn = text == "yarn";
        });
    add_option(app, {"--max-positions", "N", "most positions a sequence may have", kGroup, "32768"},
               values.max_position_embeddings, kPositive);
    add_switch(app,
               {"--no-norm-topk-prob", "", "do not rescale the chosen experts' weights to sum to 1", kGroup},
               [&values] { values.norm_topk_prob = false; });
}

void add_model_options(CLI::App& app, ModelOptions& options, const std::string& shown_default) {
    add_model_option(app, options, shown_default);
    add_tokenizer_option(app, options);
    add_loading_options(app, options);
}

void add_chat_format_option(CLI::App& app, std::string& format, const std::string& group) {
    add_option(app, {"--chat-format", "FORM", kChatFormatHelp, group}, format);
}

void add_rng_option(CLI::App& app, RngStream& stream) {
    std::string names;
    for (const RngStream known : rng_streams()) {
        names += (names.empty() ? "" : ", ") + std::string(to_string(known));
    }
    add_option(app,
               {"--rng", "NAME", "which PyTorch's random numbers to follow: " + names, "Options",
                std::string(to_string(stream))},
               [&stream](const std::string& name) {
                   try {
                       stream = parse_rng_stream(name);
                   } catch (const Error& error) {
                       throw_error(error.kind(), error.message(), {.field = "--rng"});
                   }
               });
}

}  // namespace mm
