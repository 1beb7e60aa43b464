#include "core/lab/bench_file.hpp"

#include <cmath>

#include "core/base/join.hpp"
#include "core/base/json.hpp"

namespace mm {
namespace {

constexpr JsonLimits kLimits{.max_depth = 16, .max_bytes = std::size_t{1} << 20};
constexpr std::size_t kLongestText = 200;

class Reader {
  public:
    Reader(const Json& object, const std::string& where, const std::string& file)
        : object_(object), where_(where), file_(file) {
        if (!object.is_object()) fail(where, "expected an object, found ", object);
    }

    std::string text(const char* key) const {
        const Json& value = get(key);
        if (!value.is_string()) fail(where_ + key, "expected a string, found ", value);
        std::string found = value.get<std::string>();
        if (found.size() > kLongestText) fail(key, join({"longer than ", kLongestText, " bytes"}));
        return found;
    }
    /// @param absent  what an earlier version, which did not write it, meant
    std::string text(const char* key, const std::string& absent) const {
        return object_.contains(key) ? text(key) : absent;
    }
    bool truth(const char* key, bool absent) const {
        if (!object_.contains(key)) return absent;
        const Json& value = get(key);
        if (!value.is_boolean()) fail(where_ + key, "expected true or false, found ", value);
        return value.get<bool>();
    }
    double number(const char* key) const {
        const Json& value = get(key);
        if (!value.is_number()) fail(where_ + key, "expected a number, found ", value);
        return value.get<double>();
    }
    int count(const char* key) const {
        const double value = number(key);
        if (!(value >= 1 && value <= 1e6) || value != std::floor(value)) {
            fail(key, "must be a whole number in 1 … 1000000");
        }
        return static_cast<int>(value);
    }
    /// @throws Error{format} where no run can have given these three
    BenchLine measured(BenchLine line) const {
        line.median = number("median");
        line.min = number("min");
        line.max = number("max");
        if (!(line.min >= 1e-9 && line.max <= 1e12)) fail("min", "is no measured value (1e-9 … 1e12)");
        if (!(line.min <= line.median && line.median <= line.max)) {
            fail("median", "is not between min and max");
        }
        return line;
    }
    const Json& get(const char* key) const {
        const auto found = object_.find(key);
        if (found == object_.end()) {
            throw_error(ErrorKind::format, "missing from this bench.json",
                        {.file = file_, .field = where_ + key});
        }
        return *found;
    }

  private:
    [[noreturn]] void fail(const char* key, const std::string& message) const {
        throw_error(ErrorKind::format, message, {.file = file_, .field = where_ + key});
    }
    [[noreturn]] void fail(const std::string& field, const char* message, const Json& value) const {
        throw_error(ErrorKind::format, join({message, value.type_name()}), {.file = file_, .field = field});
    }

    const Json& object_;
    std::string where_;
    const std::string& file_;
};

}  // namespace

bool looks_like_bench_json(std::string_view text) {
    const Json json = parse_json(text, "", kLimits);
    return json.is_object() && json.contains("results");
}

BenchFile read_bench_json(std::string_view text, const std::string& file) {
    const Json json = parse_json(text, file, kLimits);
    const Reader top(json, "", file);
    const Reader machine(top.get("machine"), "machine.", file);
    BenchFile bench;
    const int cores = machine.count("cores");
    bench.machine = join({machine.text("cpu"), ", ", cores, cores == 1 ? " core, " : " cores, ",
                          machine.text("instruction_set")});
    const std::string instruction_set = machine.text("instruction_set");
    bench.made_up_weights = top.truth("made_up_weights", true);
    const Json& results = top.get("results");
    constexpr std::size_t kMost = 1000;
    if (!results.is_array() || results.size() > kMost) {
        throw_error(ErrorKind::format, join({"expected an array of at most ", kMost, " results"}),
                    {.file = file, .field = "results"});
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Reader one(results[i], join({"results[", i, "]."}), file);
        bench.results.push_back(one.measured({.size = one.text("size"),
                                              .what = one.text("what"),
                                              .threads = one.count("threads"),
                                              .instruction_set = one.text("instruction_set", instruction_set),
                                              .unit = one.text("unit")}));
    }
    return bench;
}

}  // namespace mm
