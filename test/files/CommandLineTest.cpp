// SPDX-License-Identifier: Apache-2.0
//
// What all command lines have in common, on one that no program has.

#include "files/command_line.h"

#include <gtest/gtest.h>

namespace npu::files {
namespace {

struct Given {
  std::string model, kind = "a", target, count, log;
  std::vector<std::string> shapes;
  bool isLoud = false;
  int size = 0;
};

/// The exit code, or nothing; what was printed is in `out` and `err`.
struct Call {
  Given given;
  std::optional<int> code;
  std::string out, err;

  explicit Call(std::vector<std::string> words,
                const std::function<void()> &finish = {}) {
    CLI::App app("prog does nothing.", "prog");
    app.add_option("model", given.model)->required();
    app.add_option("--shape", given.shapes, "of an input; may be repeated")
        ->type_name("NAME=SHAPE");
    app.add_option("--kind", given.kind, "what: it is")
        ->check(oneOf({"alpha", "beta"}));
    app.add_option("-t,--target", given.target, "chip")
        ->check(suchAs({"host"}));
    app.add_option("--count", given.count)->type_name("N");
    app.add_option("--size", given.size)->type_name("N");
    app.add_flag("--loud", given.isLoud);
    app.add_flag("--log{-}", given.log);
    prepareCommandLine(app,
                       {"1.2", "", "  prog x\n", {exitSuccess, exitUsage}});
    words.insert(words.begin(), "prog");
    std::vector<char *> pointers;
    for (std::string &word : words)
      pointers.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    code = readCommandLine(app, static_cast<int>(pointers.size()),
                           pointers.data(), finish);
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
  }
};

using Names = std::vector<std::string>;

TEST(CommandLine, RepeatedOptionsTakeOneValueEach) {
  Call run({"--shape", "x=1,3", "--shape", "y=[1]", "model.onnx"});
  EXPECT_EQ(run.code, std::nullopt) << run.err;
  EXPECT_EQ(run.given.shapes, (Names{"x=1,3", "y=[1]"}));
  EXPECT_EQ(run.given.model, "model.onnx");
}

TEST(CommandLine, WhatWasMeant) {
  // The model is missing, too, but that is not what is to be said.
  EXPECT_EQ(Call({"--shap", "x=1"}).err,
            "prog: error: unknown option '--shap'; did you mean '--shape'?; "
            "see prog --help\n");
  EXPECT_EQ(Call({"-shape=x=1", "m"}).err,
            "prog: error: unknown option '-shape'; did you mean '--shape'?; "
            "see prog --help\n");
  EXPECT_EQ(Call({"m", "--zzzzzz"}).err,
            "prog: error: unknown option '--zzzzzz'; see prog --help\n");
  EXPECT_EQ(Call({"m", "n"}).err,
            "prog: error: unexpected argument 'n'; see prog --help\n");
  EXPECT_EQ(Call({"m", "--kind=bata"}).err,
            "prog: error: --kind: unknown 'bata', expected one of: alpha, "
            "beta; did you mean 'beta'?; see prog --help\n");
  EXPECT_EQ(Call({"m", "--kind=bata"}).code, exitUsage);
  EXPECT_EQ(Call({"m", "--target=mine.yaml"}).given.target, "mine.yaml");
}

TEST(CommandLine, ValuesThatAreNotThere) {
  for (std::vector<std::string> words :
       {Names{"m", "--target"}, Names{"m", "--target="}, Names{"m", "-t"}})
    EXPECT_EQ(Call(words).err,
              "prog: error: --target: a value is missing; see prog --help\n");
  for (std::vector<std::string> words :
       {Names{"m", "--target", ""}, Names{""}, Names{"m", "--shape", ""}})
    EXPECT_NE(Call(words).err.find("'' is no value"), std::string::npos)
        << Call(words).err;
}

TEST(CommandLine, FlagsTakeNoValues) {
  for (const char *value : {"2", "x", "99999999999999999999"}) {
    Call run({"m", std::string("--loud=") + value});
    EXPECT_EQ(run.code, exitUsage);
    EXPECT_EQ(run.err,
              std::string("prog: error: --loud takes no value, but '") + value +
                  "' is given; see prog --help\n");
  }
  EXPECT_FALSE(Call({"m", "--loud=false"}).given.isLoud);
  EXPECT_EQ(Call({"m", "--log=here"}).given.log, "here");
  EXPECT_EQ(Call({"m", "--log"}).given.log, "-");
}

TEST(CommandLine, InputsAreNoWrongUsage) {
  Call run({"m"}, [] { throw InputError("'p' cannot be read: x"); });
  EXPECT_EQ(run.code, exitInput);
  EXPECT_EQ(run.err, "prog: error: 'p' cannot be read: x\n");
  Call usage({"m"}, [] { throw CLI::ValidationError("--kind: no"); });
  EXPECT_EQ(usage.code, exitUsage);
}

TEST(CommandLine, HelpAndVersion) {
  Call help({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char *text : {"Usage: prog", "General:", "--shape NAME=SHAPE",
                           "Examples:\n  prog x\n", "  2  wrong usage"})
    EXPECT_NE(help.out.find(text), std::string::npos) << text << help.out;
  EXPECT_EQ(Call({"--version"}).out, "prog 1.2\n");
}

TEST(CommandLine, Completion) {
  for (const char *shell : {"bash", "zsh", "fish"}) {
    Call run({"--completion", shell});
    EXPECT_EQ(run.code, 0) << run.err;
    for (const char *text : {"shape", "kind", "alpha beta", "loud", "target"})
      EXPECT_NE(run.out.find(text), std::string::npos) << shell << run.out;
  }
  EXPECT_EQ(Call({"--completion=bsh"}).code, exitUsage);
}

TEST(CommandLine, ValuesOfAnotherType) {
  EXPECT_EQ(Call({"m", "--size=big"}).err,
            "prog: error: --size: 'big' is no N; see prog --help\n");
  CLI::App app;
  int64_t number = 0;
  app.add_option("--n", number)->check(wholeFrom(-1, 10));
  for (const char *word :
       {"nan", "1.5", "-2", "11", "1x", "0x1", "99999999999999999999"})
    EXPECT_THROW(app.parse(std::string("--n=") + word), CLI::ParseError)
        << word;
  app.parse("--n=-1");
  EXPECT_EQ(number, -1);
}

TEST(CommandLine, NumbersWithinEnds) {
  CLI::App app;
  double number = 0;
  app.add_option("--n", number)->check(numberFrom(0, 10));
  for (const char *word : {"nan", "inf", "-1", "11", "x", ""})
    EXPECT_THROW(app.parse(std::string("--n=") + word), CLI::ParseError)
        << word;
  app.parse("--n=2.5");
  EXPECT_EQ(number, 2.5);
}

} // namespace
} // namespace npu::files
