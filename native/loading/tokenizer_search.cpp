#include "native/loading/tokenizer_search.hpp"

#include <algorithm>
#include <filesystem>

#include "native/files/file.hpp"
#include "native/loading/checkpoint.hpp"
#include "native/loading/demo.hpp"

namespace mm {
namespace {

constexpr std::size_t kLargestTokenizer = std::size_t{256} << 20;
constexpr const char* kFileName = "tokenizer.json";

// The tokenizer file a place stands for; empty when there is none.
std::string file_at(const std::string& place) {
    if (is_regular_file(place)) return place;
    std::string inside = (std::filesystem::path(place) / kFileName).string();
    return is_regular_file(inside) ? inside : std::string();
}

Tokenizer read_file_at(const std::string& file) {
    return Tokenizer::from_json(read_file(file, kLargestTokenizer), file);
}

// A model's vocabulary is its tokenizer's, rounded up at most; one far larger was trained with another.
void note_small(const Tokenizer& tokenizer, const std::string& file, const TokenizerQuery& query,
                Console& console) {
    if (tokenizer.max_id() >= query.vocab_size / 2) return;
    console.note(file + ": its ids end at " + std::to_string(tokenizer.max_id()) + ", the model has " +
                 std::to_string(query.vocab_size) + ": it may be another model's");
}

}  // namespace

bool same_folder(const std::string& one, const std::string& other) {
    std::error_code failed;
    const auto plain = [&failed](const std::string& path) {
        std::filesystem::path full = std::filesystem::weakly_canonical(path, failed);
        return failed ? std::filesystem::path(path).lexically_normal() : full;
    };
    // "a/b/" and "a/b" differ as paths, by an empty last part.
    return plain(one + "/.") == plain(other + "/.");
}

std::vector<std::string> tokenizer_places(const std::string& checkpoint, const std::string& ref) {
    const std::filesystem::path path = checkpoint;
    const std::filesystem::path folder = is_folder(checkpoint) ? path : path.parent_path();
    const std::filesystem::path root = ref;
    std::vector<std::string> places{folder.empty() ? "." : folder.string(), (root / "tokenizer").string(),
                                    (root / "ref").string(), root.string()};
    if (same_folder(ref, kOfficialFolder)) places.emplace_back(kOfficialTokenizer);
    std::vector<std::string> once;
    for (const std::string& place : places) {
        if (std::find(once.begin(), once.end(), place) == once.end()) once.push_back(place);
    }
    return once;
}

Tokenizer read_tokenizer(const std::string& place) {
    if (!is_folder(place)) return read_file_at(place);
    return read_file_at((std::filesystem::path(place) / kFileName).string());
}

Tokenizer demo_tokenizer() {
    return Tokenizer::from_json(as_text(demo_files().tokenizer), "demo:tokenizer");
}

FoundTokenizer find_tokenizer(const TokenizerQuery& query, Console& console) {
    FoundTokenizer found;
    if (query.given) {
        Tokenizer tokenizer = read_tokenizer(*query.given);
        const std::string misfit = tokenizer.misfit(query.vocab_size, query.checkpoint);
        if (!misfit.empty()) {
            throw_error(ErrorKind::tokenizer, misfit, {.file = *query.given, .field = "--tokenizer"});
        }
        note_small(tokenizer, *query.given, query, console);
        found.tokenizer = std::move(tokenizer);
        found.file = file_at(*query.given);
        return found;
    }
    if (is_embedded(query.checkpoint)) {
        found.tokenizer = demo_tokenizer();
        return found;
    }
    for (const std::string& place : tokenizer_places(query.checkpoint, query.ref)) {
        const std::string file = file_at(place);
        found.tried.push_back(place);
        if (file.empty()) continue;
        Tokenizer tokenizer = read_file_at(file);
        const std::string misfit = tokenizer.misfit(query.vocab_size, query.checkpoint);
        if (misfit.empty()) {
            note_small(tokenizer, file, query, console);
            found.tokenizer = std::move(tokenizer);
            found.file = file;
            return found;
        }
        console.note("skipped " + file + ": it " + misfit);
    }
    return found;
}

FoundTokenizer require_tokenizer(const TokenizerQuery& query, Console& console) {
    FoundTokenizer found = find_tokenizer(query, console);
    if (found.tokenizer) return found;
    std::string list;
    for (const std::string& place : found.tried) list += (list.empty() ? "" : ", ") + place;
    throw_error(ErrorKind::tokenizer,
                "no tokenizer that fits was found; looked for tokenizer.json at " + list,
                {.file = query.checkpoint}, "name one with --tokenizer");
}

}  // namespace mm
