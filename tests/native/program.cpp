#include "program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace mm {
namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Fork rather than posix_spawn: the memory limit is set in between. Test programs have one thread.
[[noreturn]] void become(const std::vector<std::string>& arguments, const ProgramOptions& options) {
    for (const auto& [name, value] : options.variables) ::setenv(name.c_str(), value.c_str(), 1);
    for (const std::string& name : options.unset) ::unsetenv(name.c_str());
    if (options.close_input) ::close(STDIN_FILENO);
    if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) _exit(126);
    if (!options.stdout_file.empty()) {
        const int fd = ::open(options.stdout_file.c_str(), O_WRONLY | O_CREAT, 0666);
        if (fd < 0 || ::dup2(fd, STDOUT_FILENO) < 0) _exit(126);
    }
    if (options.memory_limit != 0) {
        const rlimit limit{options.memory_limit, options.memory_limit};
        if (::setrlimit(RLIMIT_AS, &limit) != 0) _exit(126);
    }
    std::vector<char*> argv{const_cast<char*>("mm-native")};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const std::string program = options.program.empty() ? mm_native_program() : options.program;
    ::execv(program.c_str(), argv.data());
    _exit(127);
}

const char* sanitized_program() {
    return std::getenv("MM_SANITIZED_PROGRAM");
}

}  // namespace

std::string mm_native_program() {
    return program_is_sanitized() ? sanitized_program() : MM_NATIVE_PROGRAM;
}

bool program_is_sanitized() {
    return sanitized_program() != nullptr;
}

RunningProgram::RunningProgram(const std::vector<std::string>& arguments, const ProgramOptions& options) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0 ||
        ::pipe2(err.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipes");
    }
    std::signal(SIGPIPE, SIG_IGN);
    started_ = now();
    pid_ = ::fork();
    if (pid_ == 0) {
        std::signal(SIGPIPE, SIG_DFL);
        ::dup2(in[0], STDIN_FILENO);
        ::dup2(out[1], STDOUT_FILENO);
        ::dup2(err[1], STDERR_FILENO);
        become(arguments, options);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    in_ = in[1];
    out_ = out[0];
    err_ = err[0];
}

RunningProgram::~RunningProgram() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    for (const int fd : {in_, out_, err_}) {
        if (fd >= 0) ::close(fd);
    }
}

void RunningProgram::send(const std::string& text) const {
    std::size_t sent = 0;
    while (sent < text.size()) {
        const ssize_t put = ::write(in_, text.data() + sent, text.size() - sent);
        if (put <= 0) return;  // it ended early; its status will say why
        sent += static_cast<std::size_t>(put);
    }
}

std::string RunningProgram::read_line() {
    while (pending_.find('\n') == std::string::npos) {
        std::array<char, 4096> block{};
        const ssize_t got = ::read(out_, block.data(), block.size());
        if (got <= 0) break;
        pending_.append(block.data(), static_cast<std::size_t>(got));
    }
    const auto end = pending_.find('\n');
    std::string line = pending_.substr(0, end);
    pending_.erase(0, end == std::string::npos ? pending_.size() : end + 1);
    return line;
}

void RunningProgram::close_output() {
    ::close(out_);
    out_ = -1;
}

ProgramResult RunningProgram::finish() {
    ::close(in_);
    in_ = -1;
    ProgramResult result;
    result.out = std::move(pending_);
    std::array<pollfd, 2> streams{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
    std::array<std::string*, 2> texts{&result.out, &result.err};
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        if (::poll(streams.data(), streams.size(), -1) < 0) continue;
        for (std::size_t i = 0; i < streams.size(); ++i) {
            if (streams[i].fd < 0 || streams[i].revents == 0) continue;
            std::array<char, 65536> block{};
            const ssize_t got = ::read(streams[i].fd, block.data(), block.size());
            if (got <= 0) {
                streams[i].fd = -1;
            } else {
                texts[i]->append(block.data(), static_cast<std::size_t>(got));
            }
        }
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    result.seconds = now() - started_;
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return result;
}

ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options) {
    RunningProgram program(arguments, options);
    program.send(options.input);
    return program.finish();
}

std::string source_file(const std::string& path) {
    return (std::filesystem::path(MM_SOURCE_DIR) / path).string();
}

}  // namespace mm
