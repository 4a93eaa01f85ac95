// SPDX-License-Identifier: Apache-2.0
//
// npu-check-certificate: the command line.
#include "certificate/certificate.h"
#include "files/command_line.h"
#include "files/input_file.h"
#include "files/last_words.h"
#include "files/shown_text.h"
#include "files/standard_output.h"
#include "files/temporaries.h"
#include "files/words.h"

#include <iostream>
#include <nlohmann/json.hpp>

using namespace npu;
using Json = nlohmann::ordered_json;

static const char *const examples =
    R"(  npuc model.onnx --certificate=proof.json
  npu-check-certificate proof.json
)";

static Json checked(const std::string &path) {
  files::InputFile file;
  std::string text, wrong = file.open(path);
  if (wrong.empty() && file.bytes() > certificate::mostBytes)
    wrong = certificate::tooLarge;
  if (wrong.empty())
    wrong = file.readAll(text);
  if (!wrong.empty())
    throw std::runtime_error(wrong);
  certificate::Work work;
  const certificate::Certificate all = certificate::read(text, work);
  certificate::check(all, work);
  size_t ways = 0;
  for (int64_t list : all.cases[all.planCase].ways)
    ways += all.ways[list].size();
  using files::countText;
  return {{"holds", true},
          {"message", all.model + " on " + all.target + ": " +
                          countText(all.ops.size(), "op") + ", " +
                          countText(all.planRelayouts.size(), "relayout") +
                          ", " + std::to_string(all.planCost) + " " + all.unit +
                          ": feasible, and nothing is cheaper among " +
                          countText(ways, "way") + " of the ops, " +
                          countText(all.values.size(), "value") + " and " +
                          countText(all.cases.size(), "choice") +
                          " of what stays on the chip"},
          {"cost", all.planCost},
          {"unit", all.unit}};
}

/// The exit code, after what was found was printed.
static int run(const std::string &path, bool asJson) {
  int code = files::exitInput;
  Json found = {{"holds", false}};
  std::string joint; // of the file's name and the message
  auto refuse = [&](const char *between, const std::exception &error) {
    joint = between;
    found["message"] = error.what();
  };
  try {
    found = checked(path);
    code = files::exitSuccess;
  } catch (const certificate::Refuted &error) {
    code = files::exitModel;
    refuse(": ", error);
  } catch (const certificate::Malformed &error) {
    refuse(" is no valid certificate: ", error);
  } catch (const std::runtime_error &error) {
    refuse(" ", error);
  }
  found["version"] = 1; // of docs/certificate-check.schema.json
  const std::string message = found["message"];
  if (asJson)
    std::cout << found.dump(2, ' ', true, Json::error_handler_t::replace)
              << "\n";
  else if (code == files::exitSuccess)
    std::cout << files::shownMessage(message) << "\n";
  else
    std::cerr << "npu-check-certificate: error: "
              << files::shownMessage("'" + path + "'" + joint + message)
              << "\n";
  return code;
}

int main(int argc, char **argv) {
  const std::string name = "npu-check-certificate";
  files::prepareProcess();
  files::prepareLastWords(name.c_str());
  CLI::App app(name + " checks that no plan is cheaper than a certificate's, "
                      "without believing what it says.",
               name);
  std::string path;
  bool asJson = false;
  app.add_option("certificate", path, "the file that npuc wrote")->required();
  app.add_flag("--json", asJson,
               "prints what was found as JSON "
               "(docs/certificate-check.schema.json)");
  files::prepareCommandLine(
      app, {NPU_VERSION,
            "",
            examples,
            {files::exitSuccess, files::exitModel, files::exitUsage,
             files::exitOutput, files::exitMemory, files::exitInput}});
  std::optional<int> code = files::readCommandLine(app, argc, argv);
  return files::finishOutput(name.c_str(), code ? *code : run(path, asJson));
}
