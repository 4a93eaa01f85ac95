// SPDX-License-Identifier: Apache-2.0
//
// Certificates of random problems: what holds is true, by trying everything.
#include "compiler/Search/RelayoutTrees.h"
#include "test/certificate/CertificateText.h"
#include "test/compiler/Search/RandomProblem.h"
#include "test/every_case.h"

#include <gtest/gtest.h>

#include <random>

namespace npu::certificate::test {

using nlohmann::json;
using search::Problem;

namespace {

Problem smallProblem(uint64_t seed) {
  search::test::RandomOptions options;
  options.ops = 2 + static_cast<int>(seed % 6);
  options.layouts = 2 + static_cast<int>(seed % 3);
  return search::test::randomProblem(seed, options);
}

search::Prices pricesFor(const Problem &problem, search::Cost target,
                         double seconds) {
  return search::findPrices(problem, search::RelayoutTrees(problem),
                            {target, search::Deadline(seconds)});
}

json solved(const Problem &problem) {
  search::Solution solution = search::solve(problem);
  return certificateOf(problem, solution.ways,
                       pricesFor(problem, solution.cost, 10));
}

/// The problem that a certificate is of.
Problem problemOf(const json &certificate) {
  Problem problem;
  const json &one = certificate["cases"][0];
  for (size_t v = 0; v < certificate["values"].size(); ++v) {
    const json &value = certificate["values"][v];
    const size_t list = one["relayouts"][v];
    problem.values.push_back({static_cast<int>(value["layouts"].size()),
                              certificate["relayouts"][list]});
  }
  for (size_t i = 0; i < certificate["ops"].size(); ++i) {
    const size_t list = one["ways"][i];
    search::Op op{
        certificate["ops"][i]["reads"], certificate["ops"][i]["makes"], {}};
    for (const std::vector<search::Cost> way : certificate["ways"][list])
      op.ways.push_back({way[0], {way.begin() + 1, way.end()}});
    problem.ops.push_back(std::move(op));
  }
  return problem;
}

} // namespace

TEST(RandomCertificates, OfTheCheapestPlanHold) {
  for (unsigned seed = 0; seed < npu::test::caseCount(500, 2000); ++seed) {
    Problem problem = smallProblem(seed);
    ASSERT_EQ(verdictOn(solved(problem).dump()), "") << "seed " << seed;
  }
}

TEST(RandomCertificates, OfLargeProblemsHold) {
  search::test::RandomOptions options;
  options.ops = 300;
  options.layouts = 4;
  options.window = 4;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Problem problem = search::test::randomProblem(seed, options);
    ASSERT_EQ(verdictOn(solved(problem).dump()), "") << "seed " << seed;
  }
}

/// Prices are needed, each of them: without, or with others, nothing is shown.
TEST(RandomCertificates, OfWideProblemsNeedTheirPrices) {
  search::test::RandomOptions options;
  options.ops = 60;
  options.layouts = 4;
  options.window = 14;
  int needed = 0, worsened = 0;
  const int seeds = npu::test::caseCount(10, 20);
  for (int seed = 0; seed < seeds; ++seed) {
    Problem problem = search::test::randomProblem(seed, options);
    json certificate = solved(problem);
    if (!verdictOn(certificate.dump()).empty())
      continue; // they leave more open than can be gone through
    json &prices = certificate["cases"][0]["prices"];
    for (json &op : prices)
      for (json &paid : op)
        if (paid.size() > 1)
          paid[0] = paid[0].get<int64_t>() + 5000;
    worsened += verdictOn(certificate.dump()).rfind("refuted: ", 0) == 0;
    prices = json::array();
    needed += verdictOn(certificate.dump()).rfind("refuted: ", 0) == 0;
  }
  EXPECT_GE(needed, seeds / 4);
  EXPECT_GE(worsened, seeds / 4);
}

/// Whatever the prices are, and whatever way each op takes.
TEST(RandomCertificates, OfOtherPlansAreRefuted) {
  int worse = 0;
  const int seeds = npu::test::caseCount(500, 2000);
  for (int seed = 0; seed < seeds; ++seed) {
    Problem problem = smallProblem(seed);
    json certificate = solved(problem);
    std::mt19937_64 random(seed);
    std::vector<int> ways;
    for (const search::Op &op : problem.ops)
      ways.push_back(static_cast<int>(random() % op.ways.size()));
    search::Prices prices = pricesFor(problem, 0, 0);
    const search::Cost least = certificate["plan"]["cost"];
    certificate["plan"] = certificateOf(problem, ways, prices)["plan"];
    const bool isLeast = certificate["plan"]["cost"] == least;
    std::string verdict = verdictOn(certificate.dump());
    worse += !isLeast;
    ASSERT_EQ(verdict.empty(), isLeast) << "seed " << seed << ": " << verdict;
    if (!isLeast)
      ASSERT_NE(verdict.find(" is cheaper"), std::string::npos) << verdict;
  }
  EXPECT_GT(worse, seeds * 2 / 5);
}

/// Any number of the text becomes another. What then holds must be so.
TEST(RandomCertificates, WithAWrongNumberHoldOnlyIfTheyAreTrue) {
  int held = 0, refused = 0;
  const int seeds = npu::test::caseCount(500, 2000);
  for (int seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 random(seed);
    json certificate = solved(smallProblem(seed % 500));
    std::vector<std::string> places;
    const json flat = certificate.flatten();
    for (const auto &[place, value] : flat.items())
      if (value.is_number())
        places.push_back(place);
    const std::string place = places[random() % places.size()];
    json damaged = certificate;
    json &number = damaged[json::json_pointer(place)];
    number = number.get<int64_t>() +
             (random() % 2 ? 1 : -1) * static_cast<int64_t>(1 + random() % 9);
    if (!verdictOn(damaged.dump()).empty()) {
      ++refused;
      continue;
    }
    ++held;
    Problem problem = problemOf(damaged);
    ASSERT_EQ(search::check(problem), "") << place;
    ASSERT_EQ(damaged["plan"]["cost"], search::test::bruteForce(problem))
        << "seed " << seed << ": " << place;
  }
  EXPECT_GT(held, seeds / 20);
  EXPECT_GT(refused, seeds * 3 / 20);
}

} // namespace npu::certificate::test
