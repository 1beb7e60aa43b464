// mm-native rng: the numbers PyTorch's CPU generator draws, for checking against PyTorch.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/decode/torch_generator.hpp"
#include "native/commands/command.hpp"
#include "native/options/model_options.hpp"
#include "native/terminal/signals.hpp"

namespace mm {
namespace {

struct RngOptions {
    std::uint64_t seed = 0;
    std::string op = "u32";
    std::int64_t n = 10;
    std::optional<std::int64_t> low;
    std::optional<std::int64_t> high;
    RngStream rng = RngStream::torch;
    bool json = false;
};

// What draws the next value as JSON text. Floats are printed as the double of the same value, which reads
// back exactly as either type.
std::function<std::string()> drawer(const RngOptions& options, TorchGenerator& generator) {
    const auto text = [](const Json& value) { return value.dump(); };
    if (options.op == "u32") return [&, text] { return text(generator.random_u32()); };
    if (options.op == "rand") return [&, text] { return text(static_cast<double>(generator.rand_f32())); };
    if (options.op == "rand64") return [&, text] { return text(generator.rand_f64()); };
    if (options.op == "randint") {
        if (!options.high) throw Error(ErrorKind::range, "is needed for randint", {.field = "--high"});
        const std::int64_t low = options.low.value_or(0);
        const std::int64_t high = *options.high;
        if (low >= high) {
            throw Error(ErrorKind::range, "must be above --low (" + std::to_string(low) + ")",
                        {.field = "--high"});
        }
        return [&generator, text, low, high] { return text(generator.randint(low, high)); };
    }
    if (options.op == "exponential") {
        // One call for all of them, as exponential_ fills a tensor: in one of the streams the calls count.
        auto values = std::make_shared<std::vector<float>>(static_cast<std::size_t>(options.n));
        generator.exponential_(*values);
        return [values, text, i = std::size_t{0}]() mutable {
            return text(static_cast<double>((*values)[i++]));
        };
    }
    throw Error(ErrorKind::range, "'" + options.op + "' is none of u32, randint, rand, rand64, exponential",
                {.field = "--op"});
}

int run(const RngOptions& options, Console& console) {
    if (options.op != "randint" && (options.low || options.high)) {
        throw Error(ErrorKind::range, "only randint has a range",
                    {.field = options.low ? "--low" : "--high"});
    }
    TorchGenerator generator(options.rng);
    generator.manual_seed(options.seed);
    const auto next = drawer(options, generator);
    if (options.json) console.out.write("{\"values\": [");
    for (std::int64_t i = 0; i < options.n; ++i) {
        throw_if_stopped();
        if (options.json && i > 0) console.out.write(", ");
        console.out.write(next());
        if (!options.json) console.out.write("\n");
    }
    if (options.json) console.out.write("]}\n");
    return kDone;
}

}  // namespace

void add_rng(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<RngOptions>();
    CLI::App& command = add_command(app, "rng", "Print PyTorch's CPU random numbers after manual_seed",
                                    "[--seed S] [--op OP] [--n N] [options]",
                                    "mm-native rng --seed 42 --op randint --low 3 --high 6400 --n 5");
    add_seed_option(command, {"--seed", "S", "torch.manual_seed(S), −2^63 … 2^64 − 1"}, options->seed);
    add_option(command,
               {"--op", "OP",
                "u32: raw outputs of the engine; randint: torch.randint(low, high, (n,)); rand, rand64: "
                "torch.rand(n) in float32 or float64; exponential: torch.empty(n).exponential_()"},
               options->op);
    add_option(command, {"--n", "N", "how many values"}, options->n, {0, std::int64_t{1} << 40});
    add_option(command, {"--low", "A", "randint: the lowest value", "Options", "0"}, options->low, {});
    add_option(command, {"--high", "B", "randint: one above the highest value"}, options->high, {});
    add_rng_option(command, options->rng);
    add_json_switch(command, "values", options->json);
    when_chosen(command, [options, &invocation] {
        invocation.run = [options, &invocation] { return run(*options, invocation.console); };
    });
}

}  // namespace mm
