// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Explain/LayoutBudget.h"

#include "compiler/Layout/Explain/LayoutExplain.h"
#include "files/words.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <tuple>

using namespace npu;

std::optional<int64_t> npu::parseBytes(StringRef text) {
  StringRef number = text.take_while(
      [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  double unit =
      llvm::StringSwitch<double>(text.drop_front(number.size()).trim())
          .Cases({"", "B"}, 1)
          .Cases({"kB", "KB"}, 1e3)
          .Case("MB", 1e6)
          .Case("GB", 1e9)
          .Case("KiB", 1024.0)
          .Case("MiB", 1024.0 * 1024)
          .Case("GiB", 1024.0 * 1024 * 1024)
          .Default(0);
  double amount = 0;
  // A double holds every whole number below that.
  constexpr double most = 9007199254740992.0;
  if (unit == 0 || number.empty() || number.getAsDouble(amount) ||
      amount * unit > most)
    return std::nullopt;
  double bytes = amount * unit;
  if (unit == 1 && bytes != std::floor(bytes))
    return std::nullopt;
  return static_cast<int64_t>(std::llround(bytes));
}

/// More are not listed: --explain-layout and the report have them all.
static constexpr size_t mostListed = 20;

/// The largest items, as many as must go before the rest fits.
static SmallVector<const RelayoutItem *> above(const RelayoutReport &report,
                                               const LayoutBudget &budget) {
  SmallVector<const RelayoutItem *> items;
  for (const RelayoutItem &item : report.items)
    items.push_back(&item);
  llvm::sort(items, [](const RelayoutItem *a, const RelayoutItem *b) {
    return std::tie(b->bytes, a) < std::tie(a->bytes, b);
  });
  int64_t count = report.count(), bytes = report.bytes();
  size_t gone = 0;
  while (gone < items.size() && ((budget.count && count > *budget.count) ||
                                 (budget.bytes && bytes > *budget.bytes))) {
    --count;
    bytes -= items[gone++]->bytes;
  }
  items.truncate(gone);
  return items;
}

LogicalResult npu::checkBudget(mlir::func::FuncOp function,
                               const RelayoutReport &report,
                               const LayoutBudget &budget) {
  SmallVector<const RelayoutItem *> items = above(report, budget);
  if (items.empty())
    return success();
  auto error = function.emitError();
  const auto count = static_cast<uint64_t>(report.count());
  error << "over budget: "
        << files::countText(count, "relayout of ", "relayouts of ")
        << report.bytes()
        << (count == 1 ? " bytes is left" : " bytes are left");
  if (budget.count)
    error << ", --max-transposes allows " << *budget.count;
  if (budget.bytes)
    error << ", --max-relayout-bytes allows " << *budget.bytes;
  for (const RelayoutItem *item : ArrayRef(items).take_front(mostListed)) {
    std::string text = item->kind + " of " + item->value + ": " + item->from +
                       " to " + item->to + ", " + std::to_string(item->bytes) +
                       " bytes, because " + item->cause.reason;
    if (item->fix)
      text += "; " + fixText(*item->fix);
    error.attachNote() << text;
  }
  if (items.size() > mostListed)
    error.attachNote() << "and " << items.size() - mostListed
                       << " more; --explain-layout without a budget lists all";
  return error;
}
