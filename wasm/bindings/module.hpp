// The border of the WebAssembly module: what its calls share.
//
// A call is a name and a JSON object in, a JSON value or an error out; the names and shapes of values are
// those of wasm/client/api.ts. Nothing is computed here. Bytes (files in, arrays out) never pass as JSON:
// they lie in the module's memory and only their place is told.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.hpp"
#include "core/decode/distribution_summary.hpp"
#include "core/lab/context.hpp"
#include "core/lab/decode_scene.hpp"
#include "core/model/model.hpp"
#include "core/text/tokenizer.hpp"

namespace mm::wasm {

/// A checkpoint ready to run, with its tokenizer.
struct Loaded {
    Model model;
    Tokenizer tokenizer;
};

/// All that lives between calls.
struct Module {
    std::map<std::string, std::unique_ptr<Loaded>, std::less<>> models;  // by role
    std::vector<std::string> documents;
    std::unique_ptr<DecodeScene> scene;  // on the model of role "pretrain"
    DistributionSummary distribution;    // whose arrays the page is about to copy

    /// @throws Error{range} when nothing is loaded for the role
    Loaded& loaded(std::string_view role);
    /// Loaded models, documents and the clock, for the lab's steps.
    LabContext context() const;
};

Module& module();
double seconds();

using Call = Json (*)(const Json& params);
struct NamedCall {
    std::string_view name;
    Call run;
};

// One list a file.
std::vector<NamedCall> loading_calls();
std::vector<NamedCall> scene_calls();

// A field of the params; Error{range} naming it when it is missing or of another type or size.
const Json& object(const Json& params, const char* name);
std::string text(const Json& params, const char* name);
double number(const Json& params, const char* name);
std::int64_t integer(const Json& params, const char* name, std::int64_t least, std::int64_t most);
/// An array of them.
std::vector<std::int64_t> integers(const Json& params, const char* name, std::int64_t least,
                                   std::int64_t most);

/// Ids of an api.ts Prompt.
std::vector<TokenId> prompt_ids(const Json& prompt, Loaded& loaded);
Json token_json(TokenId id, const Tokenizer& tokenizer);
Json tokens_json(const std::vector<TokenId>& ids, const Tokenizer& tokenizer);

}  // namespace mm::wasm
