// SPDX-License-Identifier: Apache-2.0
//
// What stays on the chip, and where.
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Residencies.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/TargetSpec.h"
#include "test/compiler/Layout/LayoutFixture.h"

#include <random>
#include <set>

namespace npu {
namespace {

class OnChipTest : public LayoutFixture {
protected:
  std::vector<OnChipValues> listOf(mlir::func::FuncOp function, double kib,
                                   ArrayRef<int64_t> blocks = {}) {
    spec = load("npu-nhwc");
    spec.machine.sramKiB = kib;
    spec.blocks.assign(blocks.begin(), blocks.end());
    ImageAxesAnalysis axes(function);
    return residenciesOf(LayoutProblem(function, spec, axes));
  }

  /// Elementwise ops, each of one or two values before it; the last is the
  /// output.
  std::string chainOf(unsigned seed, int ops) {
    std::mt19937 random(seed);
    auto type = [](int64_t channels) {
      return "tensor<1x" + std::to_string(channels) + "x4x4xf32>";
    };
    const std::string one = type(12);
    std::string text = "func.func @f(%0: " + one + ") -> " + one + " {\n";
    for (int op = 1; op <= ops; ++op) {
      auto before = [&] {
        return "%" + std::to_string(op - 1 - random() % std::min(op, 5));
      };
      text += "  %" + std::to_string(op) + " = npu.eltwise add(" + before() +
              ", " + before() + ") : (" + one + ", " + one + ") -> " + one +
              "\n";
    }
    return text + "  return %" + std::to_string(ops) + " : " + one + "\n}\n";
  }

  TargetSpec spec = load("npu-nhwc");
};

std::string slotsText(const OnChipValues &values) {
  std::string text;
  for (const OnChipSlot &slot : values.slots())
    text += std::to_string(slot.first) + "-" + std::to_string(slot.last) + "@" +
            std::to_string(slot.offset) + "+" + std::to_string(slot.place) +
            "x" + std::to_string(1 + slot.copies) + " ";
  return text;
}

} // namespace

/// x is read by both ops behind it: it lives longest, and lies lowest.
TEST_F(OnChipTest, LongLivesLieLow) {
  mlir::func::FuncOp function = parse(R"(
    func.func @f(%0: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
      %x = npu.eltwise relu(%0) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
      %y = npu.eltwise relu(%x) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
      %z = npu.eltwise add(%x, %y) : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
      return %z : tensor<1x8x4x4xf32>
    })");
  std::vector<OnChipValues> list = listOf(function, 64);
  std::vector<std::string> texts;
  for (const OnChipValues &values : list)
    texts.push_back(slotsText(values));
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "1-2@1536+512x2 0-2@0+512x3 ", "0-2@0+512x3 ",
                       "1-2@0+512x2 ", "1-2@512+512x1 0-2@0+512x1 ",
                       "1-2@0+512x1 ", "0-2@0+512x1 ", ""}));
}

/// More memory has all the choices of less; only what fits depends on it.
TEST_F(OnChipTest, MoreMemoryHasAllChoicesOfLess) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    mlir::func::FuncOp function =
        parse(chainOf(seed, 2 + static_cast<int>(seed % 20)));
    std::set<std::string> before;
    for (double kib : {0.0, 1.0, 2.0, 3.0, 5.0, 9.0, 64.0}) {
      std::set<std::string> now;
      for (const OnChipValues &values : listOf(function, kib, {8, 16})) {
        EXPECT_LE(values.peak(), kib * 1024);
        now.insert(slotsText(values));
      }
      for (const std::string &text : before)
        EXPECT_TRUE(now.count(text)) << seed << ", " << kib << ": " << text;
      before = std::move(now);
    }
  }
}

