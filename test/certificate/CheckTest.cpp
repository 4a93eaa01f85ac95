// SPDX-License-Identifier: Apache-2.0
//
// One small certificate, and each thing that can be wrong with it.
#include "test/certificate/CertificateText.h"

#include <gtest/gtest.h>

namespace npu::certificate::test {

using nlohmann::json;

namespace {

/// The example of docs/certificate.md: a picture in NCHW, a convolution and a
/// pool that are both faster in NHWC; one copy serves both.
json example() {
  return json::parse(R"({
    "format": "npuc layout certificate", "version": 2,
    "model": "two.onnx", "target": "chip", "unit": "cycles", "memory": 100,
    "values": [{"name": "x", "layouts": ["NCHW", "NHWC"], "bytes": [40, 48]}],
    "ops": [{"name": "x", "reads": [], "makes": [0]},
            {"name": "Conv", "reads": [0], "makes": []},
            {"name": "MaxPool", "reads": [0], "makes": []}],
    "relayouts": [[0, 5, 5, 0]],
    "ways": [[[0, 0]], [[13, 0], [7, 1]], [[10, 0], [4, 1]]],
    "cases": [{"slots": [{"values": [0], "offset": 4, "place": 40, "bytes": 40,
                          "first": 0, "last": 2}],
               "relayouts": [0], "ways": [0, 1, 2], "scale": 1,
               "prices": [[], [[0, 3]], [[0, 2]]]}],
    "plan": {"case": 0, "ways": [0, 1, 1], "relayouts": [[0, 0, 1]],
             "tiles": [0, 56, 20], "cost": 16}})");
}

struct Change {
  const char *place, *text, *says;
};

std::string verdictWith(const Change &change) {
  json certificate = example();
  certificate[json::json_pointer(change.place)] = json::parse(change.text);
  return verdictOn(certificate.dump());
}

void expectAll(const std::vector<Change> &changes) {
  for (const Change &change : changes) {
    std::string verdict = verdictWith(change);
    EXPECT_NE(verdict.find(change.says), std::string::npos)
        << change.place << " = " << change.text << ": " << verdict;
  }
}

} // namespace

TEST(Certificate, OfTheExampleHolds) {
  EXPECT_EQ(verdictOn(example().dump()), "");
}

TEST(Certificate, NeedsNoPricesWhereLittleIsOpen) {
  EXPECT_EQ(verdictWith({"/cases/0/prices", "[]", ""}), "");
  EXPECT_EQ(verdictWith({"/cases/0/scale", "4", ""}), "");
}

TEST(Certificate, OfAWorsePlanIsRefuted) {
  // A copy that nobody needs.
  json certificate = example();
  certificate["plan"]["relayouts"].push_back({0, 1, 0});
  certificate["plan"]["cost"] = 21;
  EXPECT_EQ(verdictOn(certificate.dump()),
            "refuted: a plan of 16 cycles is cheaper");
  // The pool in the picture's own order.
  certificate = example();
  certificate["plan"]["ways"] = {0, 1, 0};
  certificate["plan"]["cost"] = 22;
  EXPECT_EQ(verdictOn(certificate.dump()),
            "refuted: a plan of 16 cycles is cheaper");
}

TEST(Certificate, OfAnotherProblemIsRefuted) {
  expectAll({
      {"/ways/1/0/0", "2", "refuted: a plan of 11 cycles is cheaper"},
      {"/ways/2", "[[10, 0], [4, 1], [3, 0]]",
       "refuted: a plan of 15 cycles is cheaper"},
      {"/ways/2/1/0", "3", "the plan costs 15 cycles, the certificate says 16"},
      {"/relayouts/0/1", "6", "the plan costs 17 cycles"},
      {"/plan/cost", "15", "the plan costs 16 cycles, the certificate says 15"},
      {"/plan/relayouts", "[]", "reads value 0 in a layout that is not there"},
      {"/plan/relayouts", "[[0, 1, 0]]", "from layout 1, which is not there"},
      {"/ways/1", "[[13, 0]]", "there is no number 1 among 1 ways"},
  });
}

