// SPDX-License-Identifier: Apache-2.0
//
// Fusion and layout by brute force: on small random graphs `optimal` finds the
// cheapest of all that it chooses among, and how much cheaper any other way to
// group the ops would be is counted.
#include "compiler/Fusion/Passes.h"
#include "compiler/Layout/Apply/SplitGroups.h"
#include "compiler/Layout/Explain/RelayoutReport.h"
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Problem/SplitGroup.h"
#include "compiler/Layout/Strategies/SearchProblem.h"
#include "compiler/Target/Fuses.h"
#include "test/compiler/Layout/LayoutFixture.h"
#include "test/compiler/Support/RandomBuilder.h"
#include "test/every_case.h"

#include "mlir/IR/Verifier.h"

using namespace npu;

namespace {

const char *const chips[] = {"npu-nhwc",    "npu-nchw",  "npu-nchw16c",
                             "npu-nc1hwc2", "npu-tiles", "host"};

/// Convolutions, poolings, functions and sums of images of one size, which come
/// and go with their channels first or last.
class Generator : test::RandomBuilder {
public:
  Generator(MLIRContext &context, unsigned seed)
      : RandomBuilder(context, seed) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(int64_t steps) {
    static const int64_t channels[] = {3, 16, 64}, sides[] = {7, 28, 56};
    const int64_t depth = channels[pick(3)], side = sides[pick(3)];
    shape = {1, depth, side, side};
    SmallVector<Type> arguments;
    SmallVector<bool> areLast;
    for (int64_t i = 1 + pick(3); i > 0; --i) {
      areLast.push_back(oneIn(3));
      arguments.push_back(typeOf(areLast.back() ? lastShape() : shape));
    }
    auto module = startModule(arguments);
    SmallVector<Value> given(values);
    values.clear();
    for (auto [argument, isLast] : llvm::zip(given, areLast))
      values.push_back(isLast ? toFirst(argument) : argument);
    if (values.size() > 1 && coin()) { // whose order is the sum's?
      Value sum = eltwise(NPU_INSTR_add, {convolution(values[0]), values[1]});
      values.push_back(sum);
      steps -= 2;
    }
    for (int64_t i = 0; i < steps; ++i)
      values.push_back(step());
    SmallVector<Value> results;
    for (Value value : values)
      if (value.use_empty() && value.getDefiningOp())
        results.push_back(oneIn(3) ? toLast(value) : value);
    finishModule(results);
    return module;
  }

private:
  SmallVector<int64_t> lastShape() const {
    return {shape[0], shape[2], shape[3], shape[1]};
  }
  Value toFirst(Value value) {
    return TransposeOp::create(builder, location, typeOf(shape), value,
                               ints({0, 3, 1, 2}));
  }
  Value toLast(Value value) {
    return TransposeOp::create(builder, location, typeOf(lastShape()), value,
                               ints({0, 2, 3, 1}));
  }

  Value step() {
    Value data = pickValue();
    switch (pick(6)) {
    case 0:
    case 1:
      return convolution(data);
    case 2:
      return eltwise(NPU_INSTR_relu, data);
    case 3:
      return MaxPoolOp::create(builder, location, typeOf(shape), data,
                               ints({3, 3}), ints({1, 1}), ints({1, 1, 1, 1}),
                               ints({1, 1}));
    default:
      return eltwise(coin() ? NPU_INSTR_add : NPU_INSTR_mul,
                     {data, anyOf(values)});
    }
  }

  Value convolution(Value data) {
    const int64_t side = coin() ? 1 : 3, pad = side / 2;
    RankedTensorType type = typeOf({shape[1], shape[1], side, side});
    Value weight = ConstantOp::create(
        builder, location, type,
        mlir::DenseElementsAttr::get(type, builder.getF32FloatAttr(1)));
    return Conv2dOp::create(builder, location, typeOf(shape), data, weight,
                            Value(), ints({1, 1}), ints({pad, pad, pad, pad}),
                            ints({1, 1}), builder.getI64IntegerAttr(1));
  }

