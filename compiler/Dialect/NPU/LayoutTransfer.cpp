// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutTransfer.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;
using llvm::ArrayRef;
using llvm::SmallVector;

using Factors = SmallVector<int, 12>;

StoredOrder StoredOrder::rowMajor(size_t rank) {
  StoredOrder result;
  for (size_t i = 0; i < rank; ++i)
    result.order.push_back(i);
  return result;
}

/// Whether the place of a dimension in the order means nothing: its elements,
/// or its blocks, are one.
static bool hasNoPlace(const StoredOrder &layout, ArrayRef<int64_t> shape,
                       int64_t dim) {
  int64_t inBlocks = 1;
  for (const LayoutBlock &block : layout.blocks)
    if (block.dim == dim)
      inBlocks *= block.size;
  return shape[dim] <= inBlocks;
}

/// The dimensions whose place means something, outermost first.
static SmallVector<int64_t, 6> movingDims(const StoredOrder &layout,
                                          ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 6> result;
  for (int64_t dim : layout.order)
    if (!hasNoPlace(layout, shape, dim))
      result.push_back(dim);
  return result;
}

bool npu::sameStorage(const StoredOrder &a, const StoredOrder &b,
                      ArrayRef<int64_t> shape) {
  return a.blocks == b.blocks && movingDims(a, shape) == movingDims(b, shape);
}

static bool contains(ArrayRef<int> list, int factor) {
  return llvm::is_contained(list, factor);
}

/// Where `part` lies in `whole` without gaps, or -1.
static int findRun(ArrayRef<int> whole, ArrayRef<int> part) {
  const int *it = llvm::search(whole, part);
  return it == whole.end() ? -1 : static_cast<int>(it - whole.begin());
}

/// The factors of all dimensions larger than 1, in the order of memory.
static Factors memoryOrder(const RelatedValue &value,
                           const StoredOrder &layout) {
  Factors result;
  for (int64_t dim : layout.order)
    if (value.shape[dim] != 1)
      result.append(value.dims[dim].begin(), value.dims[dim].end());
  return result;
}

/// Replaces one side of each regroup by the other; false where it is scattered.
static bool regroup(const LayoutRelation &relation, Factors &memory) {
  for (const LayoutRelation::Regroup &group : relation.regroups) {
    bool forward = contains(memory, group.operand.front());
    const auto &have = forward ? group.operand : group.result;
    const auto &want = forward ? group.result : group.operand;
    if (have.empty() || !contains(memory, have.front()))
      continue;
    int at = findRun(memory, have);
    if (at < 0)
      return false;
    memory.erase(memory.begin() + at, memory.begin() + at + have.size());
    memory.insert(memory.begin() + at, want.begin(), want.end());
  }
  return true;
}

namespace {
/// The dimensions of the target value that the source's order decides.
struct Decided {
  SmallVector<int64_t, 6> dims; // outermost first
  bool complete = true;
  std::string whyNot; // empty: fine
};
} // namespace

static Decided decideDims(const RelatedValue &to, const Factors &memory) {
  Decided result;
  Factors known;
  for (int factor : memory)
    for (auto [dim, factors] : llvm::enumerate(to.dims))
      if (to.shape[dim] != 1 && contains(factors, factor))
        known.push_back(factor);
  SmallVector<std::pair<int, int64_t>, 6> places;
  for (auto [dim, factors] : llvm::enumerate(to.dims)) {
    if (to.shape[dim] == 1)
      continue;
    bool some =
        llvm::any_of(factors, [&](int f) { return contains(known, f); });
    if (!some) {
      result.complete = false;
      continue;
    }
    int at = findRun(known, factors);
    if (at < 0) {
      result.whyNot = "dimension " + std::to_string(dim) +
                      " is made of dimensions that are not next to each "
                      "other, in order, in memory";
      return result;
    }
    places.push_back({at, static_cast<int64_t>(dim)});
  }
  llvm::sort(places);
  for (auto [at, dim] : places)
    result.dims.push_back(dim);
  return result;
}

/// Fills in the dimensions whose place is free: where both values have the same
/// rank they keep the source's place, else they follow their neighbour.
static SmallVector<int64_t, 6> placeFreeDims(ArrayRef<int64_t> decided,
                                             const StoredOrder &source,
                                             size_t rank) {
  SmallVector<int64_t, 6> result;
  if (source.order.size() == rank) {
    const int64_t *next = decided.begin();
    for (int64_t dim : source.order)
      result.push_back(llvm::is_contained(decided, dim) ? *next++ : dim);
    return result;
  }
  result.assign(decided.begin(), decided.end());
  for (int64_t dim = 0; dim < static_cast<int64_t>(rank); ++dim) {
    if (llvm::is_contained(decided, dim))
      continue;
    auto *before = llvm::find(result, dim - 1);
    result.insert(before == result.end() ? result.begin() : before + 1, dim);
  }
  return result;
}

