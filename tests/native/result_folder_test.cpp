// All files or none: the folder's promise, with the world stopped before every single change of the disk.
#include "native/files/result_folder.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <string_view>

#include "temporary_folder.hpp"

namespace mm {
namespace {

using Files = std::map<std::string, std::string>;

const Files kOld = {{"a.json", "old a"}, {"b.json", "old b"}, {"c.md", "old c"}};
const Files kNew = {{"a.json", "new a, longer than before"}, {"b.json", ""}, {"c.md", "new c"}};

// What a user would list: every file but the stage.
Files visible(const std::filesystem::path& folder) {
    Files files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().filename() != ResultFolder::kStage) {
            files[entry.path().filename()] = read_text(entry.path());
        }
    }
    return files;
}

void fill(const std::filesystem::path& folder, const Files& files) {
    for (const auto& [name, content] : files) write_text(folder / name, content);
}

void run(const std::string& folder, const Files& files, ResultFolder::Watcher watcher = {}) {
    ResultFolder out(folder, std::move(watcher));
    for (const auto& [name, content] : files) out.write(name, content);
    out.commit();
}

// The steps a whole run takes, in order.
std::vector<std::string> steps_of_a_run() {
    const TemporaryFolder folder;
    fill(folder.path(), kOld);
    std::vector<std::string> steps;
    run(folder.str(), kNew, [&](std::string_view step) { steps.emplace_back(step); });
    return steps;
}

TEST(ResultFolder, PutsFilesInPlaceAndLeavesNothingElse) {
    const TemporaryFolder folder;
    fill(folder.path(), kOld);
    write_text(folder.path() / "mine.txt", "mine");
    run(folder.str(), kNew);
    Files expected = kNew;
    expected["mine.txt"] = "mine";
    EXPECT_EQ(visible(folder.path()), expected);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / ResultFolder::kStage));
}

TEST(ResultFolder, KilledBeforeAnyStepLeavesOneWholeSet) {
    const std::vector<std::string> steps = steps_of_a_run();
    ASSERT_GT(steps.size(), 15U);
    bool journaled = false;
    for (std::size_t stop = 0; stop < steps.size(); ++stop) {
        const TemporaryFolder folder;
        fill(folder.path(), kOld);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            std::size_t count = 0;
            run(folder.str(), kNew, [&](std::string_view) {
                if (count++ == stop) _exit(9);
            });
            _exit(0);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9) << steps[stop];
        if (!journaled) {
            EXPECT_EQ(visible(folder.path()), kOld) << "killed before: " << steps[stop];
        }
        {
            const ResultFolder next(folder.str());  // opened and given up: recovery alone
            EXPECT_EQ(!next.completed().empty(), journaled && steps[stop] != "remove stage") << steps[stop];
        }
        EXPECT_EQ(visible(folder.path()), journaled ? kNew : kOld) << "killed before: " << steps[stop];
        EXPECT_FALSE(std::filesystem::exists(folder.path() / ResultFolder::kStage)) << steps[stop];
        journaled = journaled || steps[stop] == "journal";
    }
    EXPECT_TRUE(journaled);
}

TEST(ResultFolder, KilledDuringRecoveryIsRecoveredByTheNext) {
    const TemporaryFolder folder;
    fill(folder.path(), kOld);
    const auto stop_at = [&](const std::string& wanted) {
        const pid_t child = fork();
        if (child == 0) {
            run(folder.str(), kNew, [&](std::string_view step) {
                if (step == wanted) _exit(9);
            });
            _exit(0);
        }
        int status = 0;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        return WEXITSTATUS(status);
    };
    EXPECT_EQ(stop_at("rename a.json"), 9);
    EXPECT_EQ(visible(folder.path()), kOld);
    EXPECT_EQ(stop_at("rename c.md"), 9);  // in recovery
    EXPECT_EQ(stop_at("remove journal"), 9);
    EXPECT_EQ(visible(folder.path()), kNew);
    const ResultFolder next(folder.str());
    EXPECT_EQ(next.completed().size(), kNew.size());
    EXPECT_EQ(visible(folder.path()), kNew);
}

TEST(ResultFolder, AFailureBeforeTheJournalChangesNothing) {
    const std::vector<std::string> steps = steps_of_a_run();
    const auto journal = std::find(steps.begin(), steps.end(), "journal");
    ASSERT_NE(journal, steps.end());
    for (auto stop = steps.begin(); stop <= journal; ++stop) {
        const TemporaryFolder folder;
        fill(folder.path(), kOld);
        const auto fail = [&, count = std::ptrdiff_t{0}](std::string_view) mutable {
            if (count++ == stop - steps.begin()) throw io_error("disk", "cannot be written", ENOSPC);
        };
        EXPECT_THROW(run(folder.str(), kNew, fail), Error) << *stop;
        EXPECT_EQ(visible(folder.path()), kOld) << *stop;
        EXPECT_FALSE(std::filesystem::exists(folder.path() / ResultFolder::kStage)) << *stop;
    }
}

TEST(ResultFolder, AFailureAfterTheJournalIsCompletedByTheNext) {
    const TemporaryFolder folder;
    fill(folder.path(), kOld);
    const auto fail = [](std::string_view step) {
        if (step == "rename b.json") throw io_error("disk", "cannot be written", EIO);
    };
    EXPECT_THROW(run(folder.str(), kNew, fail), Error);
    EXPECT_EQ(read_text(folder.path() / "a.json"), kNew.at("a.json"));
    EXPECT_EQ(read_text(folder.path() / "b.json"), kOld.at("b.json"));
    const ResultFolder next(folder.str());
    EXPECT_EQ(visible(folder.path()), kNew);
}

