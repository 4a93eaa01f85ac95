// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/Placeable.h"

#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/OpSlots.h"

using namespace npu;

using Blocks = SmallVector<LayoutBlock>;

/// The same sizes of any dimensions of a value, each dimension for one of them;
/// blocks of some dimensions may be missing, as the value may lack these.
static void addRenamed(ArrayRef<LayoutBlock> blocks, int64_t rank,
                       SmallVectorImpl<Blocks> &all) {
  SmallVector<int64_t> dims;
  for (const LayoutBlock &block : blocks)
    if (!llvm::is_contained(dims, block.dim))
      dims.push_back(block.dim);
  // Each of `dims` becomes one of `rank` dimensions or, `rank`, none.
  SmallVector<int64_t> names(dims.size(), 0);
  auto next = [&] {
    for (int64_t &name : names) {
      if (++name <= rank)
        return true;
      name = 0;
    }
    return false;
  };
  do {
    Blocks renamed;
    bool isOneToOne = true;
    for (auto [index, name] : llvm::enumerate(names))
      isOneToOne &= name == rank || llvm::count(names, name) == 1;
    for (const LayoutBlock &block : blocks)
      if (int64_t name = names[llvm::find(dims, block.dim) - dims.begin()];
          name < rank)
        renamed.push_back({name, block.size});
    if (isOneToOne && !llvm::is_contained(all, renamed))
      all.push_back(renamed);
  } while (next());
}

/// Every permutation, plain and with each of the blocks.
static SmallVector<LayoutAttr> everyOrder(Value value,
                                          ArrayRef<Blocks> blocks) {
  int64_t rank = tensorType(value).getRank();
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  SmallVector<Blocks> all = {Blocks()};
  for (const Blocks &listed : blocks)
    addRenamed(listed, rank, all);
  SmallVector<LayoutAttr> layouts;
  do {
    for (const Blocks &some : all)
      layouts.push_back(LayoutAttr::get(value.getContext(), order, some));
  } while (std::next_permutation(order.begin(), order.end()));
  return layouts;
}

namespace {
/// All layouts of one op that a signature of its target accepts.
class OpOrders {
public:
  explicit OpOrders(const OpSlots &signature)
      : slots(signature), orders(slots.all().size()) {
    for (const Slot &slot : slots.all())
      for (LayoutAttr layout : slot.accepted)
        if (Blocks some(layout.getBlocks()); !llvm::is_contained(blocks, some))
          blocks.push_back(some);
  }

  bool isDemanding() const {
    return llvm::any_of(
        slots.all(), [](const Slot &slot) { return !slot.accepted.empty(); });
  }

  ArrayRef<LayoutAttr> of(unsigned index) {
    const Slot &slot = slots[index];
    if (orders[index].empty())
      orders[index] = slot.accepted.empty() ? everyOrder(slot.value, blocks)
                                            : slot.accepted;
    return orders[index];
  }

  ArrayRef<LayoutAttr> ofResult() { return of(slots.anchor()); }

  /// Whether every other value of the op can go with the result in this layout.
  bool isPlaceable(LayoutAttr result) {
    if (slots.isView())
      return true; // it may move its data
    for (unsigned index = 0; index < slots.anchor(); ++index)
      if (!slots[index].independent &&
          llvm::none_of(of(index), [&](LayoutAttr layout) {
            return slots.goTogether(result, index, layout);
          }))
        return false;
    return true;
  }

private:
  const OpSlots &slots;
  SmallVector<SmallVector<LayoutAttr>> orders;
  SmallVector<Blocks> blocks;
};
} // namespace

/// In blocks, too, some layouts lie like these; auto-nhwc asks for none of
/// them.
static bool isChannelsLastOrSource(const LayoutProblem &problem,
                                   OpResult result, LayoutAttr layout) {
  ArrayRef<int64_t> shape = tensorType(result).getShape();
  std::optional<SmallVector<int64_t>> last =
      channelsLastOrder(problem.axes.atOp(result));
  return layout.getBlocks().empty() &&
         (layout.isRowMajor(shape) ||
          (last &&
           layout.isEquivalent(LayoutAttr::get(problem.getContext(), *last, {}),
                               shape)));
}

bool test::mustSucceed(const LayoutProblem &problem, StringRef strategy) {
  if (strategy == "none")
    return false;
  for (Operation &op : problem.function->getRegion(0).front()) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (!rule)
      continue;
    OpSlots slots(problem, rule);
    OpResult result = op.getResult(0);
    auto takes = [&](const OpSlots &signature) {
      OpOrders orders(signature);
      return !orders.isDemanding() ||
             llvm::any_of(orders.ofResult(), [&](LayoutAttr layout) {
               return (strategy != "auto-nhwc" ||
                       isChannelsLastOrSource(problem, result, layout)) &&
                      orders.isPlaceable(layout);
             });
    };
    if (llvm::none_of(slots.signatures(), takes))
      return false;
  }
  return true;
}
