// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/DimensionCuts.h"

#include "compiler/Dialect/NPU/LayoutUse.h"

#include <map>
#include <tuple>

using namespace npu;

DimensionCuts::DimensionCuts(mlir::func::FuncOp function) {
  Block &block = function->getRegion(0).front();
  llvm::for_each(block.getArguments(), [&](Value value) { number(value); });
  for (Operation &op : block)
    llvm::for_each(op.getResults(), [&](Value value) { number(value); });
  classes.grow(count);
  for (Operation &op : block)
    join(&op);
  classes.compress();
  for (Operation &op : block)
    cut(&op);
}

void DimensionCuts::number(Value value) {
  numbers[value] = count;
  count += static_cast<unsigned>(tensorType(value).getRank());
}

namespace {

/// A dimension of one of an op's values, as a part of a flat index.
struct Part {
  Value value;
  unsigned dim;
  int64_t extent;
  RelatedDim related;

  /// Where the dimension above it begins in the flat index.
  int64_t end() const { return related.place * extent; }
};

} // namespace

/// The dimensions of an op's values that have more than one element.
static SmallVector<Part> partsOf(LayoutOpInterface op) {
  SmallVector<Part> parts;
  LayoutRelation relation = op.getLayoutRelation();
  auto add = [&](Value value, ArrayRef<RelatedDim> dims) {
    for (auto [dim, related] : llvm::enumerate(dims)) {
      const int64_t extent = tensorType(value).getShape()[dim];
      if (extent > 1 && related.group != RelatedDim::nowhere)
        parts.push_back({value, static_cast<unsigned>(dim), extent, related});
    }
  };
  for (auto [index, value] : llvm::enumerate(op->getOperands()))
    add(value, relation.operands[index]);
  for (auto [index, value] : llvm::enumerate(op->getResults()))
    add(value, relation.results[index]);
  return parts;
}

/// What has the same elements in several of an op's values is one dimension.
void DimensionCuts::join(Operation *op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule)
    return;
  // By group, place and extent.
  std::map<std::tuple<int, int64_t, int64_t>, unsigned> firsts;
  for (const Part &part : partsOf(rule)) {
    const unsigned mine = numbers.at(part.value) + part.dim;
    auto [first, isNew] = firsts.try_emplace(
        {part.related.group, part.related.place, part.extent}, mine);
    if (!isNew)
      classes.join(first->second, mine);
  }
}

/// Where a view has one boundary within a dimension of its other value, that
/// one is in two pieces. The first cut of a dimension counts.
void DimensionCuts::cut(Operation *op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule || rule.getSensitivity() != Sensitivity::Data)
    return;
  const SmallVector<Part> parts = partsOf(rule);
  for (const Part &part : parts) {
    SmallVector<int64_t> places;
    for (const Part &other : parts)
      if (other.related.group == part.related.group &&
          other.related.place > part.related.place &&
          other.related.place < part.end() &&
          !llvm::is_contained(places, other.related.place))
        places.push_back(other.related.place);
    if (places.size() == 1 && places[0] % part.related.place == 0 &&
        part.end() % places[0] == 0)
      inner.try_emplace(classes[numbers.at(part.value) + part.dim],
                        places[0] / part.related.place);
  }
}

SmallVector<int64_t, 6> DimensionCuts::innerOf(Value value) const {
  while (auto relayout = value.getDefiningOp<RelayoutOp>())
    value = relayout.getInput();
  SmallVector<int64_t, 6> result;
  auto known = numbers.find(value);
  if (known == numbers.end())
    return result;
  bool isCut = false;
  for (int64_t dim = 0; dim < tensorType(value).getRank(); ++dim) {
    const unsigned number = known->second + static_cast<unsigned>(dim);
    result.push_back(inner.lookup(classes[number]));
    isCut |= result.back() > 0;
  }
  if (!isCut)
    result.clear();
  return result;
}
