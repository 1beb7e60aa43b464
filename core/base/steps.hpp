// Long work cut into steps, for callers that cannot wait: a page's worker has to look at its messages between
// two tokens.
//
// A function that returns Steps<T> is written as a loop with `co_yield kRest` where it may rest, and with
// `co_await` where other such work has to be done first; the caller goes on with advance() and takes the
// result at the end, or drops it half done. run() does everything at once: the same code, so the same result.
// Exceptions leave advance(), or the co_await.
//
//     Steps<int> sum_in_steps(std::vector<int> values) {
//         int sum = 0;
//         for (int value : values) { sum += value; co_yield kRest; }
//         co_return sum;
//     }
//     Steps<int> mean_in_steps(std::vector<int> values) {
//         const int sum = co_await sum_in_steps(values);
//         co_return sum / static_cast<int>(values.size());
//     }
//
// The work begins with the first advance() or with co_await: what a parameter refers to must live until the
// end, so small things are passed by value.
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

/// What the work of any type has in common: where it stands, and what it waits for.
struct Work {
    coroutines::coroutine_handle<> self;
    Work* awaited = nullptr;  // inner work that goes on first
    std::exception_ptr failure;

    /// Works on to the next rest, this work's or the awaited one's. False once all is done, well or not.
    /// Resumes from here, never from a coroutine to the next: WebAssembly has no tail calls to do that with.
    bool go_on() {
        if (self.done()) return false;
        do {
            if (awaited != nullptr && awaited->go_on()) return true;
            awaited = nullptr;
            self.resume();
        } while (awaited != nullptr);
        return !self.done();
    }
    void rethrow_failure() {
        if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
    }
};

template <typename T>
class [[nodiscard]] Steps {
    template <typename U>
    struct Await {
        Steps<U> inner;
        bool await_ready() noexcept { return false; }
        template <typename Outer>
        void await_suspend(Outer outer) noexcept {
            outer.promise().awaited = &inner.work();
        }
        U await_resume() {
            inner.work().rethrow_failure();
            return inner.result();
        }
    };

  public:
    struct promise_type : Work {
        std::optional<T> result;

        Steps get_return_object() {
            const auto handle = Handle::from_promise(*this);
            self = handle;
            return Steps(handle);
        }
        coroutines::suspend_always initial_suspend() noexcept { return {}; }
        coroutines::suspend_always final_suspend() noexcept { return {}; }
        coroutines::suspend_always yield_value(Rest) noexcept { return {}; }
        template <typename U>
        Await<U> await_transform(Steps<U> inner) noexcept {
            return {std::move(inner)};
        }
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
        const bool more = work().go_on();
        work().rethrow_failure();
        return more;
    }

    /// Once, after advance() has returned false.
    T result() { return std::move(handle_.promise().result.value()); }

    /// For the work that awaits this one.
    Work& work() { return handle_.promise(); }

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