/// The copy in NHWC is larger than a place, and so in DRAM.
TEST(Certificate, OfWhatDoesNotFitTheChipIsRefuted) {
  expectAll({
      {"/memory", "43", "the slot of value 0 ends at byte 44 of 43"},
      {"/memory", "99", "the tiles of op 1 do not fit"},
      {"/plan/tiles/1", "57", "the tiles of op 1 do not fit"},
      {"/plan/tiles/0", "57", "the tiles of op 0 do not fit"},
      {"/cases/0/slots/0/last", "1", "does not live while op 2 runs"},
      {"/cases/0/slots/0/first", "1", "does not live while op 0 runs"},
      {"/values/0/bytes/1", "40", "too few places for the plan's layouts"},
  });
  json certificate = example();
  certificate["values"][0]["bytes"] = {40, 40};
  certificate["cases"][0]["slots"][0]["bytes"] = 80;
  certificate["memory"] = 140;
  EXPECT_EQ(verdictOn(certificate.dump()), "");
}

TEST(Certificate, OfSlotsThatOverlapIsRefuted) {
  json certificate = example();
  certificate["values"].push_back(
      {{"name", "y"}, {"layouts", {"a"}}, {"bytes", {8}}});
  certificate["ops"][1]["makes"] = {1};
  certificate["relayouts"].push_back({0});
  certificate["cases"][0]["relayouts"] = {0, 1};
  certificate["ways"][1] = {{13, 0, 0}, {7, 1, 0}};
  json slot = {{"values", {1}}, {"offset", 44}, {"place", 8},
               {"bytes", 8},    {"first", 1},   {"last", 1}};
  certificate["cases"][0]["slots"].push_back(slot);
  certificate["memory"] = 108;
  EXPECT_EQ(verdictOn(certificate.dump()), "");
  certificate["cases"][0]["slots"][1]["offset"] = 43;
  EXPECT_EQ(verdictOn(certificate.dump()),
            "refuted: the slot of value 1 and that of value 0 take the same "
            "bytes at once");
}

/// Every case is looked at, not the plan's alone.
TEST(Certificate, OfAPlanThatIsDearerThanAnotherCaseIsRefuted) {
  json certificate = example();
  certificate["relayouts"].push_back({0, 4, 4, 0});
  certificate["cases"].push_back(certificate["cases"][0]);
  EXPECT_EQ(verdictOn(certificate.dump()), "");
  certificate["cases"][1]["relayouts"] = {1};
  EXPECT_EQ(verdictOn(certificate.dump()),
            "refuted: a plan of 15 cycles is cheaper");
}

/// Whoever forges a certificate chooses its numbers so that sums go around.
TEST(Certificate, WhoseSumsOverflowIsRefuted) {
  // 2048 copies of 2^53 cycles each would cost nothing.
  json certificate = example();
  certificate["relayouts"][0][1] = int64_t(1) << 53;
  certificate["cases"][0]["prices"] = json::array();
  certificate["plan"]["relayouts"] = std::vector<json>(2048, {0, 0, 1});
  certificate["plan"]["cost"] = 11;
  EXPECT_EQ(verdictOn(certificate.dump()),
            "refuted: the plan costs over 2^54 cycles");
  // The plan's cost times the other case's scale would be one.
  certificate = example();
  certificate["ways"].push_back({{(int64_t(1) << 44) + 1, 0}});
  certificate["ways"].push_back({{0, 0}});
  certificate["cases"].push_back(certificate["cases"][0]);
  certificate["cases"][0]["ways"] = {0, 3, 4};
  certificate["cases"][1]["scale"] = 1 << 20;
  certificate["plan"]["ways"] = {0, 0, 0};
  certificate["plan"]["relayouts"] = json::array();
  certificate["plan"]["cost"] = (int64_t(1) << 44) + 1;
  EXPECT_EQ(verdictOn(certificate.dump()),
            "refuted: a plan of 16 cycles is cheaper");
}

