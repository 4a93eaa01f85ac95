// SPDX-License-Identifier: Apache-2.0
//
// layout-search-bench: how long the exact search takes on graphs of any size.
#include "bench/search/Families.h"
#include "files/command_line.h"
#include "files/output_files.h"
#include "files/standard_output.h"
#include "files/temporaries.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace npu::search::bench {

namespace {

struct Settings {
  std::vector<std::string> names;
  std::vector<std::string> costs = {"bytes", "random"};
  std::vector<int> sizes = {1000, 10000};
  int seeds = 1;
  double seconds = 10;
  std::string json;
};

nlohmann::json measure(const Family &family, const std::string &costs, int ops,
                       int seed, double seconds) {
  Problem problem =
      family.make(ops, costs == "bytes" ? Costs::Bytes : Costs::Random, seed);
  Options options;
  options.seconds = seconds;
  Solution solution = solve(problem, options);
  double gap = solution.cost == 0
                   ? 0
                   : 100.0 * (solution.cost - solution.lowerBound) /
                         static_cast<double>(solution.cost);
  std::printf("%-12s %-7s %6zu %5d %9.3f  %-7s %9.4f %12lld  %s\n", family.name,
              costs.c_str(), problem.ops.size(), seed, solution.seconds,
              solution.proved ? "proved" : "no", gap,
              static_cast<long long>(solution.largestTable),
              solution.method.c_str());
  std::fflush(stdout);
  return {{"family", family.name},
          {"costs", costs},
          {"ops", problem.ops.size()},
          {"seed", seed},
          {"seconds", solution.seconds},
          {"proved", solution.proved},
          {"cost", solution.cost},
          {"settled", solution.settled},
          {"lower_bound", solution.lowerBound},
          {"largest_table", solution.largestTable},
          {"method", solution.method}};
}

int run(const Settings &settings) {
  std::printf("%-12s %-7s %6s %5s %9s  %-7s %9s %12s  %s\n", "graph", "costs",
              "ops", "seed", "seconds", "optimum", "gap (%)", "table",
              "method");
  nlohmann::json rows = nlohmann::json::array();
  for (const Family &family : families())
    for (const std::string &costs : settings.costs)
      for (int ops : settings.sizes)
        for (int seed = 0; seed < settings.seeds; ++seed)
          if (settings.names.empty() ||
              std::find(settings.names.begin(), settings.names.end(),
                        family.name) != settings.names.end())
            rows.push_back(measure(family, costs, ops, seed, settings.seconds));
  if (settings.json.empty())
    return 0;
  files::OutputFiles outputs;
  std::string failure = outputs.write(settings.json, rows.dump(2) + "\n");
  if (failure.empty())
    failure = outputs.commit();
  if (failure.empty())
    return files::exitSuccess;
  std::fprintf(stderr, "layout-search-bench: error: %s\n", failure.c_str());
  return files::exitOutput;
}

} // namespace

} // namespace npu::search::bench

int main(int argc, char **argv) {
  using namespace npu::search::bench;
  namespace files = npu::files;
  files::prepareProcess();
  const char *name = "layout-search-bench";
  Settings settings;
  CLI::App app("How long the exact search for layouts takes, on graphs of many "
               "shapes and sizes.",
               name);
  std::vector<std::string> known;
  std::string what = "Only these graphs:";
  for (const Family &family : families()) {
    known.push_back(family.name);
    what += std::string(" ") + family.name + " (" + family.what + ")";
  }
  app.add_option("--graphs", settings.names, what)
      ->delimiter(',')
      ->check(files::oneOf(known));
  app.add_option("--costs", settings.costs,
                 "bytes (relayouts by bytes, ops by work, favourites drawn), "
                 "random (0 to 1000)")
      ->delimiter(',')
      ->check(files::oneOf({"bytes", "random"}))
      ->capture_default_str();
  app.add_option("--ops", settings.sizes, "Ops of each graph")
      ->delimiter(',')
      ->check(files::wholeFrom(16, 1000000))
      ->capture_default_str();
  app.add_option("--seeds", settings.seeds, "Graphs of each kind and size")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", settings.seconds, "Limit for each graph")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", settings.json, "Write the measurements here");
  files::prepareCommandLine(
      app, {NPU_VERSION,
            "",
            "  layout-search-bench --ops=1000 --seeds=3\n",
            {files::exitSuccess, files::exitUsage, files::exitOutput}});
  std::optional<int> code = files::readCommandLine(app, argc, argv);
  return files::finishOutput(name, code ? *code : run(settings));
}
