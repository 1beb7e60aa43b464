#include "core/tensor/thread_pool.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/base/join.hpp"

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define MM_THREADS 1
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>
#endif

namespace mm {
namespace {

constexpr int kMostThreads = 256;

void check(int threads) {
    if (threads < 1 || threads > kMostThreads) {
        throw_error(ErrorKind::range, join({"from 1 to ", kMostThreads}), {.field = "threads"});
    }
}

}  // namespace

std::size_t tasks_worth(std::size_t multiply_adds) {
    // Below, what another thread saves is lost in meeting it. A lab-sized model's matrices lie on both sides:
    // with all of them shared, decoding beside a busy neighbour was slower than on one thread
    // (tests/bench/README.md).
    constexpr std::size_t kWorthSharing = std::size_t{1} << 15;
    constexpr std::size_t kTask = std::size_t{1} << 14;
    return multiply_adds < kWorthSharing ? 1 : multiply_adds / kTask;
}

#ifdef MM_THREADS

namespace {

// Long enough to bridge the steps between two products of a token, short enough to leave an idle machine
// alone: some tens of microseconds.
constexpr int kSpins = 2000;
// Chunks for each thread: when one thread is held up by other programs, the others take over its rest.
constexpr std::size_t kChunks = 4;
// A worker that waits awake offers its core to other programs so often. Whom it lets run then cannot take the
// core from it in the middle of a chunk, where the others would have to wait.
constexpr int kOffer = 64;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

// A job is cut into chunks, and every thread owns a share of neighbouring ones, so that it reads memory in
// one stream. A thread claims a chunk by raising its share's ticket, first in its own share, then in the
// others'. The ticket names the job, so a thread that wakes late cannot claim from a job it does not know;
// and since only whoever holds a chunk reads the job's description, nobody has to be waited for but the
// chunks' holders.
struct ThreadPool::Team {
    struct alignas(64) Share {
        std::atomic<std::uint64_t> ticket{0};  // job << 32 | next chunk << 16 | end
    };

    std::vector<std::thread> workers;
    std::vector<Share> shares;
    Call call = nullptr;
    void* context = nullptr;
    std::size_t count = 0;
    std::size_t grain = 0;
    std::size_t chunks = 0;
    alignas(64) std::atomic<std::uint32_t> job{0};
    alignas(64) std::atomic<std::size_t> done{0};
    std::atomic<bool> stop{false};

    explicit Team(int threads) : shares(static_cast<std::size_t>(threads)) {
        try {
            for (std::size_t i = 1; i < shares.size(); ++i) workers.emplace_back([this, i] { work(i); });
        } catch (const std::exception&) {
            // The system grants no more threads, or no memory for one: the job goes on with those there are.
        }
    }

    ~Team() {
        stop = true;
        job.fetch_add(1, std::memory_order_release);
        job.notify_all();
        for (std::thread& worker : workers) worker.join();
    }

    void work(std::size_t self) {
        std::uint32_t seen = 0;
        for (;;) {
            for (int i = 1; i < kSpins && job.load(std::memory_order_relaxed) == seen; ++i) {
                if (i % kOffer == 0) std::this_thread::yield();
                pause();
            }
            job.wait(seen, std::memory_order_acquire);
            seen = job.load(std::memory_order_acquire);
            if (stop) return;
            take_chunks(self, seen);
        }
    }

    void take_chunks(std::size_t self, std::uint32_t current) {
        for (std::size_t i = 0; i < shares.size(); ++i) {
            std::atomic<std::uint64_t>& ticket = shares[(self + i) % shares.size()].ticket;
            std::uint64_t held = ticket.load(std::memory_order_acquire);
            while (held >> 32 == current && ((held >> 16) & 0xFFFF) < (held & 0xFFFF)) {
                if (!ticket.compare_exchange_weak(held, held + (1u << 16), std::memory_order_acq_rel))
                    continue;
                run_chunk((held >> 16) & 0xFFFF, self);
                held = ticket.load(std::memory_order_acquire);
            }
        }
    }

    void run_chunk(std::size_t chunk, std::size_t self) {
        const std::size_t units = (count + grain - 1) / grain;
        const std::size_t begin = chunk * units / chunks * grain;
        const std::size_t end = std::min(count, (chunk + 1) * units / chunks * grain);
        call(context, begin, end, self);
        done.fetch_add(1, std::memory_order_release);
    }

    void run(std::size_t chunk_count) {
        chunks = chunk_count;
        done.store(0, std::memory_order_relaxed);
        const std::uint32_t current = job.load(std::memory_order_relaxed) + 1;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const std::uint64_t next = i * chunks / shares.size();
            const std::uint64_t end = (i + 1) * chunks / shares.size();
            shares[i].ticket.store(std::uint64_t{current} << 32 | next << 16 | end,
                                   std::memory_order_release);
        }
        job.store(current, std::memory_order_release);
        job.notify_all();
        take_chunks(0, current);
        for (int i = 0; done.load(std::memory_order_acquire) != chunks; ++i) {
            if (i < kSpins) {
                pause();
            } else {
                std::this_thread::yield();
            }
        }
    }
};

ThreadPool::ThreadPool(int threads) {
    check(threads);
    if (threads > 1) team_ = std::make_unique<Team>(threads);
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const {
    return team_ ? static_cast<int>(team_->workers.size()) + 1 : 1;
}

void ThreadPool::run_erased(std::size_t count, std::size_t grain, std::size_t most, Call call,
                            void* context) {
    if (count == 0) return;
    grain = std::max<std::size_t>(grain, 1);
    const std::size_t units = (count - 1) / grain + 1;
    if (!team_ || units == 1 || most <= 1) return call(context, 0, count, 0);
    const std::size_t threads = team_->shares.size();
    std::size_t chunks = std::min({units, most, threads * kChunks});
    if (chunks > threads) chunks -= chunks % threads;  // equal shares
    team_->call = call;
    team_->context = context;
    team_->count = count;
    team_->grain = grain;
    team_->run(chunks);
}

#else

struct ThreadPool::Team {};

ThreadPool::ThreadPool(int threads) {
    check(threads);
}
ThreadPool::~ThreadPool() = default;
int ThreadPool::threads() const {
    return 1;
}

void ThreadPool::run_erased(std::size_t count, std::size_t, std::size_t, Call call, void* context) {
    if (count > 0) call(context, 0, count, 0);
}

#endif

}  // namespace mm
