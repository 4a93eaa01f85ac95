// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npu-layout-diff/Report.h"

#include "files/input_file.h"

#include <nlohmann/json.hpp>

using namespace npu::diff;
using nlohmann::json;

static constexpr int64_t knownVersion = 2;

namespace {

/// A place in the file: messages say where.
class Reader {
public:
  Reader(const json &node, std::string where)
      : node(node), where(std::move(where)) {}

  Reader at(const char *key) const {
    if (!node.is_object() || !node.contains(key))
      throw ReportError(where + " has no '" + key +
                        "'; is it written by npuc --report?");
    return Reader(node.at(key), where + "." + key);
  }

  std::string text() const {
    if (!node.is_string())
      wrong("a text");
    return node.get<std::string>();
  }

  int64_t amount() const {
    if (!node.is_number_integer() || node.get<int64_t>() < 0)
      wrong("a whole number from 0 on");
    return node.get<int64_t>();
  }

  bool truth() const {
    if (!node.is_boolean())
      wrong("true or false");
    return node.get<bool>();
  }

  template <typename Item>
  void each(Item item) const {
    if (!node.is_array())
      wrong("a list");
    for (size_t index = 0; index < node.size(); ++index)
      item(Reader(node[index], where + "[" + std::to_string(index) + "]"));
  }

  bool has(const char *key) const {
    return node.is_object() && node.contains(key) && !node.at(key).is_null();
  }

private:
  [[noreturn]] void wrong(const char *expected) const {
    throw ReportError(where + " is " + node.type_name() + ", expected " +
                      expected);
  }

  const json &node;
  std::string where;
};

} // namespace

static Relayout readRelayout(const Reader &row) {
  return {row.at("kind").text(),   row.at("value").text(),
          row.at("node").text(),   row.at("from").text(),
          row.at("to").text(),     row.at("reason").text(),
          row.at("bytes").amount()};
}

static Kernel readKernel(const Reader &row) {
  Kernel kernel{row.at("name").text(),
                row.at("op").text(),
                row.at("implementation").text(),
                row.at("node").text(),
                {}};
  row.at("layouts").each(
      [&](const Reader &layout) { kernel.layouts.push_back(layout.text()); });
  return kernel;
}

static Report read(const Reader &root) {
  Report report;
  int64_t version = root.at("version").amount();
  if (version != knownVersion)
    throw ReportError("the report has version " + std::to_string(version) +
                      ", this program reads version " +
                      std::to_string(knownVersion));
  report.target = root.at("target").text();
  report.layout = root.at("layout").text();
  report.objective = root.at("objective").text();
  report.cost = root.at("cost").amount();
  Reader relayouts = root.at("relayouts");
  report.count = relayouts.at("count").amount();
  report.bytes = relayouts.at("bytes").amount();
  report.boundaryCount = relayouts.at("boundary_count").amount();
  relayouts.at("items").each([&](const Reader &row) {
    report.relayouts.push_back(readRelayout(row));
  });
  root.at("kernels").each(
      [&](const Reader &row) { report.kernels.push_back(readKernel(row)); });
  Reader memory = root.at("memory");
  report.arenaBytes = memory.at("arena_bytes").amount();
  report.weightBytes = memory.at("weight_bytes").amount();
  if (root.has("optimal")) {
    Reader optimal = root.at("optimal");
    report.optimal =
        Proof{optimal.at("lower_bound").amount(), optimal.at("proved").truth()};
  }
  return report;
}

Report npu::diff::readReport(const std::string &path) {
  constexpr uint64_t most = uint64_t(1)
                            << 28; // no network's report has as much
  npu::files::InputFile file;
  std::string text, wrong = file.open(path);
  if (wrong.empty() && file.bytes() > most)
    wrong = "has " + std::to_string(file.bytes()) +
            " bytes, expected at most " + std::to_string(most);
  if (wrong.empty())
    wrong = file.readAll(text);
  if (!wrong.empty())
    throw ReportError("'" + path + "' " + wrong);
  json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded())
    throw ReportError("'" + path + "' is not JSON");
  try {
    return read(Reader(root, "the report"));
  } catch (const ReportError &error) {
    throw ReportError("'" + path + "': " + error.what());
  }
}
