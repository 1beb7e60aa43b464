// A stream of JSON values, one a line, with errors that name file and line.
#pragma once

#include <string>

#include "core/base/json.hpp"
#include "native/files/line_reader.hpp"

namespace mm {

class JsonLines {
  public:
    /// @param file a file, a pipe, or "-" for standard input @throws Error{io}
    explicit JsonLines(const std::string& file) : lines_(file) {}

    /// The next line's value. Blank lines may end the stream; anywhere else they are an error, since answers
    /// would no longer stand on the lines of their questions.
    /// @return false at the end @throws Error{io, format}
    bool next(Json& value);

    /// An error about the line that next() gave.
    Error error(const std::string& message) const;

    /// Calls `work` and gives errors from it the line's place.
    template <typename Work>
    auto located(Work&& work) const {
        try {
            return work();
        } catch (const Error& failure) {
            throw_error(failure.kind(), failure.message(), {.file = lines_.name(), .field = place()},
                        failure.hint());
        }
    }

  private:
    std::string place() const { return "line " + std::to_string(lines_.number()); }

    LineReader lines_;
};

}  // namespace mm
