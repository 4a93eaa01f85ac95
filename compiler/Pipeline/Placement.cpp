// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/Placement.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/OpNames.h"
#include "files/shown_text.h"
#include "files/words.h"

using namespace npu;

std::vector<ReportedPlacement> npu::placementOf(mlir::func::FuncOp function) {
  std::vector<ReportedPlacement> rows;
  for (Operation *op : opsOnProcessor(function)) {
    auto [why, change] = reasonBesideChip(op);
    rows.push_back({opName(op),
                    cast<LayoutOpInterface>(op).getDemandName().str(),
                    why.str(), change.str()});
  }
  return rows;
}

static std::string nameOf(const ReportedPlacement &row) {
  return row.node == row.op ? row.op : row.node + " (" + row.op + ")";
}

static std::string reasonOf(const ReportedPlacement &row) {
  return row.why + "; " + row.change;
}

static std::string lineOf(const ReportedPlacement &row) {
  return nameOf(row) + " " + reasonOf(row);
}

LogicalResult npu::checkPlacement(mlir::func::FuncOp function,
                                  ArrayRef<ReportedPlacement> placement,
                                  std::optional<int64_t> most) {
  if (!most || static_cast<int64_t>(placement.size()) <= *most)
    return success();
  auto error = function.emitError();
  error << "over budget: "
        << files::countText(placement.size(), "op runs", "ops run")
        << " on the processor, --max-fallback-ops allows " << *most;
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const ReportedPlacement &row : placement)
    reasons.emplace_back(nameOf(row), reasonOf(row));
  for (const std::string &line : files::groupedByReason(reasons, "op"))
    error.attachNote() << line;
  return error;
}

std::string npu::placementText(ArrayRef<ReportedPlacement> placement,
                               StringRef fallback) {
  if (placement.empty())
    return "all ops run on the chip\n";
  std::string text = files::countText(placement.size(), "op runs", "ops run") +
                     " on the processor (" + fallback.str() + "):\n";
  for (size_t i = 0, next; i < placement.size(); i = next) {
    std::string line = lineOf(placement[i]);
    // A node may be several ops, of which the same is to be said.
    for (next = i + 1;
         next < placement.size() && lineOf(placement[next]) == line;)
      ++next;
    text += "  " + files::shownMessage(line);
    text +=
        next - i > 1 ? " (" + files::countText(next - i, "op") + ")\n" : "\n";
  }
  return text;
}