/// A window of an image behind a view, among values that need no second order.
static const char *const windows = R"(
  func.func @f(%0: tensor<1x8x4x4xf32>) -> tensor<4x4x8xf32> {
    %w = npu.constant dense<1.0> : tensor<8x8xf32> -> tensor<8x8xf32>
    %c = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
    %1 = npu.conv2d(%0, %c) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x4xf32>
    %2 = npu.reshape(%1) : (tensor<1x8x4x4xf32>) -> tensor<8x2x2x2x2xf32>
    %3 = npu.transpose(%2) {permutation = [1, 3, 2, 4, 0]} : (tensor<8x2x2x2x2xf32>) -> tensor<2x2x2x2x8xf32>
    %4 = npu.reshape(%3) : (tensor<2x2x2x2x8xf32>) -> tensor<4x4x8xf32>
    %5 = npu.matmul(%4, %w) : (tensor<4x4x8xf32>, tensor<8x8xf32>) -> tensor<4x4x8xf32>
    %6 = npu.matmul(%5, %w) : (tensor<4x4x8xf32>, tensor<8x8xf32>) -> tensor<4x4x8xf32>
    %7 = npu.matmul(%6, %w) : (tensor<4x4x8xf32>, tensor<8x8xf32>) -> tensor<4x4x8xf32>
    %8 = npu.eltwise add(%5, %7) : (tensor<4x4x8xf32>, tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
    return %8 : tensor<4x4x8xf32>
  })";

/// A chip that takes more layouts has all the choices of one that takes fewer,
/// and is never slower: its list named the windows' image as one without
/// another order, so no place for the copy was left.
TEST_F(OnChipTest, MoreLayoutsHaveAllChoicesOfFewer) {
  auto chip = [](double kib, const char *further) {
    const std::string fewer =
        "name: chip\nsummary: windows\ntypes: [f32]\nblocks: []\n"
        "machine:\n  clock: 1000 MHz\n  mac_rows: 8 MAC\n"
        "  mac_columns: 8 MAC\n  vector_lanes: 8 lanes\n  dram: 64 MiB\n"
        "  dram_bandwidth: 1 GB/s\n  dma_burst: 64 B\n"
        "  dma_start: 100 cycles\n  kernel_start: 10 cycles\n"
        "  strided_access: 4 times\n  sram: 1 KiB\ndemands:\n"
        "  - ops: [conv2d]\n    data: [NHWC]\n    weight: [HWOI]\n"
        "    result: [NHWC]\n"
        "  - ops: [matmul]\n    a: [row-major]\n    b: [row-major]\n"
        "    result: [row-major]\n";
    std::string error;
    std::optional<TargetSpec> read =
        parseTarget(fewer + further, "chip.yaml", error);
    EXPECT_TRUE(read) << error;
    read->machine.sramKiB = kib;
    return *read;
  };
  const char *const more = "  - ops: [matmul]\n    a: [ababc, bac]\n"
                           "    b: [row-major, ba]\n    result: [acb]\n";
  for (double kib : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0}) {
    std::vector<int64_t> costs;
    std::set<std::string> before;
    for (const char *further : {"", more}) {
      TargetSpec target = chip(kib, further);
      mlir::func::FuncOp function = parse(windows);
      ImageAxesAnalysis axes(function);
      std::set<std::string> now;
      for (const OnChipValues &values :
           residenciesOf(LayoutProblem(function, target, axes)))
        now.insert(slotsText(values));
      for (const std::string &text : before)
        EXPECT_TRUE(now.count(text)) << kib << ": " << text;
      before = std::move(now);
      LayoutOptions options;
      options.strategy = "optimal";
      std::optional<SearchOutcome> search;
      ASSERT_TRUE(
          succeeded(runLayoutStage(function, target, options, &search)));
      EXPECT_TRUE(search->proved);
      costs.push_back(search->cost);
    }
    EXPECT_LE(costs[1], costs[0]) << kib;
  }
}