TEST(ResultFolder, AFailureAtAnyStepAfterTheJournalIsCompletedByTheNext) {
    const std::vector<std::string> steps = steps_of_a_run();
    const auto journal = std::find(steps.begin(), steps.end(), "journal");
    ASSERT_LT(journal + 5, steps.end());
    for (auto stop = journal + 1; stop < steps.end(); ++stop) {
        const TemporaryFolder folder;
        fill(folder.path(), kOld);
        const auto fail = [&, count = std::ptrdiff_t{0}](std::string_view) mutable {
            if (count++ == stop - steps.begin()) throw io_error("disk", "cannot be written", EIO);
        };
        EXPECT_THROW(run(folder.str(), kNew, fail), Error) << *stop;
        { const ResultFolder next(folder.str()); }
        EXPECT_EQ(visible(folder.path()), kNew) << *stop;
        EXPECT_FALSE(std::filesystem::exists(folder.path() / ResultFolder::kStage)) << *stop;
    }
}

// `work` sets limits, so a child does it. It must fail with a line that holds `what`; nothing has changed
// then.
void expect_refusal(const TemporaryFolder& folder, std::string_view what, const std::function<void()>& work) {
    fill(folder.path(), kOld);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        try {
            work();
        } catch (const Error& error) {
            _exit(std::string_view(error.what()).find(what) != std::string_view::npos ? 7 : 1);
        }
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(visible(folder.path()), kOld);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / ResultFolder::kStage));
}

TEST(ResultFolder, AFullDiskChangesNothing) {
    const TemporaryFolder folder;
    expect_refusal(folder, "b.json: cannot be written: File too large", [&] {
        // A limit on file sizes is the nearest thing to a full disk that needs no privileges.
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        run(folder.str(), {{"a.json", "x"}, {"b.json", std::string(100000, 'x')}});
    });
}

// No descriptor is left when the stage was just made: it is not left behind either.
TEST(ResultFolder, AStageThatCannotBeOpenedIsTakenBack) {
    const TemporaryFolder folder;
    expect_refusal(folder, "cannot be opened: Too many open files", [&] {
        run(folder.str(), kNew, [](std::string_view step) {
            if (step != "make stage") return;
            const auto next = static_cast<rlim_t>(dup(0));
            const rlimit limit{next, next};
            setrlimit(RLIMIT_NOFILE, &limit);
        });
    });
}

TEST(ResultFolder, MakesMissingFoldersAndTakesThemBackOnFailure) {
    const TemporaryFolder folder;
    const std::filesystem::path deep = folder.path() / "x" / "y";
    { const ResultFolder given_up(deep.string()); }
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "x"));
    run(deep.string() + "/", kNew);
    EXPECT_EQ(visible(deep), kNew);
}

TEST(ResultFolder, FollowsALinkToAFolder) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "real");
    std::filesystem::create_directory_symlink("real", folder.path() / "link");
    run((folder.path() / "link").string(), kNew);
    EXPECT_EQ(visible(folder.path() / "real"), kNew);
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
}

TEST(ResultFolder, RefusesASecondRunAtOnce) {
    const TemporaryFolder folder;
    const ResultFolder first(folder.str());
    try {
        const ResultFolder second(folder.str());
        FAIL() << "two runs in one folder";
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()), folder.str() + ": another run is writing into this folder");
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path() / ResultFolder::kStage))
        << "the first run's stage stays";
}

TEST(ResultFolder, RefusesWhatIsInTheWay) {
    const TemporaryFolder folder;
    write_text(folder.path() / "file", "x");
    EXPECT_THROW(ResultFolder((folder.path() / "file").string()), Error);
    EXPECT_THROW(ResultFolder((folder.path() / "file" / "below").string()), Error);
    EXPECT_THROW(ResultFolder(""), Error);
    std::filesystem::create_directory(folder.path() / "a.json");
    fill(folder.path(), {{"b.json", "old b"}});
    EXPECT_THROW(run(folder.str(), kNew), Error);
    EXPECT_EQ(read_text(folder.path() / "b.json"), "old b");
    EXPECT_FALSE(std::filesystem::exists(folder.path() / ResultFolder::kStage));
}

TEST(ResultFolder, TrustsNoForeignJournal) {
    for (const char* text : {"{\"version\": 1, \"files\": [\"../evil\"]}", "{\"files\": [\"journal\"]}", "[]",
                             "{\"files\": 3}", "", "not json"}) {
        const TemporaryFolder folder;
        const std::filesystem::path stage = folder.path() / ResultFolder::kStage;
        std::filesystem::create_directory(stage);
        write_text(stage / "journal", text);
        write_text(stage / "evil", "x");
        EXPECT_THROW(ResultFolder(folder.str()), Error) << text;
        EXPECT_FALSE(std::filesystem::exists(folder.path().parent_path() / "evil"));
    }
    // A stage that is a link is somebody else's folder.
    const TemporaryFolder folder;
    const TemporaryFolder other;
    write_text(other.path() / "precious", "x");
    std::filesystem::create_directory_symlink(other.path(), folder.path() / ResultFolder::kStage);
    EXPECT_THROW(ResultFolder(folder.str()), Error);
    EXPECT_TRUE(std::filesystem::exists(other.path() / "precious"));
}

}  // namespace
}  // namespace mm
