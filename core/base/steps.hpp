// Long work cut into steps, for callers that cannot wait: a page's worker has to look at its messages between
// two tokens.
//
// A function that returns Steps<T> is written as a loop with `co_yield kRest` where it may rest; the caller
// goes on with advance() and takes the result at the end, or drops it half done. run() does everything at
// once: the same code, so the same result. Exceptions leave advance().
//
//     Steps<int> sum_in_steps(std::vector<int> values) {
//         int sum = 0;
//         for (int value : values) { sum += value; co_yield kRest; }
//         co_return sum;
//     }
//
// The work begins with the first advance(): what a parameter refers to must live until the end, so small
// things are passed by value.
#pragma once

#include <exception>
#include <optional>
#include <utility>

// emscripten's libc++ still has coroutines in its experimental corner.
#if __has_include(<coroutine>)
#include <coroutine>
namespace mm::coroutines {
using std::coroutine_handle;
using std::suspend_always;
}  // namespace mm::coroutines
#else
#include <experimental/coroutine>
namespace mm::coroutines {
using std::experimental::coroutine_handle;
using std::experimental::suspend_always;
}  // namespace mm::coroutines
#endif

namespace mm {

struct Rest {};
constexpr Rest kRest{};

/// The result of work that is done for its effects.
struct Done {};

template <typename T>
class [[nodiscard]] Steps {
  public:
    struct promise_type {
        std::optional<T> result;
        std::exception_ptr failure;

        Steps get_return_object() { return Steps(Handle::from_promise(*this)); }
        coroutines::suspend_always initial_suspend() noexcept { return {}; }
        coroutines::suspend_always final_suspend() noexcept { return {}; }
        coroutines::suspend_always yield_value(Rest) noexcept { return {}; }
        void return_value(T value) { result.emplace(std::move(value)); }
        void unhandled_exception() { failure = std::current_exception(); }
    };

    Steps(Steps&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Steps& operator=(Steps&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Steps() {
        if (handle_) handle_.destroy();
    }

    /// Works on to the next rest. False once all is done; rethrows what the work throws, and is done then.
    bool advance() {
        if (handle_.done()) return false;
        handle_.resume();
        if (handle_.promise().failure) {
            std::rethrow_exception(std::exchange(handle_.promise().failure, nullptr));
        }
        return !handle_.done();
    }

    /// Once, after advance() has returned false.
    T result() { return std::move(handle_.promise().result.value()); }

  private:
    using Handle = coroutines::coroutine_handle<promise_type>;
    explicit Steps(Handle handle) : handle_(handle) {}

    Handle handle_;
};

/// All steps at once.
template <typename T>
T run(Steps<T> steps) {
    while (steps.advance()) {
    }
    return steps.result();
}

}  // namespace mm
