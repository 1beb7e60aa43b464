#include "tests/fuzz/targets.hpp"

namespace mm::fuzz {

const std::vector<Target>& targets() {
    static const std::vector<Target> all = {
        {"torch_zip", torch_zip},
        {"torch_legacy", torch_legacy},
        {"pickle", pickle},
        {"safetensors", safetensors},
        {"config", config},
        {"tokenizer_file", tokenizer_file},
        {"round_trip", round_trip},
        {"json_lines", json_lines},
        {"submission", submission},
        {"page_calls", page_calls},
        {"whole_load", whole_load},
#ifndef __EMSCRIPTEN__
        {"serve_request", serve_request},
#endif
    };
    return all;
}

}  // namespace mm::fuzz
