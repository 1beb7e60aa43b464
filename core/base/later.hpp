// Data that the WebAssembly module does without until a model has been opened: it is delivered with the
// module's second file (wasm/split.mjs).
//
//     MM_LATER constexpr std::uint8_t kTable[] = {…};
//     … late(kTable) …
#pragma once

#ifdef __EMSCRIPTEN__

#define MM_LATER [[gnu::section("later")]]

namespace mm {

/// Gives back its argument. A function of the second file, since wasm/opening.mjs does not call it: calling
/// it brings the file, data and all, wherever the caller is. Volatile, so that no optimizer puts its body
/// there instead.
extern const void* (*volatile late_address)(const void* data);

template <class T>
const T& late(const T& data) {
    return *static_cast<const T*>(late_address(&data));
}

}  // namespace mm

#else

#define MM_LATER

namespace mm {

template <class T>
const T& late(const T& data) {
    return data;
}

}  // namespace mm

#endif
