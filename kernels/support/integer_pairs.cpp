// SPDX-License-Identifier: Apache-2.0
//
// What a chain of integers does behind its first byte, where it is a function
// of that and of one byte more.

#include "kernels/support/integer_rows.h"
#include "kernels/support/integer_steps.h"

#include <algorithm>
#include <cmath>

namespace npu::kernels {

static bool isByteType(int32_t dtype) {
  return dtype == NPU_I8 || dtype == NPU_U8;
}

/// The operand of bytes that instructions from `next` on read beside constants
/// and what is computed from `first` on; -1: they read something else too.
int IntegerSteps::pairedOperand(size_t next, size_t first,
                                const void *const *data) const {
  int found = -1;
  for (size_t k = next; k < instrs.size(); ++k)
    for (int16_t value : {instrs[k].a, instrs[k].b, instrs[k].c}) {
      auto at = static_cast<size_t>(value);
      if (value < 0 || at >= first)
        continue;
      if (at >= operands.size())
        return -1;
      const Operand &read = operands[at];
      if (read.kind == Operand::Single && data[at])
        continue;
      bool isOther = found >= 0 && found != value;
      if (read.kind != Operand::Full || !isByteType(read.dtype) || isOther)
        return -1;
      found = value;
    }
  return found;
}

namespace {
/// x * ofX + y * ofY + more, about.
struct Linear {
  double ofX = 0, ofY = 0, more = 0;

  bool isConstant() const { return ofX == 0 && ofY == 0; }
};

Linear sumOf(const Linear &a, const Linear &b, double sign) {
  return {a.ofX + sign * b.ofX, a.ofY + sign * b.ofY, a.more + sign * b.more};
}

/// What an instruction makes of values, rounding and bounds left out. Nothing
/// where that is not linear.
std::optional<Linear> follow(const npu_instr &instr, const Linear &a,
                             const Linear &b, const Linear &c) {
  switch (instr.kind) {
  case NPU_INSTR_cast:
  case NPU_INSTR_clip:
    return a;
  case NPU_INSTR_add:
    return sumOf(a, b, 1);
  case NPU_INSTR_sub:
    return sumOf(a, b, -1);
  case NPU_INSTR_mul_shift: {
    if (!b.isConstant() || !c.isConstant())
      return std::nullopt;
    double unit = std::ldexp(b.more, -static_cast<int>(c.more));
    return Linear{a.ofX * unit, a.ofY * unit, a.more * unit};
  }
  default:
    return std::nullopt;
  }
}
} // namespace

std::optional<PairScale>
IntegerSteps::guessPairs(size_t next, size_t first, int paired,
                         const void *const *data) const {
  std::vector<Linear> values(operands.size() + 1 + instrs.size());
  for (size_t v = 0; v < operands.size(); ++v)
    if (operands[v].kind == Operand::Single && data[v]) {
      int32_t number;
      loadRow(operands[v].dtype, data[v], 0, &number, 1);
      values[v].more = number;
    }
  values[static_cast<size_t>(paired)].ofY = 1;
  values[first].ofX = 1;
  auto value = [&](int16_t number) {
    return values[static_cast<size_t>(std::max<int16_t>(number, 0))];
  };
  for (size_t k = next; k < instrs.size(); ++k) {
    const npu_instr &instr = instrs[k];
    std::optional<Linear> made =
        follow(instr, value(instr.a), value(instr.b), value(instr.c));
    if (!made)
      return std::nullopt;
    values[operands.size() + 1 + k] = *made;
  }
  ScaleEnd end = steps.back().end->bounded();
  const Linear &last = values.back();
  return PairScale{static_cast<float>(last.ofX), static_cast<float>(last.ofY),
                   static_cast<float>(last.more), static_cast<float>(end.low),
                   static_cast<float>(end.high)};
}

PairTable IntegerSteps::tableOfPairs(size_t next, size_t first, int paired,
                                     const ScaleEnd &bounds,
                                     const void *const *data) const {
  constexpr int row = PairTable::row;
  const Operand &other = operands[static_cast<size_t>(paired)];
  PairTable table{bounds.low, other.dtype == NPU_I8 ? -row / 2 : 0, {}};
  std::vector<std::vector<int32_t>> rows(operands.size() + 1 + instrs.size(),
                                         std::vector<int32_t>(row));
  for (size_t v = 0; v < operands.size(); ++v)
    if (operands[v].kind == Operand::Single && data[v]) {
      loadRow(operands[v].dtype, data[v], 0, rows[v].data(), 1);
      std::fill(rows[v].begin(), rows[v].end(), rows[v].front());
    }
  for (int i = 0; i < row; ++i)
    rows[static_cast<size_t>(paired)][static_cast<size_t>(i)] =
        table.firstY + i;
  auto value = [&](int16_t number) {
    return rows[static_cast<size_t>(std::max<int16_t>(number, 0))].data();
  };
  for (int32_t x = bounds.low; x <= bounds.high; ++x) {
    std::fill(rows[first].begin(), rows[first].end(), x);
    for (size_t k = next; k < instrs.size(); ++k) {
      const npu_instr &instr = instrs[k];
      stepRow(instr, value(instr.a), value(instr.b), value(instr.c),
              rows[operands.size() + 1 + k].data(), row);
    }
    table.bytes.resize(table.bytes.size() + row);
    storeRow(outputType, rows.back().data(),
             table.bytes.data() + table.bytes.size() - row, 0, row);
  }
  return table;
}

void IntegerSteps::packPairs(const void *const *data) {
  pairs.reset();
  auto step = std::find_if(steps.begin(), steps.end(),
                           [](const Step &one) { return one.end.has_value(); });
  if (!storesBytes() || step == steps.end() || &*step == &steps.back())
    return;
  size_t next = step->last + 1, first = operands.size() + next;
  ScaleEnd bounds = step->end->bounded();
  int paired = pairedOperand(next, first, data);
  constexpr int32_t mostBytes = 256;
  if (paired < 0 || bounds.high - bounds.low >= mostBytes)
    return;
  std::optional<PairScale> scale = guessPairs(next, first, paired, data);
  if (scale)
    scale = provedPairScale(*scale,
                            tableOfPairs(next, first, paired, bounds, data));
  if (scale)
    pairs = {static_cast<size_t>(step - steps.begin()),
             static_cast<size_t>(paired), *scale};
}

} // namespace npu::kernels
