// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/Placement.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/OpNames.h"
#include "files/shown_text.h"

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

static std::string lineOf(const ReportedPlacement &row) {
  std::string name =
      row.node == row.op ? row.op : row.node + " (" + row.op + ")";
  return name + " " + row.why + "; " + row.change;
}

LogicalResult npu::checkPlacement(mlir::func::FuncOp function,
                                  ArrayRef<ReportedPlacement> placement,
                                  std::optional<int64_t> most) {
  if (!most || static_cast<int64_t>(placement.size()) <= *most)
    return success();
  auto error = function.emitError();
  error << "over budget: " << placement.size()
        << " ops run on the processor, --max-fallback-ops allows " << *most;
  for (const ReportedPlacement &row : placement)
    error.attachNote() << lineOf(row);
  return error;
}

std::string npu::placementText(ArrayRef<ReportedPlacement> placement,
                               StringRef fallback) {
  if (placement.empty())
    return "all ops run on the chip\n";
  std::string text = std::to_string(placement.size()) +
                     (placement.size() == 1 ? " op runs" : " ops run") +
                     " on the processor (" + fallback.str() + "):\n";
  for (size_t i = 0, next; i < placement.size(); i = next) {
    std::string line = lineOf(placement[i]);
    // A node may be several ops, of which the same is to be said.
    for (next = i + 1;
         next < placement.size() && lineOf(placement[next]) == line;)
      ++next;
    text += "  " + files::shownMessage(line);
    text += next - i > 1 ? " (" + std::to_string(next - i) + " ops)\n" : "\n";
  }
  return text;
}
