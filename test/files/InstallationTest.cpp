// SPDX-License-Identifier: Apache-2.0
//
// What an installation does with it: test/install.

#include "files/installation.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace npu::files;

TEST(Installation, OwnFolderIsThatOfTheProgram) {
  std::string program = ownFolder() + "/files-InstallationTest";
  EXPECT_EQ(access(program.c_str(), X_OK), 0) << program;
  EXPECT_EQ(program[0], '/');
}

TEST(Installation, FindsTheShippedTargetsWithoutLinks) {
  std::string targets = installedPath("share/npuc/targets");
  struct stat info;
  ASSERT_EQ(lstat(targets.c_str(), &info), 0) << targets;
  EXPECT_TRUE(S_ISDIR(info.st_mode));
  EXPECT_EQ(access((targets + "/npu-nhwc.yaml").c_str(), R_OK), 0);
}

TEST(Installation, WhatIsNotThereHasNoPath) {
  EXPECT_EQ(installedPath("share/npuc/no-such-folder"), "");
}
