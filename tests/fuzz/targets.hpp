// What is fuzzed: each target takes any bytes and must end in an ordinary way, by a value or by one Error.
//
// The same functions run in two programs: a libFuzzer program a target (fuzz_main.cpp, the `asan` preset),
// and fuzz_replay_test, which feeds them the seeds and the inputs that once found something in every build.
// A target breaks an assertion by throwing std::logic_error.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"

namespace mm::fuzz {

void torch_zip(std::string_view input);
void torch_legacy(std::string_view input);
void pickle(std::string_view input);
void safetensors(std::string_view input);
void config(std::string_view input);
void tokenizer_file(std::string_view input);
void round_trip(std::string_view input);
void json_lines(std::string_view input);
void submission(std::string_view input);
void page_calls(std::string_view input);
void whole_load(std::string_view input);
#ifndef __EMSCRIPTEN__
void serve_request(std::string_view input);
#endif

struct Target {
    std::string_view name;
    void (*run)(std::string_view);
};

const std::vector<Target>& targets();

inline void require(bool holds, const std::string& what) {
    if (!holds) throw std::logic_error(what);
}

/// Runs `read`; an Error is a proper answer when it is of use: not a bug of ours, one line, its file named.
/// @param file which file the error must name; empty: any
/// @return whether there was no error
bool reads_or_explains(const std::string& file, const std::function<void()>& read);

}  // namespace mm::fuzz
