// Do more threads ever hurt? The lab's size prefills, decodes and generates with one thread and with several
// in turn, on the machine as it is and beside a program that keeps one core busy. Medians by the clock, and
// the ratios of what users wait for: with more threads never slower, beside the neighbour at most by a tenth.
//
//     threads_bench [threads [rounds]]      # otherwise all cores, 40; ends with 1 where a goal is missed
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "native/bench/bench.hpp"
#include "native/bench/made_up_model.hpp"
#include "native/bench/work.hpp"
#include "native/loading/cpu_count.hpp"
#include "native/loading/lab_inputs.hpp"

namespace mm {
namespace {

// A program of its own that never rests, on the last core that this one may use.
class Neighbour {
  public:
    Neighbour() : process_(::fork()) {
        if (process_ != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        cpu_set_t allowed;
        ::sched_getaffinity(0, sizeof allowed, &allowed);
        int last = CPU_SETSIZE - 1;
        while (last > 0 && !CPU_ISSET(last, &allowed)) --last;
        CPU_ZERO(&allowed);
        CPU_SET(last, &allowed);
        ::sched_setaffinity(0, sizeof allowed, &allowed);
        for (;;) asm volatile("");
    }
    ~Neighbour() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    Neighbour(const Neighbour&) = delete;
    Neighbour& operator=(const Neighbour&) = delete;

  private:
    pid_t process_;
};

struct Times {
    std::vector<double> prefill, decode, generate;  // seconds

    void add(const Model& model) {
        const CachedRun run = time_cached(model, monotonic_seconds);
        prefill.push_back(run.prefill_seconds);
        decode.push_back(run.seconds - run.prefill_seconds);
        generate.push_back(run.seconds);
    }
};

/// Prints a line for each kind of work; false when a ratio is below `goal`.
bool compare(const char* where, const Model& one, const Model& several, int rounds, double goal) {
    Times alone, shared;
    for (int round = 0; round < rounds; ++round) {
        alone.add(one);
        shared.add(several);
    }
    bool met = true;
    const auto line = [&](const char* what, const std::vector<double>& a, const std::vector<double>& b,
                          bool judged) {
        const double before = spread_of(a).median, after = spread_of(b).median;
        std::printf("%-10s %-12s %8.2f ms %8.2f ms   %.2f%s\n", where, what, 1e3 * before, 1e3 * after,
                    before / after,
                    !judged                  ? ""
                    : before / after >= goal ? "  met"
                                             : "  MISSED");
        met = met && (!judged || before / after >= goal);
    };
    line("prefill 201", alone.prefill, shared.prefill, false);
    line("decode 63", alone.decode, shared.decode, true);
    line("generate 64", alone.generate, shared.generate, true);
    return met;
}

bool compare_all(int threads, int rounds) {
    std::printf("%-10s %-12s %11s %8d thr.   ratio\n", "", "", "1 thread", threads);
    bool met = true;
    for (const DType dtype : {DType::f32, DType::f16}) {
        const ModelConfig& config = named_sizes()[0].config;
        const MadeUpCheckpoint checkpoint(config, dtype);
        const Model one(checkpoint.table(), config, std::make_shared<ThreadPool>(1));
        const Model several(checkpoint.table(), config, std::make_shared<ThreadPool>(threads));
        std::printf("%s\n", std::string(to_string(dtype)).c_str());
        met &= compare("alone", one, several, rounds, 1.0);
        const Neighbour neighbour;
        met &= compare("neighbour", one, several, rounds, 0.9);
    }
    return met;
}

}  // namespace
}  // namespace mm

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : mm::usable_cores();
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 40;
    return mm::compare_all(threads, rounds) ? 0 : 1;
}
