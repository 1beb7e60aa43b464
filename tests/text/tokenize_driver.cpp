// Encodes and decodes for the differential test (tests/reference/diff_tokenizer.py): a tokenizer.json as
// argument, one JSON document a line on stdin, one a line on stdout.
//
//   "text"                    → ids with special tokens
//   {"text": …, "plain": true} → ids without special tokens
//   [ids]                     → [decode, decode with skip_special_tokens]
// An error is {"error": message}.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "core/base/json.hpp"
#include "core/text/tokenizer.hpp"

namespace {

mm::Json answer(const mm::Tokenizer& tokenizer, const mm::Json& request) {
    try {
        if (request.is_string()) return tokenizer.encode(request.get<std::string>());
        if (request.is_object()) return tokenizer.encode(request["text"].get<std::string>(), false);
        const auto ids = request.get<std::vector<mm::TokenId>>();
        return {tokenizer.decode(ids), tokenizer.decode(ids, true)};
    } catch (const mm::Error& error) {
        return {{"error", error.what()}};
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    std::ifstream in(argv[1], std::ios::binary);
    const std::string json{std::istreambuf_iterator<char>(in), {}};
    try {
        const mm::Tokenizer tokenizer = mm::Tokenizer::from_json(json, argv[1]);
        for (std::string line; std::getline(std::cin, line);) {
            std::cout << answer(tokenizer, mm::Json::parse(line)).dump() << '\n' << std::flush;
        }
    } catch (const mm::Error& error) {
        std::cout << mm::Json({{"error", error.what()}}).dump() << '\n';
    }
    return 0;
}
