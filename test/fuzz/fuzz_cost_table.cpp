// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a table of measured costs: an error with a line, or a table that
// gives cycles or a ratio for whatever kernel.

#include "compiler/Target/CostTableReader.h"

#include <cmath>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  std::optional<npu::cost::CostTable> table =
      npu::readCostTable(text, "costs.csv", error);
  if (table.has_value() == !error.empty())
    abort();
  if (!table) {
    if (error.find("costs.csv:") != 0)
      abort();
    return 0;
  }
  npu::cost::TableValue value = {"acdb", {1, 64, 56, 56}, "f32"};
  for (const char *op : {"conv2d", "relayout", "eltwise"}) {
    auto found = table->find({op, {value}, {value}});
    if (found && !(std::isfinite(found->ratio) && found->ratio > 0 &&
                   found->cycles >= 0))
      abort();
  }
  return 0;
}
