// Runs the real program as a user would: arguments in; status, both streams and the time taken out.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace mm {

/// The mm-native built with these tests; MM_SANITIZED_PROGRAM names another, built with sanitizers, in its
/// stead.
std::string mm_native_program();
/// Whether it is one with sanitizers, which maps terabytes and takes its time.
bool program_is_sanitized();

struct ProgramOptions {
    std::string input = {};                             // standard input; then its end
    std::string folder = {};                            // working folder; empty: the test's own
    std::map<std::string, std::string> variables = {};  // environment, on top of the test's own
    std::vector<std::string> unset = {};                // taken out of the environment
    bool close_input = false;                           // started with its standard input closed
    std::string stdout_file = {};  // standard output goes here instead; it is not collected
    std::string program = {};      // empty: mm_native_program()
    std::size_t memory_limit = 0;  // bytes of address space; 0: none
};

struct ProgramResult {
    int status = -1;  // exit status; −n when signal n ended it
    std::string out;
    std::string err;
    double seconds = 0;
};

/// Runs mm-native and waits for its end.
ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

/// A program that was started and is still running; ended and collected by finish().
class RunningProgram {
  public:
    explicit RunningProgram(const std::vector<std::string>& arguments, const ProgramOptions& options = {});
    ~RunningProgram();
    RunningProgram(const RunningProgram&) = delete;
    RunningProgram& operator=(const RunningProgram&) = delete;

    pid_t pid() const { return pid_; }
    /// Writes to its standard input, which stays open until finish().
    void send(const std::string& text) const;
    /// The next line of its standard output, without the line end; waits for it.
    std::string read_line();
    /// Closes its reading end: the program's next write finds nobody there.
    void close_output();
    ProgramResult finish();

  private:
    pid_t pid_ = -1;
    int in_ = -1;
    int out_ = -1;
    int err_ = -1;
    std::string pending_;
    double started_ = 0;
};

/// A file of the project by its path in the source tree.
std::string source_file(const std::string& path);

}  // namespace mm