/// A copy is made from another copy where that is cheaper: from NCHW to NHWC
/// by way of a third layout.
TEST(Certificate, CopiesOfCopiesAreCounted) {
  json certificate = example();
  certificate["values"][0]["layouts"].push_back("NC1HWC0");
  certificate["values"][0]["bytes"].push_back(48);
  certificate["relayouts"] = {{0, 5, 1, 5, 0, 5, 5, 1, 0}};
  certificate["cases"][0]["prices"] = json::array();
  EXPECT_EQ(verdictOn(certificate.dump()),
            "refuted: a plan of 13 cycles is cheaper");
  certificate["plan"]["relayouts"] = {{0, 0, 2}, {0, 2, 1}};
  certificate["plan"]["cost"] = 13;
  EXPECT_EQ(verdictOn(certificate.dump()), "");
}

TEST(Certificate, DamagedIsMalformed) {
  expectAll({
      {"/format", "\"another\"", "malformed: it does not say"},
      {"/version", "1", "malformed: it does not say"},
      {"/unit", "7", "malformed"},
      {"/values", "7", "malformed"},
      {"/values/0/layouts", "[]", "1 to 64 layouts"},
      {"/values/0/bytes", "[40]", "not bytes for each layout"},
      {"/memory", "null", "malformed"},
      {"/ops/0/makes", "[]", "that none before it makes"},
      {"/ops/1/makes", "[0]", "two ops make one value"},
      {"/ops/1/reads", "[1]", "no number 1 among 1 values"},
      {"/ops/1/reads", "[-1]", "no number -1 among 1 values"},
      {"/ops", "[]", "a value is made by no op"},
      {"/relayouts/0", "[0, 5, 5]", "another number of layouts"},
      {"/relayouts/0/1", "-1", "less than nothing"},
      {"/relayouts/0/0", "1", "one to itself something"},
      {"/relayouts/0/1", "1.5", "not whole"},
      {"/relayouts/0/1", "true", "malformed"},
      {"/relayouts/0/1", "9007199254740994", "beyond 2^53"},
      {"/relayouts/0/1", "18446744073709551615", "beyond 2^53"},
      {"/relayouts/0", "[0, 9007199254740991, 9007199254740991, 0]",
       "add up to over 2^54"},
      {"/ways/0", "[]", "has no way to run"},
      {"/ways/1", "[[13], [7, 1]]", "has a way that does not fit it"},
      {"/ways/1/0/0", "-1", "has a way that does not fit it"},
      {"/ways/1/0/1", "2", "has a way that does not fit it"},
      {"/ways/1/0/1", "-2", "has a way that does not fit it"},
      {"/ways/0/0/1", "-1", "has a way that does not fit it"},
      {"/cases", "[]", "no number 0 among 0 cases"},
      {"/cases/0/relayouts", "[]",
       "1 numbers of lists of relayouts are expected"},
      {"/cases/0/relayouts", "[1]", "no number 1 among 1 lists of relayouts"},
      {"/cases/0/ways", "[0, 1]", "3 numbers of lists of ways are expected"},
      {"/cases/0/ways", "[0, 1, 3]", "no number 3 among 3 lists of ways"},
      {"/cases/0/scale", "0", "scale"},
      {"/cases/0/scale", "1048577", "scale"},
      {"/cases/0/prices", "[[], []]", "prices for each op"},
      {"/cases/0/prices/1", "[]", "has no prices"},
      {"/cases/0/prices/1/0", "[0]", "a price for each layout"},
      {"/cases/0/slots/0/values", "[]", "a slot is of no value"},
      {"/cases/0/slots/0/values", "[1]", "no number 1 among 1 values"},
      {"/cases/0/slots/0/values", "[0, 0]", "value 0 has two slots"},
      {"/cases/0/slots/0/last", "3", "no number 3 among 3 ops"},
      {"/cases/0/slots/0/first", "-1", "no number -1 among 3 ops"},
      {"/cases/0/slots/0", R"({"values": [0], "offset": 4, "place": 40,
        "bytes": 40, "first": 2, "last": 1})",
       "ends before it begins"},
      {"/cases/0/slots/0/offset", "-1", "less than no bytes"},
      {"/cases/0/slots/0/place", "-1", "less than no bytes"},
      {"/cases/0/slots/0/bytes", "39", "less than its place"},
      {"/cases/0/slots/0/bytes", "null", "malformed"},
      {"/plan/tiles", "[0, 0]", "not bytes of tiles for each op"},
      {"/plan/tiles", "[0, 0, -1]", "not bytes of tiles for each op"},
      {"/plan/case", "1", "no number 1 among 1 cases"},
      {"/plan/ways", "[0, 1]", "has not all ops"},
      {"/plan/ways", "[0, 1, 2]", "no number 2 among 2 ways"},
      {"/plan/relayouts", "[[0, 0]]", "a value and two layouts"},
      {"/plan/relayouts", "[[1, 0, 1]]", "no number 1 among 1 values"},
      {"/plan/relayouts", "[[0, 0, 2]]", "no number 2 among 2 layouts"},
      {"/plan", "null", "malformed"},
  });
}