/// Carries one block over; false where the blocked dimension is not one whole
/// dimension of the target value. A dimension that `to` lacks has no block.
static bool transferBlock(const RelatedValue &from, const LayoutBlock &block,
                          const RelatedValue &to,
                          SmallVector<LayoutBlock, 2> &blocks) {
  const auto &factors = from.dims[block.dim];
  bool related = false;
  for (size_t dim = 0; dim < to.dims.size(); ++dim) {
    const auto &target = to.dims[dim];
    bool touches = llvm::any_of(
        factors, [&](int factor) { return contains(target, factor); });
    if (!touches)
      continue;
    if (factors.size() != 1 || target.size() != 1)
      return false;
    related = true;
    // An extent of 1 that is broadcast is not stored in blocks.
    if (to.shape[dim] != 1 || from.shape[block.dim] == 1)
      blocks.push_back({static_cast<int64_t>(dim), block.size});
  }
  return related || !factors.empty();
}

TransferResult npu::transferLayout(const LayoutRelation &relation,
                                   const RelatedValue &from,
                                   const StoredOrder &layout,
                                   const RelatedValue &to) {
  TransferResult result;
  Factors memory = memoryOrder(from, layout);
  if (!layout.blocks.empty() && !relation.regroups.empty()) {
    result.whyNot =
        "blocks do not pass through a reshape that mixes dimensions";
    return result;
  }
  if (!regroup(relation, memory)) {
    result.whyNot = "the reshape mixes dimensions that are not next to each "
                    "other, in order, in memory";
    return result;
  }
  Decided decided = decideDims(to, memory);
  if (!decided.whyNot.empty()) {
    result.whyNot = decided.whyNot;
    return result;
  }
  StoredOrder stored;
  for (const LayoutBlock &block : layout.blocks)
    if (!transferBlock(from, block, to, stored.blocks)) {
      result.whyNot = "the blocked dimension " + std::to_string(block.dim) +
                      " is split or merged";
      return result;
    }
  stored.order = placeFreeDims(decided.dims, layout, to.dims.size());
  result.complete = decided.complete;
  result.layout = stored;
  return result;
}

/// The blocks of dimensions larger than 1 that carry one of these factors.
static SmallVector<std::pair<int, int64_t>, 2>
comparableBlocks(const RelatedValue &value, const StoredOrder &layout,
                 ArrayRef<int> shared) {
  SmallVector<std::pair<int, int64_t>, 2> result;
  for (const LayoutBlock &block : layout.blocks)
    if (value.shape[block.dim] != 1)
      for (int factor : value.dims[block.dim])
        if (contains(shared, factor))
          result.push_back({factor, block.size});
  return result;
}

/// The factors of dimensions that lie in one block.
static Factors factorsAnywhere(const RelatedValue &value,
                               const StoredOrder &layout) {
  Factors result;
  for (size_t dim = 0; dim < value.dims.size(); ++dim)
    if (hasNoPlace(layout, value.shape, static_cast<int64_t>(dim)))
      result.append(value.dims[dim].begin(), value.dims[dim].end());
  return result;
}

bool npu::layoutsAgree(const LayoutRelation &relation, const RelatedValue &a,
                       const StoredOrder &layoutA, const RelatedValue &b,
                       const StoredOrder &layoutB) {
  Factors memoryA = memoryOrder(a, layoutA), memoryB = memoryOrder(b, layoutB);
  // memoryA may be written in factors that only b's side of a regroup has.
  if (!relation.regroups.empty() && !regroup(relation, memoryA))
    return false;
  Factors shared;
  for (int factor : memoryA)
    if (contains(memoryB, factor))
      shared.push_back(factor);
  llvm::erase_if(memoryB,
                 [&](int factor) { return !contains(shared, factor); });
  if (comparableBlocks(a, layoutA, shared) !=
      comparableBlocks(b, layoutB, shared))
    return false;
  Factors anywhere = factorsAnywhere(a, layoutA);
  anywhere.append(factorsAnywhere(b, layoutB));
  for (Factors *memory : {&shared, &memoryB})
    llvm::erase_if(*memory,
                   [&](int factor) { return contains(anywhere, factor); });
  return memoryB == shared;
}
