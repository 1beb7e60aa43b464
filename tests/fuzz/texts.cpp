// JSON of every kind, and the tokenizer: its file, and the round trip of texts.
#include <cstring>

#include "core/base/json.hpp"
#include "core/base/utf8.hpp"
#include "core/lab/checks/check_list.hpp"
#include "core/lab/documents.hpp"
#include "core/lab/time_file.hpp"
#include "core/model/config.hpp"
#include "core/text/tokenizer.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/model/synthetic_model.hpp"

namespace mm::fuzz {
namespace {

const std::string kFile = "f.json";

// Shapes a config.json can agree or disagree with.
const test::SyntheticCheckpoint& small_checkpoint() {
    static const test::SyntheticCheckpoint checkpoint = [] {
        ModelConfig c;
        c.vocab_size = 6;
        c.hidden_size = 8;
        c.num_hidden_layers = 2;
        c.num_attention_heads = 2;
        c.num_key_value_heads = 1;
        c.head_dim = 4;
        c.intermediate_size = 8;
        return test::SyntheticCheckpoint(c, 1);
    }();
    return checkpoint;
}

// All ids that a text gives must be ids, decode, and stream to the same text.
std::string decoded(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
    std::string streamed;
    StreamDecoder stream = tokenizer.stream();
    for (const TokenId id : ids) {
        require(id >= 0 && id <= tokenizer.max_id(), "an id outside the vocabulary");
        streamed += stream.push(id);
    }
    streamed += stream.flush();
    const std::string text = tokenizer.decode(ids);
    require(streamed == text, "streaming gave another text");
    return text;
}

}  // namespace

void config(std::string_view input) {
    static const TensorTable table = small_checkpoint().table();
    reads_or_explains(kFile, [&] {
        const Json json = parse_json(input, kFile);
        reads_or_explains("", [&] { ModelConfig::from_checkpoint(table, &json, kFile, {}).validate(); });
    });
}

void json_lines(std::string_view input) {
    constexpr std::size_t kDocuments = 6;
    reads_or_explains(kFile, [&] {
        const std::vector<std::string> documents = read_documents(input, kFile, kDocuments);
        require(documents.size() <= kDocuments, "more documents than asked for");
        for (const std::string& text : documents) {
            require(find_invalid_utf8(text) == std::string::npos, "a document that is not UTF-8");
        }
    });
    reads_or_explains(kFile, [&] {
        const TimingSummary times = read_time_json(input, kFile);
        require(to_json(read_time_json(to_json(times), kFile)) == to_json(times), "numbers do not survive");
    });
    reads_or_explains(kFile, [&] { parse_weights(input, kFile); });
}

void tokenizer_file(std::string_view input) {
    reads_or_explains(kFile, [&] {
        const Tokenizer tokenizer = Tokenizer::from_json(input, kFile);
        for (const char* text : {"", "a", "ab  가람\n\t<|im_end|> 12345 don't é\u0301\U0001F600"}) {
            // A file's rules may be unable to treat a text.
            reads_or_explains("", [&] { decoded(tokenizer, tokenizer.encode(text)); });
        }
    });
}

void round_trip(std::string_view input) {
    // Byte-level, no normalizer, and nothing removed from the text.
    static const std::vector<Tokenizer> tokenizers = [] {
        std::vector<Tokenizer> read;
        for (const char* name : {"ko_new", "ko_old", "var_digits", "var_llama3", "var_ignore_merges_true",
                                 "var_ignore_merges_false"}) {
            const std::string path = "golden/tokenizer/tokenizers/" + std::string(name) + ".json";
            read.push_back(Tokenizer::from_json(read_test_file(path), path));
        }
        return read;
    }();
    const bool valid = find_invalid_utf8(input) == std::string_view::npos;
    for (const Tokenizer& tokenizer : tokenizers) {
        reads_or_explains("", [&] {
            const std::vector<TokenId> ids = tokenizer.encode(input, false);
            require(valid, "took a text that is not UTF-8");
            require(decoded(tokenizer, ids) == input, "the round trip changed the text");
        });
        if (valid) continue;
        // Any bytes as ids: decoding must not depend on their coming from a text.
        std::vector<TokenId> ids;
        for (const char c : input)
            ids.push_back(static_cast<unsigned char>(c) * 7 % (tokenizer.max_id() + 1));
        require(find_invalid_utf8(decoded(tokenizer, ids)) == std::string::npos, "decoded to broken UTF-8");
    }
}

}  // namespace mm::fuzz
