// Puts a set of files into a folder all together or not at all.
//
//   OUT/.mm-lab/            the stage: new files are written here and flushed to the disk
//   OUT/.mm-lab/journal     its appearance, by one rename, is the moment the new set counts
//   OUT/NAME                each staged file is then renamed over the earlier one, and the stage goes away
//
// A run that fails or is killed before the journal leaves the earlier files byte for byte, and the next run
// clears its stage; one that is killed after it is completed by the next run. Only the folder itself is
// written, never its parent (unless the folder has to be made). Two runs into one folder are kept apart by
// flock(2) on it. Knows nothing of the lab.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "native/files/file.hpp"
#include "native/terminal/signals.hpp"

namespace mm {

class ResultFolder {
  public:
    /// Called before every change of the disk, with what is about to be done. Tests stop the world there.
    using Watcher = std::function<void(std::string_view step)>;

    static constexpr std::string_view kStage = ".mm-lab";
    static constexpr std::string_view kJournal = "journal";

    /// Makes the folder when it is missing (with its parents), locks it, completes what an interrupted run
    /// left to do and clears what it left half written.
    /// @param path may be a symbolic link to a folder
    /// @throws Error{io} naming the path: not a folder, not writable, or another run is at work there
    explicit ResultFolder(const std::string& path, Watcher watcher = {});
    /// Without commit(): the folder is as it was, and goes away again when this object made it.
    ~ResultFolder();
    ResultFolder(const ResultFolder&) = delete;
    ResultFolder& operator=(const ResultFolder&) = delete;

    /// Files of an interrupted run that the constructor put in place; empty when there was none.
    const std::vector<std::string>& completed() const { return completed_; }

    /// Stages one file. @param name a plain file name @throws Error{io}
    void write(const std::string& name, std::string_view content);

    /// Puts every staged file in place. @throws Error{io}; after the journal, the next run completes the
    /// rest.
    void commit();

  private:
    void open_folder();
    void lock();
    void recover();
    void make_stage();
    void clear_stage();
    void put_in_place(const std::vector<std::string>& names);
    std::vector<std::string> read_journal() const;
    void write_staged(const std::string& name, std::string_view content);
    void flush(const Descriptor& folder, const std::string& name) const;
    void step(std::string_view what) const;
    std::string inside(std::string_view name) const;
    std::string staged(std::string_view name) const;

    std::string path_;
    Watcher watcher_;
    std::vector<std::string> made_;      // folders this object created, outermost first
    std::deque<Unfinished> unfinished_;  // the stage and made_: gone too when a signal ends the program
    Descriptor folder_;
    Descriptor stage_;
    std::vector<std::string> names_;
    std::vector<std::string> completed_;
    bool journaled_ = false;  // the new set counts: nothing may be cleared any more
};

}  // namespace mm
