// Folders that try to make the grader follow, wait, swallow or crash.
#include "native/files/submission_folder.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <vector>

#include "temporary_folder.hpp"

namespace mm {
namespace {

const std::vector<std::string_view> kNames = {"same.json", "report.md"};

Submission read(const std::string& path) {
    return read_submission(path, kNames);
}

TEST(SubmissionFolder, ReadsTheNamedFilesOnly) {
    const TemporaryFolder folder;
    write_text(folder / "same.json", "{}\n");
    write_text(folder / "other.txt", "not asked for");
    const Submission found = read(folder.str());
    EXPECT_EQ(found.folder, FileState::present);
    EXPECT_EQ(found.name, folder.str());
    EXPECT_FALSE(found.interrupted);
    ASSERT_EQ(found.files.size(), 1U);
    EXPECT_EQ(found.file("same.json").text, "{}\n");
    EXPECT_EQ(found.file("report.md").state, FileState::missing);
}

TEST(SubmissionFolder, LinksAreNotFollowed) {
    const TemporaryFolder folder;
    write_text(folder / "secret", "the answers");
    std::filesystem::create_directory(folder / "in");
    std::filesystem::create_symlink(folder / "secret", folder / "in/same.json");
    std::filesystem::create_symlink("nowhere", folder / "in/report.md");
    std::filesystem::create_directory_symlink(folder / "in", folder / "link");
    const Submission found = read(folder / "in");
    EXPECT_EQ(found.file("same.json").state, FileState::link);
    EXPECT_EQ(found.file("same.json").text, "");
    EXPECT_EQ(found.file("report.md").state, FileState::link);
    EXPECT_EQ(read(folder / "link").folder, FileState::link);
    EXPECT_EQ(read(folder / "link/").folder, FileState::link) << "a slash does not help";
    EXPECT_TRUE(read(folder / "link").files.empty());
}

TEST(SubmissionFolder, OneFolderInsideIsTaken) {
    const TemporaryFolder folder;
    for (const char* inside : {"infer", "__MACOSX", ".git", "pictures"}) {
        std::filesystem::create_directory(folder / inside);
    }
    write_text(folder / ".DS_Store", "");
    write_text(folder / "infer/same.json", "{}");
    write_text(folder / "infer/Report.md", "");
    write_text(folder / "__MACOSX/same.json", "");
    write_text(folder / ".git/same.json", "");
    std::filesystem::create_directory_symlink(folder / "infer", folder / "link");
    const Submission one = read(folder.str());
    EXPECT_EQ(one.below, "infer");
    EXPECT_EQ(one.name, folder.str());
    EXPECT_EQ(one.file("same.json").text, "{}");
    EXPECT_EQ(one.others, std::vector<std::string>{"Report.md"});

    write_text(folder / "pictures/report.md", "");
    const Submission two = read(folder.str());
    EXPECT_EQ(two.below, "");
    EXPECT_TRUE(two.files.empty());
    EXPECT_EQ(two.several, (std::vector<std::string>{"infer", "pictures"}));

    write_text(folder / "report.md", "# mine");
    const Submission own = read(folder.str());
    EXPECT_TRUE(own.below.empty() && own.several.empty()) << "files of the folder itself come first";
    EXPECT_EQ(own.file("report.md").text, "# mine");
    EXPECT_EQ(own.file("same.json").state, FileState::missing);
    EXPECT_EQ(own.others, std::vector<std::string>{".DS_Store"});
}

TEST(SubmissionFolder, SpecialFilesAreRefusedWithoutWaiting) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "same.json").c_str(), 0600), 0);
    std::filesystem::create_directory(folder / "report.md");
    const Submission found = read(folder.str());
    EXPECT_EQ(found.file("same.json").state, FileState::special);
    EXPECT_EQ(found.file("report.md").state, FileState::special);

    const TemporaryFolder other;
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = other / "same.json";
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(read(other.str()).file("same.json").state, FileState::special);
    ::close(fd);
}

TEST(SubmissionFolder, LimitsAndHoles) {
    const TemporaryFolder folder;
    write_text(folder / "same.json", std::string(kSubmittedFileLimit, ' '));
    write_text(folder / "report.md", "");
    ASSERT_EQ(::truncate((folder / "report.md").c_str(), off_t{1} << 40), 0)
        << "a terabyte that takes no room";
    const Submission found = read(folder.str());
    EXPECT_EQ(found.file("same.json").state, FileState::present);
    EXPECT_EQ(found.file("same.json").text.size(), kSubmittedFileLimit);
    EXPECT_EQ(found.file("report.md").state, FileState::too_large);
    EXPECT_EQ(found.file("report.md").text, "");
}

TEST(SubmissionFolder, FoldersThatAreNone) {
    const TemporaryFolder folder;
    write_text(folder / "file", "");
    EXPECT_EQ(read(folder / "nowhere").folder, FileState::missing);
    EXPECT_EQ(read(folder / "file").folder, FileState::special);
    EXPECT_EQ(read("").folder, FileState::missing);
    EXPECT_EQ(read(std::string(5000, 'x')).folder, FileState::unreadable);
    if (::geteuid() != 0) {
        std::filesystem::permissions(folder.path(), std::filesystem::perms::none);
        EXPECT_EQ(read(folder.str()).folder, FileState::unreadable);
        std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
    }
}

TEST(SubmissionFolder, AnInterruptedLabIsNamed) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / ".mm-lab");
    EXPECT_FALSE(read(folder.str()).interrupted) << "stopped before its results counted";
    write_text(folder / ".mm-lab/journal", "same.json\n");
    EXPECT_TRUE(read(folder.str()).interrupted);
}

}  // namespace
}  // namespace mm