TEST(Certificate, WithoutAKeyIsMalformed) {
  const json whole = example();
  for (const auto &[key, value] : whole.items()) {
    json certificate = whole;
    certificate.erase(key);
    EXPECT_EQ(verdictOn(certificate.dump()).rfind("malformed", 0), 0u) << key;
  }
}

TEST(Certificate, CutShortIsMalformed) {
  const std::string whole = example().dump();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_EQ(verdictOn(whole.substr(0, bytes)).rfind("malformed", 0), 0u);
}

/// Few bytes that ask for much.
TEST(Certificate, TakesNeitherLongNorMuchMemory) {
  EXPECT_EQ(verdictOn(std::string(1 << 23, '[')),
            "malformed: lists lie too deep in each other");
  EXPECT_NE(
      verdictOn(std::string((1 << 24) + 1, ' ')).find("more than 16777216"),
      std::string::npos);
  // Thirty readers of one value, each in a layout of its own or in another:
  // more sets than anybody can list.
  json certificate = example();
  const int layouts = 60;
  certificate["values"][0]["layouts"] = std::vector<std::string>(layouts, "l");
  certificate["values"][0]["bytes"] = std::vector<int>(layouts, 48);
  certificate["cases"][0]["slots"] = json::array();
  std::vector<int> moves(layouts * layouts, 5);
  for (int layout = 0; layout < layouts; ++layout)
    moves[layout * layouts + layout] = 0;
  certificate["relayouts"] = {moves};
  certificate["ops"].erase(2);
  certificate["ops"].erase(1);
  certificate["ways"] = {{{0, 0}}};
  certificate["cases"][0]["ways"] = {0};
  certificate["cases"][0]["prices"] = json::array();
  certificate["plan"] = {{"case", 0},
                         {"ways", {0}},
                         {"relayouts", json::array()},
                         {"tiles", {0}},
                         {"cost", 0}};
  json many = certificate;
  for (int op = 1; op < 30; ++op) {
    json reader = {{"name", "r"}, {"reads", {0}}, {"makes", json::array()}};
    for (json *one : {&certificate, &many}) {
      (*one)["ops"].push_back(reader);
      (*one)["cases"][0]["ways"].push_back(op);
      (*one)["plan"]["ways"].push_back(0);
      (*one)["plan"]["tiles"].push_back(0);
      (*one)["plan"]["relayouts"].push_back({0, 0, op});
      (*one)["plan"]["cost"] = 5 * op;
    }
    many["ways"].push_back({{0, op}, {0, op + 30}});
    certificate["ways"].push_back({{0, op}});
  }
  EXPECT_NE(verdictOn(many.dump()).find("too many sets"), std::string::npos);
  // And one set of thirty, whose parts are as many.
  EXPECT_NE(verdictOn(certificate.dump()).find("too long to check"),
            std::string::npos);
}

} // namespace npu::certificate::test
