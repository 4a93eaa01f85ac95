// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npu-layout-diff/Compare.h"
#include "files/shown_text.h"

#include <nlohmann/json.hpp>

using namespace npu::diff;
using nlohmann::ordered_json;
using npu::files::shownJson;
using npu::files::shownMessage;
using npu::files::shownName;

static std::string at(const std::string &node) {
  return node.empty() ? "" : ", at " + shownName(node);
}

static std::string nameOf(const Relayout &row) {
  return shownName(row.kind) + " of " + shownName(row.value);
}

static std::string nameOf(const Kernel &row) {
  return shownName(row.op) +
         (row.node.empty() ? "" : " of " + shownName(row.node));
}

static std::string textOf(const Relayout &row) {
  return nameOf(row) + ": " + shownName(row.from) + " to " + shownName(row.to) +
         ", " + std::to_string(row.bytes) + " bytes" + at(row.node);
}

static std::string layoutsOf(const Kernel &kernel) {
  std::string text;
  for (const std::string &layout : kernel.layouts)
    text += (text.empty() ? "" : " ") + layout;
  return shownName(text);
}

static std::string textOf(const Kernel &kernel) {
  return nameOf(kernel) + ": " + layoutsOf(kernel) + ", " +
         shownName(kernel.implementation);
}

static void printChange(std::ostream &out, const ChangedRelayout &change) {
  const Relayout &a = change.before, &b = change.after;
  out << "~ " << nameOf(a) << at(a.node) << ":";
  const char *separator = " ";
  auto part = [&](const std::string &before, const std::string &after) {
    if (before == after)
      return;
    out << separator << shownName(before) << " -> " << shownName(after);
    separator = "; ";
  };
  part(a.from + " to " + a.to, b.from + " to " + b.to);
  part(std::to_string(a.bytes) + " bytes", std::to_string(b.bytes) + " bytes");
  part("because " + a.reason, "because " + b.reason);
  out << "\n";
}

static void printChange(std::ostream &out, const ChangedKernel &change) {
  const Kernel &a = change.before, &b = change.after;
  out << "~ " << nameOf(a) << ":";
  if (a.layouts != b.layouts)
    out << " " << layoutsOf(a) << " -> " << layoutsOf(b);
  if (a.implementation != b.implementation)
    out << (a.layouts != b.layouts ? "; " : " ") << shownName(a.implementation)
        << " -> " << shownName(b.implementation);
  out << "\n";
}

void npu::diff::printText(std::ostream &out, const Report &before,
                          const Difference &difference) {
  for (const ChangedFact &fact : difference.settings)
    out << fact.key << ": " << shownName(fact.before) << " -> "
        << shownName(fact.after) << "\n";
  if (difference.empty()) {
    out << "same layouts: " << before.count << " relayouts, " << before.bytes
        << " bytes\n";
    return;
  }
  for (const ChangedFact &fact : difference.facts)
    out << fact.key << ": " << shownMessage(fact.before + " -> " + fact.after)
        << "\n";
  for (const Relayout &row : difference.gone)
    out << "- " << textOf(row) << "\n";
  for (const Relayout &row : difference.added)
    out << "+ " << textOf(row) << "\n    because " << shownMessage(row.reason)
        << "\n";
  for (const ChangedRelayout &change : difference.relayouts)
    printChange(out, change);
  for (const Kernel &kernel : difference.goneKernels)
    out << "- " << textOf(kernel) << "\n";
  for (const Kernel &kernel : difference.addedKernels)
    out << "+ " << textOf(kernel) << "\n";
  for (const ChangedKernel &change : difference.kernels)
    printChange(out, change);
}

static ordered_json jsonOf(const Relayout &row) {
  return {{"kind", row.kind},    {"value", row.value}, {"node", row.node},
          {"from", row.from},    {"to", row.to},       {"bytes", row.bytes},
          {"reason", row.reason}};
}

static ordered_json jsonOf(const Kernel &kernel) {
  return {{"op", kernel.op},
          {"node", kernel.node},
          {"layouts", kernel.layouts},
          {"implementation", kernel.implementation}};
}

static ordered_json jsonOf(const ChangedFact &fact) {
  return {{"key", fact.key}, {"before", fact.before}, {"after", fact.after}};
}

template <typename Row>
static ordered_json listOf(const std::vector<Row> &rows) {
  ordered_json list = ordered_json::array();
  for (const Row &row : rows)
    list.push_back(jsonOf(row));
  return list;
}

template <typename Change>
static ordered_json changesOf(const std::vector<Change> &changes) {
  ordered_json list = ordered_json::array();
  for (const Change &change : changes)
    list.push_back(
        {{"before", jsonOf(change.before)}, {"after", jsonOf(change.after)}});
  return list;
}

std::string npu::diff::toJson(const Difference &difference) {
  ordered_json object = {{"version", 1},
                         {"same", difference.empty()},
                         {"settings", listOf(difference.settings)},
                         {"facts", listOf(difference.facts)},
                         {"relayouts",
                          {{"gone", listOf(difference.gone)},
                           {"new", listOf(difference.added)},
                           {"changed", changesOf(difference.relayouts)}}},
                         {"kernels",
                          {{"gone", listOf(difference.goneKernels)},
                           {"new", listOf(difference.addedKernels)},
                           {"changed", changesOf(difference.kernels)}}}};
  return shownJson(object.dump(2, ' ', false,
                               ordered_json::error_handler_t::replace)) +
         "\n";
}
