#include "wasm/bindings/module.hpp"

#include <chrono>
#include <cstdlib>
#include <new>
#include <utility>

namespace mm::wasm {
namespace {

// The reply of the last call; the client copies it before the next one.
std::string g_reply;

Json error_json(std::string_view kind, const std::string& message, const std::string& hint) {
    return {{"error", {{"kind", kind}, {"message", message}, {"hint", hint}}}};
}

Json dispatch(std::string_view name, std::string_view params) {
    static const std::map<std::string_view, Call> calls = [] {
        std::map<std::string_view, Call> table;
        for (const auto& list : {loading_calls(), scene_calls()}) {
            for (const NamedCall& call : list) table.emplace(call.name, call.run);
        }
        return table;
    }();
    const auto call = calls.find(name);
    if (call == calls.end()) {
        throw Error(ErrorKind::internal, "the module has no call '" + std::string(name) + "'");
    }
    return {{"value", call->second(parse_json(params, ""))}};
}

}  // namespace

Loaded& Module::loaded(std::string_view role) {
    const auto found = models.find(role);
    if (found == models.end()) {
        throw Error(ErrorKind::range, "no model is loaded for '" + std::string(role) + "'",
                    {.field = "role"});
    }
    return *found->second;
}

LabContext Module::context() const {
    LabContext context;
    if (const auto found = models.find("pretrain"); found != models.end()) {
        context.pretrain = &found->second->model;
        context.tokenizer = &found->second->tokenizer;
    }
    if (const auto found = models.find("sft"); found != models.end()) {
        context.sft = &found->second->model;
        context.sft_tokenizer = &found->second->tokenizer;
    }
    context.documents = documents;
    context.clock_seconds = seconds;
    return context;
}

Module& module() {
    static Module module;
    return module;
}

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace mm::wasm

extern "C" {

/// Memory for a file's bytes, which a call then takes; null when there is none left.
void* mm_alloc(std::size_t bytes) {
    return std::malloc(bytes);
}
/// The same memory, larger; null (and the old one as it was) when there is none left.
void* mm_resize(void* memory, std::size_t bytes) {
    return std::realloc(memory, bytes);
}
void mm_free(void* memory) {
    std::free(memory);
}

/// Runs a call. @param name, params  UTF-8, zero-terminated; made by mm_alloc and freed here.
/// @returns UTF-8 JSON, {"value": …} or {"error": {kind, message, hint}}, valid until the next call
const char* mm_call(char* name, char* params) {
    using namespace mm;
    const std::unique_ptr<char, decltype(&std::free)> owned_name(name, std::free);
    const std::unique_ptr<char, decltype(&std::free)> owned_params(params, std::free);
    Json reply;
    try {
        try {
            reply = wasm::dispatch(name, params);
            wasm::g_reply = reply.dump();
        } catch (const Error& error) {
            // One line that names what it is about, as the native twin prints it.
            reply = wasm::error_json(to_string(error.kind()), error.what(), error.hint());
            wasm::g_reply = reply.dump(-1, ' ', false, Json::error_handler_t::replace);
        } catch (const Json::exception& error) {
            wasm::g_reply = wasm::error_json("range", json_reason(error.what()), "").dump();
        }
    } catch (const std::bad_alloc&) {
        // What a failed call had taken is free again: this much fits.
        return R"({"error":{"kind":"memory","message":"out of memory","hint":"Close other tabs, or use a smaller model."}})";
    } catch (const std::exception& error) {
        wasm::g_reply = wasm::error_json("internal", error.what(), "")
                            .dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return wasm::g_reply.c_str();
}
}
