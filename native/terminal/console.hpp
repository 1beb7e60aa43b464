// The two streams of a command: results on standard output; notes and a progress line on standard error.
#pragma once

#include <string>
#include <string_view>

#include "native/terminal/output.hpp"

namespace mm {

class Console {
  public:
    Console();
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    Output out;

    /// "mm-native: TEXT" on standard error; a failure to write it is nobody's business. The text may
    /// hold names from anywhere: it is shown as printable() shows it.
    void note(std::string_view text);

    /// Redraws the progress line: a label, a bar and the percentage, as wide as the terminal allows. Nothing
    /// is shown unless standard error is a terminal that can move its cursor.
    /// @param fraction 0 … 1
    void progress(std::string_view label, double fraction);
    /// Takes the progress line away. Called by note() and by the destructor too.
    void clear_progress();

    /// True when results may carry colour and weight: a terminal, and NO_COLOR unset.
    bool styled() const { return styled_; }
    /// Text that a model wrote: unchanged in a file or pipe; on a terminal, which would obey it, as
    /// mm::printable() shows it, line breaks and tabs kept.
    std::string printable(std::string_view text) const;
    /// Columns of the terminal that shows results; 80 when there is none.
    int columns() const;

  private:
    bool moving_;
    bool styled_;
    bool shown_ = false;
    std::string last_;
};

/// The progress line itself, at most `columns` wide: "time     ━━━━━━━━━━───────────  48 %".
std::string progress_line(std::string_view label, double fraction, int columns, bool coloured);

}  // namespace mm
