// mm-native rng: the numbers PyTorch's CPU generator draws, for checking against PyTorch.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

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

// Calls `take` with each of n values as JSON text. Floats are printed as the double of the same value, which
// reads back exactly as either type.
using Take = std::function<void(std::string)>;
using Draw = std::function<void(TorchGenerator&, std::uint64_t n, const Take& take)>;

template <typename Next>
Draw one_by_one(Next next) {
    return [next](TorchGenerator& generator, std::uint64_t n, const Take& take) {
        for (std::uint64_t i = 0; i < n; ++i) take(Json(next(generator)).dump());
    };
}

// Every choice is checked before anything is drawn.
Draw drawing(const RngOptions& options) {
    if (options.op != "randint" && (options.low || options.high)) {
        throw_error(ErrorKind::range, "only randint has a range",
                    {.field = options.low ? "--low" : "--high"});
    }
    if (options.op == "u32") return one_by_one([](TorchGenerator& g) { return g.random_u32(); });
    if (options.op == "rand") {
        return one_by_one([](TorchGenerator& g) { return static_cast<double>(g.rand_f32()); });
    }
    if (options.op == "rand64") return one_by_one([](TorchGenerator& g) { return g.rand_f64(); });
    if (options.op == "randint") {
        if (!options.high) throw_error(ErrorKind::range, "is needed for randint", {.field = "--high"});
        const std::int64_t low = options.low.value_or(0);
        const std::int64_t high = *options.high;
        if (low >= high) {
            throw_error(ErrorKind::range, "must be above --low (" + std::to_string(low) + ")",
                        {.field = "--high"});
        }
        return one_by_one([low, high](TorchGenerator& g) { return g.randint(low, high); });
    }
    if (options.op == "exponential") {
        // One call for all of them, as exponential_ fills a tensor: in one of the streams the calls count.
        return [](TorchGenerator& generator, std::uint64_t n, const Take& take) {
            generator.exponential_(n,
                                   [&take](float value) { take(Json(static_cast<double>(value)).dump()); });
        };
    }
    throw_error(ErrorKind::range,
                "'" + options.op + "' is unknown; known are u32, randint, rand, rand64, exponential",
                {.field = "--op"});
}

int run(const RngOptions& options, Console& console) {
    const Draw draw = drawing(options);
    TorchGenerator generator(options.rng);
    generator.manual_seed(options.seed);
    if (options.json) console.out.write("{\"values\": [");
    bool first = true;
    draw(generator, static_cast<std::uint64_t>(options.n), [&](const std::string& value) {
        throw_if_stopped();
        if (options.json && !first) console.out.write(", ");
        console.out.write(value);
        if (!options.json) console.out.write("\n");
        first = false;
    });
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
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
