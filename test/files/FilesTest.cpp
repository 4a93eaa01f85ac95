// SPDX-License-Identifier: Apache-2.0
//
// The files of a call: whole or not at all, all or none, and none in the place
// of another.

#include "files/output_files.h"
#include "test/runtime/DemoFile.h"
#include "test/runtime/FullDisk.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace npu::test {
namespace {

namespace fs = std::filesystem;
using files::OutputFiles;

TEST(OutputFiles, AppearTogetherAtCommit) {
  std::string folder = emptyFolder("commit");
  writeFile(folder + "b", "old");
  {
    OutputFiles files;
    ASSERT_EQ(files.write(folder + "a", "12345"), "");
    ASSERT_EQ(files.write(folder + "b", "new", "er", 2), "");
    EXPECT_FALSE(fs::exists(folder + "a"));
    EXPECT_EQ(readFile(folder + "b"), "old");
    ASSERT_EQ(files.commit(), "");
  }
  EXPECT_EQ(readFile(folder + "a"), "12345");
  EXPECT_EQ(readFile(folder + "b"), "newer");
  EXPECT_EQ(filesIn(folder), 2u);
}

TEST(OutputFiles, LeaveNothingWithoutCommit) {
  std::string folder = emptyFolder("abandoned");
  {
    OutputFiles files;
    ASSERT_EQ(files.write(folder + "a", "12345"), "");
  }
  EXPECT_EQ(filesIn(folder), 0u);
}

TEST(OutputFiles, AllOrNoneIfOneCannotHaveItsName) {
  std::string folder = emptyFolder("blocked");
  writeFile(folder + "old", "old");
  OutputFiles files;
  ASSERT_EQ(files.write(folder + "new", "1"), "");
  ASSERT_EQ(files.write(folder + "old", "2"), "");
  ASSERT_EQ(files.write(folder + "blocked", "3"), "");
  // Somebody was faster.
  fs::create_directory(folder + "blocked");
  std::string failure = files.commit();
  EXPECT_NE(failure.find("blocked': Is a directory"), std::string::npos)
      << failure;
  EXPECT_FALSE(fs::exists(folder + "new"));
  EXPECT_EQ(readFile(folder + "old"), "old");
  EXPECT_EQ(filesIn(folder), 2u);
}

TEST(OutputFiles, MoreThanMayBeOpen) {
  std::string folder = emptyFolder("many");
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = {20, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  OutputFiles files;
  std::string failure;
  for (int i = 0; i < 40 && failure.empty(); ++i)
    failure = files.write(folder + std::to_string(i), "x");
  if (failure.empty())
    failure = files.commit();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(failure, "");
  EXPECT_EQ(filesIn(folder), 40u);
}

TEST(OutputFiles, KeepLinksAndThePermissionsOfTheUmask) {
  std::string folder = emptyFolder("links");
  writeFile(folder + "real", "old");
  fs::create_symlink("real", folder + "link");
  fs::create_symlink("none", folder + "dangling");
  mode_t mask = umask(027);
  OutputFiles files;
  ASSERT_EQ(files.write(folder + "link", "new"), "");
  ASSERT_EQ(files.write(folder + "dangling", "made"), "");
  umask(mask);
  ASSERT_EQ(files.commit(), "");
  EXPECT_TRUE(fs::is_symlink(folder + "link"));
  EXPECT_TRUE(fs::is_symlink(folder + "dangling"));
  EXPECT_EQ(readFile(folder + "real"), "new");
  EXPECT_EQ(readFile(folder + "none"), "made");
  struct stat info;
  ASSERT_EQ(stat((folder + "real").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, mode_t(0640));
}

TEST(OutputFiles, NamesAsLongAsNamesMayBe) {
  std::string path = emptyFolder("long") + std::string(255, 'n');
  OutputFiles files;
  ASSERT_EQ(files.write(path, "x"), "");
  ASSERT_EQ(files.commit(), "");
  EXPECT_EQ(readFile(path), "x");
}

TEST(OutputFiles, MissingFolder) {
  OutputFiles files;
  std::string folder = scratchFolder() + "no/such/folder";
  std::string failure = files.write(folder + "/a", "x");
  EXPECT_NE(failure.find("there is no folder '" + folder + "'; make it first"),
            std::string::npos)
      << failure;
}

TEST(OutputFiles, LinksThatEndNowhereStay) {
  std::string folder = emptyFolder("loop");
  fs::create_symlink("b", folder + "a");
  fs::create_symlink("a", folder + "b");
  OutputFiles files;
  std::string failure = files.write(folder + "a", "x");
  EXPECT_NE(failure.find("Too many levels of symbolic links"),
            std::string::npos)
      << failure;
  EXPECT_TRUE(fs::is_symlink(folder + "a") && fs::is_symlink(folder + "b"));
}

/// As the system's own programs: who may lay links into /tmp could choose which
/// of our files is replaced.
TEST(OutputFiles, LinksOfOthersInFoldersOfAllAreNotFollowed) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can make another's link";
  constexpr uid_t nobody = 65534;
  std::string folder = emptyFolder("sticky"), mine = emptyFolder("mine");
  ASSERT_EQ(chmod(folder.c_str(), 01777), 0);
  writeFile(mine + "precious", "old");
  std::string link = folder + "out";
  fs::create_symlink(mine + "precious", link);
  ASSERT_EQ(lchown(link.c_str(), nobody, nobody), 0);
  {
    OutputFiles files;
    ASSERT_EQ(files.write(link, "new"), "");
    ASSERT_EQ(files.commit(), "");
  }
  EXPECT_EQ(readFile(mine + "precious"), "old");
  EXPECT_FALSE(fs::is_symlink(link));
  EXPECT_EQ(readFile(link), "new");
}

TEST(OutputFiles, FullDiskKeepsEverything) {
  std::string folder = emptyFolder("full-disk");
  writeFile(folder + "a", "old");
  OutputFiles files;
  FullDisk disk(100);
  ASSERT_EQ(files.write(folder + "a", "new"), "");
  std::string failure = files.write(folder + "b", std::string(200, 'x'));
  EXPECT_NE(failure.find("b': File too large; free some space"),
            std::string::npos)
      << failure;
  EXPECT_EQ(readFile(folder + "a"), "old");
}

TEST(OutputFiles, DevicesAreWrittenInPlace) {
  OutputFiles files;
  std::string failure = files.write("/dev/full", "12345");
  EXPECT_NE(failure.find("No space left on device"), std::string::npos)
      << failure;
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

/// What standard output holds before and after stays: the file that it goes to
/// is neither replaced nor written from its start.
TEST(OutputFiles, StandardOutputIsAppendedTo) {
  std::string path = emptyFolder("stdout") + "log";
  for (const char *name :
       {files::standardOutput, "/dev/fd/1", "/proc/self/fd/1"}) {
    pid_t child = fork();
    if (child == 0) {
      int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      dup2(fd, STDOUT_FILENO);
      (void)!write(STDOUT_FILENO, "before ", 7);
      OutputFiles files;
      bool good =
          files.write(name, "output ").empty() && files.commit().empty();
      (void)!write(STDOUT_FILENO, "after", 5);
      _exit(good ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(readFile(path), "before output after") << name;
  }
}

/// Two names of one file: spellings, links, and files that are not there yet.
struct Alias {
  const char *test, *first, *second;
  bool same;
};

class Clash : public testing::TestWithParam<Alias> {
protected:
  static std::string makeFolder() {
    std::string folder = emptyFolder("clash");
    fs::create_directories(folder + "real/deep");
    fs::create_directory_symlink("real", folder + "linked");
    fs::create_directory_symlink(folder, folder + "real/up");
    writeFile(folder + "old", "x");
    writeFile(folder + "other", "x");
    fs::create_symlink("old", folder + "soft");
    fs::create_symlink("soft", folder + "softer");
    fs::create_hard_link(folder + "old", folder + "hard");
    fs::create_symlink("real/not-yet", folder + "dangling");
    fs::create_symlink("loop", folder + "loop");
    EXPECT_EQ(mkfifo((folder + "pipe").c_str(), 0600), 0);
    return folder;
  }
  static const std::string &folder() {
    static const std::string made = makeFolder();
    return made;
  }
  static std::string path(const std::string &name) {
    return name[0] == '/' ? name : folder() + name;
  }
};

TEST_P(Clash, IsFound) {
  const Alias &alias = GetParam();
  std::string first = path(alias.first), second = path(alias.second);
  OutputFiles replacing;
  replacing.reads("the model", first);
  replacing.writes("-o", second);
  OutputFiles writing;
  writing.writes("-o", first);
  writing.writes("--report", second);
  if (!alias.same) {
    EXPECT_EQ(replacing.clash(), "");
    EXPECT_EQ(writing.clash(), "");
    return;
  }
  EXPECT_EQ(replacing.clash(), "-o '" + second + "' would replace the model '" +
                                   first + "'; name another file");
  EXPECT_EQ(writing.clash(), "--report '" + second + "' would replace -o '" +
                                 first + "'; name two files");
}

const Alias aliases[] = {
    {"Equal", "old", "old", true},
    {"Spelling", "old", "./real/../old", true},
    {"SoftLink", "old", "soft", true},
    {"ChainOfLinks", "softer", "old", true},
    {"HardLink", "old", "hard", true},
    {"SoftToHard", "soft", "hard", true},
    {"ThroughALinkedFolder", "old", "real/up/old", true},
    {"Different", "old", "other", false},
    {"NewEqual", "new", "new", true},
    {"NewSpelling", "new", "./new", true},
    {"NewSlashes", "new", ".//new", true},
    {"NewInALinkedFolder", "linked/new", "real/new", true},
    {"NewUpAndDown", "real/deep/../new", "linked/new", true},
    {"NewBehindADanglingLink", "dangling", "linked/not-yet", true},
    {"NewDifferentNames", "new", "newer", false},
    {"NewDifferentFolders", "new", "real/new", false},
    {"NewAndOld", "new", "old", false},
    {"LinkToItself", "loop", "old", false},
    {"Devices", "/dev/null", "/dev/null", false},
    {"Pipes", "pipe", "pipe", false},
};
INSTANTIATE_TEST_SUITE_P(Files, Clash, testing::ValuesIn(aliases),
                         [](const testing::TestParamInfo<Alias> &info) {
                           return std::string(info.param.test);
                         });

/// How a process ends that has written a file when `number` comes: 0 or the
/// signal; `ignored`: as under nohup.
int endOfWriter(const std::string &folder, int number, bool ignored) {
  pid_t child = fork();
  if (child == 0) {
    std::signal(number, ignored ? SIG_IGN : SIG_DFL);
    files::prepareProcess();
    OutputFiles files;
    bool good = files.write(folder + "a", "new").empty();
    files::TemporaryName scratch = files::makeTemporaryFolder(folder);
    for (const char *name : {"/a", "/b"})
      writeFile(scratch.path() + name, "x");
    std::raise(number);
    good &= files.commit().empty();
    std::_Exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(Signals, LeaveNothingBehind) {
  std::string folder = emptyFolder("signals");
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU}) {
    EXPECT_EQ(endOfWriter(folder, number, false), number);
    EXPECT_EQ(filesIn(folder), 0u) << strsignal(number);
  }
}

TEST(Signals, ThatAreIgnoredStayIgnored) {
  std::string folder = emptyFolder("nohup");
  EXPECT_EQ(endOfWriter(folder, SIGHUP, true), 0);
  EXPECT_EQ(readFile(folder + "a"), "new");
}

/// A signal while the names are given waits until all have theirs.
TEST(Signals, WaitForTheirMoment) {
  std::string folder = emptyFolder("moment");
  pid_t child = fork();
  if (child == 0) {
    files::prepareProcess();
    OutputFiles files;
    bool good = files.write(folder + "a", "new").empty();
    {
      files::SignalsWait wait;
      std::raise(SIGTERM);
      good &= files.commit().empty();
      if (!good)
        std::_Exit(1);
    }
    std::_Exit(2); // the signal was lost
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(readFile(folder + "a"), "new");
  EXPECT_EQ(filesIn(folder), 1u);
}

TEST(Process, ExitRemovesWhatIsTemporary) {
  static std::string folder = emptyFolder("exit");
  pid_t child = fork();
  if (child == 0) {
    // The last of what exit() calls; not what is static in the parent.
    std::atexit([] { std::_Exit(filesIn(folder) == 0 ? 0 : 1); });
    files::prepareProcess();
    OutputFiles files;
    bool good = files.write(folder + "a", "new").empty();
    if (good && filesIn(folder) == 1)
      std::exit(0);
    std::_Exit(2);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(filesIn(folder), 0u);
}

/// Else the first file that is opened would get what is printed.
TEST(Process, ClosedStreamsAreNoFiles) {
  std::string folder = emptyFolder("closed");
  pid_t child = fork();
  if (child == 0) {
    close(STDOUT_FILENO);
    files::prepareProcess();
    OutputFiles files;
    bool good = files.write(folder + "a", "new").empty();
    ssize_t printed = write(STDOUT_FILENO, "printed", 7);
    good &= files.commit().empty();
    std::_Exit(good && printed < 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(readFile(folder + "a"), "new");
}

} // namespace
} // namespace npu::test