  SmallVector<int64_t> shape;
};

mlir::func::FuncOp mainOf(mlir::ModuleOp module) {
  return *module.getOps<mlir::func::FuncOp>().begin();
}

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

/// Ops that compute, in order.
SmallVector<Operation *> opsOf(mlir::func::FuncOp function) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    if (auto rule = dyn_cast<LayoutOpInterface>(op))
      if (rule.getSensitivity() != Sensitivity::Data)
        ops.push_back(&op);
  return ops;
}

/// As npu.fused has them; empty where they cannot be one kernel: one op that is
/// not elementwise, which reads none of the others, and nobody else reads
/// anything but the last one's value.
SmallVector<Operation *> asGroup(ArrayRef<Operation *> members) {
  SmallVector<Operation *> ordered;
  for (Operation *op : members)
    if (!isa<EltwiseOp>(op)) {
      if (!ordered.empty() ||
          llvm::any_of(op->getOperands(), [&](Value operand) {
            return llvm::is_contained(members, operand.getDefiningOp());
          }))
        return {};
      ordered.push_back(op);
    }
  for (Operation *op : members)
    if (isa<EltwiseOp>(op))
      ordered.push_back(op);
  if (!isa<EltwiseOp>(ordered.back()))
    return {};
  for (Operation *op : ArrayRef(ordered).drop_back())
    if (op->use_empty() || llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !llvm::is_contained(members, user);
        }))
      return {};
  return ordered;
}

/// The ops of a group, in order.
SmallVector<Operation *> membersOf(ArrayRef<Operation *> ops,
                                   ArrayRef<unsigned> groups, unsigned group) {
  SmallVector<Operation *> members;
  for (auto [op, number] : llvm::zip(ops, groups))
    if (number == group)
      members.push_back(op);
  return members;
}

/// Calls `use` with each way to make kernels of the ops that the target takes:
/// for each op the number of its group.
void forEachGrouping(ArrayRef<Operation *> ops, const TargetSpec &target,
                     llvm::function_ref<void(ArrayRef<unsigned>)> use) {
  SmallVector<unsigned> groups;
  auto isGood = [&] {
    for (unsigned group = 0; group < ops.size(); ++group) {
      SmallVector<Operation *> members = membersOf(ops, groups, group);
      if (members.size() < 2)
        continue;
      members = asGroup(members);
      if (members.empty() || !mayFuse(target, members))
        return false;
    }
    return true;
  };
  std::function<void(unsigned)> go = [&](unsigned fresh) {
    if (groups.size() == ops.size()) {
      if (isGood())
        use(groups);
      return;
    }
    const bool mayJoin = isa<EltwiseOp>(ops[groups.size()]);
    for (unsigned group = mayJoin ? 0 : fresh; group <= fresh; ++group) {
      groups.push_back(group);
      go(std::max(fresh, group + 1));
      groups.pop_back();
    }
  };
  go(0);
}

void makeKernels(mlir::func::FuncOp function, ArrayRef<unsigned> groups) {
  SmallVector<Operation *> ops = opsOf(function);
  for (unsigned group = 0; group < ops.size(); ++group) {
    SmallVector<Operation *> members = membersOf(ops, groups, group);
    if (members.size() < 2)
      continue;
    members = asGroup(members);
    OpBuilder builder(members.back());
    FusedOp fused = makeFused(builder, members);
    members.back()->getResult(0).replaceAllUsesWith(fused.getResult());
    for (Operation *op : llvm::reverse(members))
      op->erase();
  }
}

