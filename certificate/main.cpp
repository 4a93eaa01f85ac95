// SPDX-License-Identifier: Apache-2.0
//
// npu-check-certificate: the command line.
#include "certificate/certificate.h"
#include "files/input_file.h"
#include "files/last_words.h"
#include "files/standard_output.h"
#include "files/temporaries.h"
#include "files/usage_error.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace npu;
using Json = nlohmann::ordered_json;

static const char *const footer = R"(
Example:
  npuc model.onnx --certificate=proof.json && npu-check-certificate proof.json

Exit codes:
  0  the plan is feasible, and nothing else that the certificate lists cheaper
  1  that is not so, or not shown
  2  the file is no certificate, or the command line is wrong
)";

static Json checked(const std::string &path) {
  files::InputFile file;
  std::string text, wrong = file.open(path);
  if (wrong.empty() && file.bytes() > certificate::mostBytes)
    wrong = "has more than 16 MiB";
  if (wrong.empty())
    wrong = file.readAll(text);
  if (!wrong.empty())
    throw certificate::Malformed(wrong);
  certificate::Work work;
  const certificate::Certificate all = certificate::read(text, work);
  certificate::check(all, work);
  size_t ways = 0;
  for (int64_t list : all.cases[all.planCase].ways)
    ways += all.ways[list].size();
  std::ostringstream words;
  words << all.model << " on " << all.target << ": " << all.ops.size()
        << " ops, " << all.planRelayouts.size() << " relayouts, "
        << all.planCost << " " << all.unit
        << ": feasible, and nothing is cheaper among " << ways
        << " ways of the ops, " << all.values.size() << " values and "
        << all.cases.size() << " choices of what stays on the chip";
  return {{"holds", true},
          {"message", words.str()},
          {"cost", all.planCost},
          {"unit", all.unit}};
}

/// The exit code, after what was found was printed.
static int run(const std::string &path, bool asJson) {
  int code = 0;
  Json found = {{"holds", false}};
  try {
    found = checked(path);
  } catch (const std::runtime_error &error) {
    code = dynamic_cast<const certificate::Refuted *>(&error) ? 1 : 2;
    found["message"] = error.what();
  }
  if (asJson)
    std::cout << found.dump(2, ' ', true, Json::error_handler_t::replace)
              << "\n";
  else if (code == 0)
    std::cout << files::shownMessage(found["message"]) << "\n";
  else
    std::cerr << "npu-check-certificate: error: "
              << files::shownMessage("'" + path +
                                     "': " + std::string(found["message"]))
              << "\n";
  return code;
}

int main(int argc, char **argv) {
  const std::string name = "npu-check-certificate";
  files::prepareProcess();
  files::prepareLastWords(name.c_str(), 2);
  CLI::App app("Checks that no plan is cheaper than a certificate's.", name);
  app.footer(footer);
  app.set_version_flag("--version", name + " " NPU_VERSION);
  app.failure_message(files::usageError);
  std::string path;
  bool asJson = false;
  app.add_option("certificate", path, "The file that npuc wrote")->required();
  app.add_flag("--json", asJson, "Prints what was found as JSON");
  int code = 0;
  try {
    app.parse(argc, argv);
    code = run(path, asJson);
  } catch (const CLI::ParseError &error) {
    code = app.exit(error) == 0 ? 0 : 2;
  }
  return files::finishOutput(name.c_str(), code, 2);
}
