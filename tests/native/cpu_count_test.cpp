// How many cores a container pays for, from made files: control groups of both versions.
#include "native/loading/cpu_count.hpp"

#include <gtest/gtest.h>

#include "tests/native/temporary_folder.hpp"

namespace mm {
namespace {

class Quota : public testing::Test {
  protected:
    void file(const std::string& name, const std::string& text) {
        std::filesystem::create_directories((folder_.path() / name).parent_path());
        write_text(folder_.path() / name, text);
    }
    int cores() { return quota_cores(folder_ / "cgroup", folder_ / "fs"); }

    TemporaryFolder folder_;
};

TEST_F(Quota, Version2CountsWholeCoresOfTheTightestGroup) {
    file("cgroup", "0::/a/b\n");
    EXPECT_EQ(cores(), 0);
    file("fs/a/b/cpu.max", "max 100000\n");
    EXPECT_EQ(cores(), 0);
    file("fs/a/cpu.max", "350000 100000\n");
    EXPECT_EQ(cores(), 3);
    file("fs/a/b/cpu.max", "200000 100000\n");
    EXPECT_EQ(cores(), 2);
    file("fs/a/b/cpu.max", "50000 100000\n");
    EXPECT_EQ(cores(), 1);  // half a core: one thread, throttled
}

TEST_F(Quota, AContainerSeesItsOwnGroupAsTheRoot) {
    file("cgroup", "0::/docker/0123\n");  // a path of the host's, which is not here
    file("fs/cpu.max", "250000 100000\n");
    EXPECT_EQ(cores(), 2);
}

TEST_F(Quota, Version1HasTwoFilesUnderTheCpuController) {
    file("cgroup", "5:memory:/x\n4:cpuset:/y\n3:cpu,cpuacct:/z\n");
    file("fs/cpu/x/cpu.cfs_quota_us", "100000\n");  // of another controller's group
    file("fs/cpu/x/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cores(), 0);
    file("fs/cpu/z/cpu.cfs_quota_us", "-1\n");
    file("fs/cpu/z/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cores(), 0);
    file("fs/cpu/z/cpu.cfs_quota_us", "400000\n");
    EXPECT_EQ(cores(), 4);
}

TEST_F(Quota, WhatCannotBeReadIsNoQuota) {
    EXPECT_EQ(cores(), 0);
    file("cgroup", "nonsense\n0::/a\n");
    file("fs/a/cpu.max", "many of them\n");
    EXPECT_EQ(cores(), 0);
    file("fs/a/cpu.max", "200000 0\n");
    EXPECT_EQ(cores(), 0);
}

TEST(UsableCores, AreAtLeastOne) {
    EXPECT_GE(usable_cores(), 1);
}

}  // namespace
}  // namespace mm