class GroupingsTest : public LayoutFixture {
protected:
  /// The cheapest layouts of these kernels.
  int64_t leastOf(mlir::func::FuncOp function, const TargetSpec &target,
                  const IoLayouts &io) {
    EXPECT_TRUE(succeeded(mlir::verify(function)));
    EXPECT_TRUE(succeeded(readyBoundary(function, target, io)));
    ImageAxesAnalysis axes(function);
    LayoutProblem problem(function, target, axes);
    EXPECT_TRUE(succeeded(bindBoundary(problem, io)));
    Candidates candidates(problem, plansOf(problem, strategies()));
    OpWays ways(problem, candidates);
    SearchPrices prices;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const OnChipValues &values : problem.residencies()) {
      SearchProblem searched({problem, values}, ways, prices);
      search::Solution solution = search::solve(searched.numbers());
      EXPECT_TRUE(solution.proved);
      least = std::min(least, searched.primary(solution.cost));
    }
    return least;
  }

  /// Of the groups as they are and with each split once, wherever it may be.
  int64_t leastSplit(Module fused, const TargetSpec &target,
                     const IoLayouts &io) {
    SmallVector<SmallVector<const Alternative *>> choices;
    for (FusedOp op : mainOf(*fused).getOps<FusedOp>()) {
      choices.push_back({nullptr});
      choices.back().append(splitsFor(op, target));
    }
    SmallVector<size_t> chosen(choices.size(), 0);
    int64_t least = std::numeric_limits<int64_t>::max();
    while (true) {
      Module copy(fused->clone());
      LayoutPlan plan;
      LayoutPins pins;
      for (auto [op, rows, at] :
           llvm::zip(mainOf(*copy).getOps<FusedOp>(), choices, chosen))
        if (rows[at])
          plan.splits[op] = {rows[at], {}, {}};
      ImageAxesAnalysis axes(mainOf(*copy));
      splitGroups(LayoutProblem(mainOf(*copy), target, axes), plan, pins);
      least = std::min(least, leastOf(mainOf(*copy), target, io));
      size_t at = 0;
      while (at < chosen.size() && ++chosen[at] == choices[at].size())
        chosen[at++] = 0;
      if (at == chosen.size())
        return least;
    }
  }

  /// Of every way to group the ops.
  int64_t leastGrouped(Module source, const TargetSpec &target,
                       const IoLayouts &io) {
    int64_t least = std::numeric_limits<int64_t>::max();
    auto price = [&](ArrayRef<unsigned> groups) {
      Module copy(source->clone());
      makeKernels(mainOf(*copy), groups);
      least = std::min(least, leastOf(mainOf(*copy), target, io));
    };
    forEachGrouping(opsOf(mainOf(*source)), target, price);
    return least;
  }
};

TEST_F(GroupingsTest, OptimalIsTheCheapestOfAllThatItChoosesAmong) {
  const unsigned graphs = test::caseCount(300, 5000);
  unsigned split = 0, beaten = 0;
  double most = 0;
  for (unsigned seed = 0; seed < graphs; ++seed) {
    const char *chip = chips[seed % std::size(chips)];
    TargetSpec target = load(chip);
    IoLayouts io;
    io.fixed = seed / std::size(chips) % 2 == 0;
    Module source = Generator(context, seed).run(io.fixed ? 6 : 4);
    Module fused(source->clone());
    fuse(mainOf(*fused), &target);
    LayoutOptions options;
    options.io = io;
    options.verifyExactly = true;
    Module decided(fused->clone());
    std::optional<SearchOutcome> search;
    ASSERT_TRUE(
        succeeded(runLayoutStage(mainOf(*decided), target, options, &search)));
    std::string where = "seed " + std::to_string(seed) + " on " + chip;
    ASSERT_TRUE(search->proved) << where;
    EXPECT_EQ(reportLayouts(mainOf(*decided), target).cost.kernels.cycles,
              search->cost)
        << where;
    split += hasSplits(mainOf(*decided));
    const int64_t among = leastSplit(std::move(fused), target, io);
    // With a cache only splits where an order changes are ways. Of a group that
    // is two ops the value between has fewer candidates.
    if (target.machine.cacheKiB == 0)
      EXPECT_LE(search->cost, among) << where;
    const int64_t least = leastGrouped(std::move(source), target, io);
    beaten += least < search->cost;
    most = std::max(most, static_cast<double>(search->cost - least) /
                              static_cast<double>(search->cost));
  }
  EXPECT_GT(split, 0u);
  RecordProperty("split", std::to_string(split));
  RecordProperty("beaten", std::to_string(beaten));
  RecordProperty("by_at_most", std::to_string(most));
}

} // namespace