/// No two slots share a byte while both live; each begins in the lowest gap.
TEST_F(OnChipTest, SlotsThatLiveTogetherLieApart) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    mlir::func::FuncOp function =
        parse(chainOf(seed, 2 + static_cast<int>(seed % 20)));
    for (const OnChipValues &values : listOf(function, 64, {8, 16})) {
      ArrayRef<OnChipSlot> slots = values.slots();
      for (size_t i = 0; i < slots.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
          const OnChipSlot &a = slots[i], &b = slots[j];
          EXPECT_TRUE(a.last < b.first || b.last < a.first ||
                      a.end() <= b.offset || b.end() <= a.offset)
              << slotsText(values);
        }
      size_t index = 0;
      for (Operation &op : function.getBody().front().without_terminator()) {
        double top = 0;
        for (const OnChipSlot &slot : slots)
          if (slot.first <= index && index <= slot.last)
            top = std::max(top, static_cast<double>(slot.end()));
        EXPECT_EQ(values.reserved(&op), top);
        ++index;
      }
    }
  }
}

/// A blocked layout needs the wide place; a second one a place of its own.
TEST_F(OnChipTest, PlacesSayWhichLayoutsAreThere) {
  mlir::func::FuncOp function = parse(R"(
    func.func @f(%0: tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32> {
      %1 = npu.eltwise relu(%0) : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
      %2 = npu.eltwise relu(%1) : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
      return %2 : tensor<1x12x4x4xf32>
    })");
  Value value = function.getBody().front().front().getResult(0);
  LayoutAttr plain = rowMajor(value);
  LayoutAttr blocked =
      LayoutAttr::get(&context, {0, 1, 2, 3}, {LayoutBlock{1, 16}});
  ASSERT_EQ(storedBytes(tensorType(value), blocked), 1024);
  int wide = 0, tight = 0;
  for (const OnChipValues &values : listOf(function, 64, {16})) {
    const OnChipSlot *slot = values.slotOf(value);
    EXPECT_EQ(values.holds(value, plain), slot != nullptr);
    if (!slot)
      continue;
    EXPECT_EQ(values.holds(value, blocked), slot->place >= 1024);
    EXPECT_EQ(values.holds(value, LayoutAttr()), slot->place >= 1024);
    EXPECT_EQ(values.lacksCopy(value, plain), slot->copies == 0);
    EXPECT_EQ(values.lacksCopy(value, blocked),
              slot->copies == 0 && slot->place >= 1024);
    EXPECT_TRUE(values.forNothing().holds(value, blocked));
    EXPECT_FALSE(values.forNothing().lacksCopy(value, plain));
    ++(slot->place >= 1024 ? wide : tight);
  }
  EXPECT_EQ(wide, 2);
  EXPECT_EQ(tight, 1);
}

/// A pinned value is in each choice, or in none.
TEST_F(OnChipTest, PinsHold) {
  for (bool stays : {true, false})
    for (int ops : {5, 20}) {
      mlir::func::FuncOp function = parse(chainOf(3, ops));
      Operation &op = function.getBody().front().front();
      op.setAttr(residentAttr, mlir::BoolAttr::get(&context, stays));
      if (!whyNotOnChip(op.getResult(0)).empty())
        continue;
      for (const OnChipValues &values : listOf(function, 64))
        EXPECT_EQ(values.contains(op.getResult(0)), stays);
    }
}

/// Bounds are of ops with the same values on the chip.
TEST_F(OnChipTest, BoundsCountWhatIsOnTheChip) {
  mlir::func::FuncOp function = parse(chainOf(1, 6));
  std::vector<OnChipValues> list = listOf(function, 64);
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front().without_terminator())
    ops.push_back(&op);
  ops.push_back(nullptr);
  auto leastOf = [&](size_t op, const OnChipValues &values) {
    int64_t away = 0;
    for (Value operand : ops[op]->getOperands())
      away += !values.contains(operand);
    return away + !values.contains(ops[op]->getResult(0));
  };
  std::vector<ResidencyBound> bounds = boundsOf(list, ops, leastOf);
  ASSERT_EQ(bounds.size(), list.size());
  for (auto [number, bound] : llvm::enumerate(bounds)) {
    int64_t sum = 0;
    for (size_t op = 0; op + 1 < ops.size(); ++op)
      sum += leastOf(op, list[bound.number]);
    EXPECT_EQ(bound.least, sum);
    EXPECT_TRUE(number == 0 || bounds[number - 1].least <= sum);
  }
}

} // namespace npu
