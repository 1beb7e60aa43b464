#include "native/options/model_options.hpp"

#include "core/base/error.hpp"
#include "native/options/option.hpp"

namespace mm {
namespace {

constexpr const char* kModelGroup = "Model";
constexpr std::int64_t kMost = std::int64_t{1} << 40;

}  // namespace

void add_model_option(CLI::App& app, ModelOptions& options, const std::string& shown_default) {
    text_option(app, "--model", options.model, "FILE",
                "checkpoint, .pth or .safetensors; demo:pretrain and demo:sft are built in")
        ->default_str(shown_default)
        ->group(kModelGroup);
}

void add_tokenizer_option(CLI::App& app, ModelOptions& options) {
    text_option(app, "--tokenizer", options.tokenizer, "FILE|DIR",
                "tokenizer.json or its folder (default: the one built in with the demo; for a file, the one "
                "beside it or in /opt/mm)")
        ->group(kModelGroup);
}

void add_loading_options(CLI::App& app, ModelOptions& options) {
    ConfigOptions& values = options.values;
    text_option(app, "--config", options.config, "FILE",
                "config.json (default: the one beside the checkpoint)")
        ->group(kModelGroup);
    integer_option(app, "--threads", options.threads, 1, 1024,
                   "threads to compute with; results do not depend on it (default: physical cores)")
        ->group(kModelGroup);
    integer_option(app, "--heads", values.num_attention_heads, 1, kMost, "query heads")->group(kModelGroup);
    integer_option(app, "--experts-per-token", values.num_experts_per_tok, 1, kMost,
                   "experts each token passes (default: 1)")
        ->group(kModelGroup);
    number_option(app, "--rope-theta", values.rope_theta, "rotary base (default: 1e6)")->group(kModelGroup);
    number_option(app, "--rms-norm-eps", values.rms_norm_eps,
                  "RMSNorm epsilon (default: 1e-6; 1e-5 without q_norm)")
        ->group(kModelGroup);
    app.add_option_function<std::string>(
           "--rope-scaling",
           [&values](const std::string& text) {
               if (text != "yarn" && text != "none") {
                   throw Error(ErrorKind::range, "'" + text + "' is neither yarn nor none",
                               {.field = "--rope-scaling"});
               }
               values.yarn = text == "yarn";
           },
           "long-context scaling of the rotary frequencies (default: none)")
        ->type_name("yarn|none")
        ->group(kModelGroup);
    integer_option(app, "--max-positions", values.max_position_embeddings, 1, kMost,
                   "most positions a sequence may have (default: 32768)")
        ->group(kModelGroup);
    app.add_flag_callback(
           "--no-norm-topk-prob", [&values] { values.norm_topk_prob = false; },
           "do not rescale the chosen experts' weights to sum to 1")
        ->group(kModelGroup);
}

CLI::Option* add_chat_format_option(CLI::App& app, std::string& format) {
    return text_option(app, "--chat-format", format, "chatml|minimind3|TEXT",
                       "how a question becomes a prompt; a TEXT holds {question}");
}

void add_rng_option(CLI::App& app, RngStream& stream) {
    app.add_option_function<std::string>(
           "--rng",
           [&stream](const std::string& name) {
               try {
                   stream = parse_rng_stream(name);
               } catch (const Error& error) {
                   throw Error(error.kind(), error.message(), {.field = "--rng"});
               }
           },
           "whose random numbers to follow: torch, torch-mkl (2.0 to 2.6 built with MKL) or torch-2.7")
        ->type_name("NAME")
        ->default_str(std::string(to_string(stream)));
}

}  // namespace mm
