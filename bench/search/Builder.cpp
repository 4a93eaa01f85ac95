// SPDX-License-Identifier: Apache-2.0
#include "bench/search/Builder.h"

namespace npu::search::bench {

namespace {

constexpr int layouts = 4;

} // namespace

int Builder::addValue(Cost size) {
  Value value;
  value.layouts = layouts;
  for (int from = 0; from < layouts; ++from)
    for (int to = 0; to < layouts; ++to)
      value.move.push_back(from == to ? 0 : price(2 * size));
  problem.values.push_back(std::move(value));
  bytes.push_back(size);
  return static_cast<int>(problem.values.size()) - 1;
}

int Builder::addOp(Op op) {
  int result = op.results.empty() ? -1 : op.results.front();
  problem.ops.push_back(std::move(op));
  return result;
}

int Builder::input(Cost size, bool fixed) {
  Op op;
  op.results = {addValue(size)};
  for (int layout = 0; layout < (fixed ? 1 : layouts); ++layout)
    op.ways.push_back({price(0), {layout}});
  return addOp(std::move(op));
}

int Builder::heavy(int operand, Cost size) {
  Op op;
  op.operands = {operand};
  op.results = {addValue(size)};
  Cost work = (bytes[operand] + size) * (1 + upTo(7));
  int favourite = upTo(3);
  bool strict = upTo(1) == 0;
  for (int layout = 0; layout < layouts; ++layout)
    if (layout == favourite || !strict)
      op.ways.push_back(
          {price(layout == favourite ? work : work + work * upTo(10) / 10),
           {layout, layout}});
  return addOp(std::move(op));
}

int Builder::agnostic(const std::vector<int> &operands, Cost size) {
  Op op;
  op.operands = operands;
  op.results = {addValue(size)};
  for (int layout = 0; layout < layouts; ++layout)
    op.ways.push_back(
        {price(size), std::vector<int>(operands.size() + 1, layout)});
  return addOp(std::move(op));
}

int Builder::product(int left, int right, Cost size) {
  Op op;
  op.operands = {left, right};
  op.results = {addValue(size)};
  Cost work = bytes[left] + bytes[right] + size;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 2; ++c)
        op.ways.push_back(
            {price(work + (a + 2 * b + c) * work / 8), {a, b, c}});
  return addOp(std::move(op));
}

void Builder::output(int operand) {
  Op op;
  op.operands = {operand};
  op.ways = {{0, {0}}};
  addOp(std::move(op));
}

} // namespace npu::search::bench
