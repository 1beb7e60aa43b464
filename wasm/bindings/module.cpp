// The border of the WebAssembly module: five C functions. Calls cross it as text, files and arrays as places
// in the module's memory; what the calls are is core/page's business.
//
// No exception passes: whatever goes wrong comes back as {"error": {kind, message, hint, file}}.
#include <emscripten/emscripten.h>
#include <malloc.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "core/page/params.hpp"
#include "core/page/workbench.hpp"

namespace mm {
namespace {

using Memory = std::unique_ptr<char, decltype(&std::free)>;

/// (std::chrono's clock is the same one, and 2 KB more: it brings the text of every system error.)
double seconds() {
    return emscripten_get_now() / 1000;
}

page::Workbench& workbench() {
    static page::Workbench bench(seconds);
    return bench;
}

/// The bytes a call brings along: "files" in its params, {parameter: {at, size, name}}. Freed afterwards.
class Attached {
  public:
    explicit Attached(const Json& params) {
        const auto files = params.find("files");
        if (files == params.end()) return;
        for (const auto& [parameter, place] : files->items()) {
            const auto at = static_cast<std::uintptr_t>(page::integer(place, "at", 1, UINT32_MAX));
            const std::shared_ptr<std::byte> memory(reinterpret_cast<std::byte*>(at), std::free);
            const auto size = static_cast<std::size_t>(page::integer(place, "size", 0, UINT32_MAX));
            files_[parameter] = {
                page::text(place, "name"), {memory.get(), size}, memory, malloc_usable_size(memory.get())};
        }
    }
    const page::Files& files() const { return files_; }

  private:
    page::Files files_;  // each with its memory
};

std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string error_text(std::string_view kind, std::string_view message, std::string_view hint,
                       std::string_view file) {
    const Json error =
        page::Fields().set("kind", kind).set("message", message).set("hint", hint).set("file", file);
    return dump(page::Fields().set("error", error));
}

/// @throws std::bad_alloc
std::string answer(std::string_view name, std::string_view params_text) {
    try {
        const Json params = parse_json(params_text, "");
        const Attached attached(params);
        return dump(page::Fields().set("value", workbench().call(name, params, attached.files())));
    } catch (const Error& error) {
        return error_text(to_string(error.kind()), error.what(), error.hint(), error.context().file);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        return error_text("internal", error.what(), "", "");
    }
}

/// There before any memory is asked for: to say that there is none must not need some.
constexpr char kNoMemory[] = R"({"error":{"kind":"memory","message":"the browser gave no more memory",)"
                             R"("hint":"Close other tabs, or use a smaller model.","file":""}})";

}  // namespace
}  // namespace mm

extern "C" {

/// Memory for text or a file that a call then takes; null when there is none left.
void* mm_alloc(std::size_t bytes) {
    return std::malloc(bytes);
}
/// The same memory, larger or smaller; null, and the old one as it was, when there is none left.
void* mm_resize(void* memory, std::size_t bytes) {
    return std::realloc(memory, bytes);
}
void mm_free(void* memory) {
    std::free(memory);
}

/// Bytes handed out and not given back.
std::size_t mm_used() {
    return static_cast<std::size_t>(mallinfo().uordblks);
}

/// @param name, params  UTF-8, zero-terminated, from mm_alloc; freed here
/// @returns UTF-8 JSON, {"value": …} or {"error": {kind, message, hint, file}}, valid until the next call
const char* mm_call(char* name, char* params) {
    static std::string reply;
    const mm::Memory owned_name(name, std::free);
    const mm::Memory owned_params(params, std::free);
    try {
        reply = mm::answer(name, params);
        return reply.c_str();
    } catch (const std::bad_alloc&) {
        return mm::kNoMemory;
    }
}
}
