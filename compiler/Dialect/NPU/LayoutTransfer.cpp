// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutTransfer.h"

#include "compiler/Dialect/NPU/OneSpelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace npu;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The dimension that is all of a group; -1: none.
static int64_t wholeDim(const RelatedValue &value, int group) {
  for (auto [dim, related] : llvm::enumerate(value.dims))
    if (related.group == group && related.isWhole)
      return static_cast<int64_t>(dim);
  return -1;
}

/// The dimensions that are parts of a group, outermost first.
static SmallVector<int64_t, 4> dimsOf(const RelatedValue &value, int group) {
  SmallVector<int64_t, 4> dims;
  for (auto [dim, related] : llvm::enumerate(value.dims))
    if (related.group == group)
      dims.push_back(static_cast<int64_t>(dim));
  return dims;
}

namespace {
/// Writes the digits of one value as digits of another.
class Transfer {
public:
  Transfer(const RelatedValue &from, const StoredOrder &layout,
           const RelatedValue &to)
      : from(from), layout(layout), to(to) {
    result.known.assign(to.shape.size(), false);
  }

  TransferResult run() {
    if (readDigits() && writeDigits())
      spellOut();
    return std::move(result);
  }

private:
  /// A digit on its way: of a dimension of the target that is a whole group, or
  /// (`isFlat`) of a group's flat index, where Digit::dim is the group.
  struct Part {
    Digit digit;
    bool isFlat;
  };

  bool refuse(std::string why) {
    result.whyNot = std::move(why);
    return false;
  }

  bool readDigits() {
    Digits digits = writtenDigits(layout, from.shape);
    for (auto [index, digit] : llvm::enumerate(digits)) {
      const RelatedDim &related = from.dims[digit.dim];
      bool isBlock = index >= from.shape.size();
      if (related.group == RelatedDim::nowhere) {
        if (digit.size != 1)
          return refuse("dimension " + std::to_string(digit.dim) +
                        ", which the other side does not have, is padded to " +
                        std::to_string(digit.size));
        continue;
      }
      int64_t whole = related.isWhole ? wholeDim(to, related.group) : -1;
      if (whole >= 0)
        keep(digit, isBlock, whole);
      else if (!dimsOf(to, related.group).empty() && !flatten(digit, related))
        return false;
    }
    return true;
  }

  /// A digit of a dimension that both values have, as it is spelled: where
  /// extents differ, it may mean something that it does not mean here.
  void keep(const Digit &digit, bool isBlock, int64_t dim) {
    int64_t have = from.shape[digit.dim], wanted = to.shape[dim];
    if (isBlock) {
      // An extent of 1 that is broadcast is not stored in blocks.
      if (wanted != 1 || have == 1)
        parts.push_back({{dim, digit.place, digit.size}, false});
      return;
    }
    // A dimension of one element does not tell where it is repeated.
    result.known[dim] = have != 1;
    int64_t size = llvm::divideCeilSigned(wanted, digit.place);
    parts.push_back({{dim, digit.place, have == 1 ? 1 : size}, false});
  }

  /// A digit of a dimension that is split or merged; what is one run of the
  /// flat index with the digit before it becomes one with it.
  bool flatten(const Digit &digit, const RelatedDim &related) {
    if (digit.size == 1)
      return true;
    SmallVector<int64_t, 4> dims = dimsOf(from, related.group);
    int64_t extent = from.shape[digit.dim];
    if (digit.dim != dims.front() && digit.place * digit.size > extent)
      return refuse("dimension " + std::to_string(digit.dim) + " of " +
                    std::to_string(extent) + " is padded to " +
                    std::to_string(digit.place * digit.size) +
                    " inside of what is merged");
    Digit flat = {related.group, related.place * digit.place, digit.size};
    // Digits of one value do not come between.
    auto above = llvm::find_if(llvm::reverse(parts),
                               [](const Part &p) { return p.digit.size != 1; });
    if (above != parts.rend() && above->isFlat &&
        above->digit.dim == flat.dim &&
        above->digit.place == flat.place * flat.size)
      above->digit = {flat.dim, flat.place, above->digit.size * flat.size};
    else
      parts.push_back({flat, true});
    return true;
  }

  bool writeDigits() {
    for (const Part &part : parts)
      if (!part.isFlat)
        written.push_back(part.digit);
      else if (!cut(part.digit))
        return false;
    return true;
  }

  /// Cuts a digit of a flat index where the target's dimensions meet.
  bool cut(const Digit &flat) {
    int64_t end = flat.place * flat.size;
    SmallVector<int64_t, 4> dims = dimsOf(to, static_cast<int>(flat.dim));
    for (int64_t dim : dims) {
      int64_t place = to.dims[dim].place;
      if (place >= end)
        continue;
      int64_t begin = std::max(place, flat.place);
      if (end % begin != 0 || begin % flat.place != 0 || begin % place != 0)
        return refuse("a digit of " + std::to_string(flat.size) + " at place " +
                      std::to_string(flat.place) +
                      " of what is reshaped does not divide at " +
                      std::to_string(place) + ", where dimension " +
                      std::to_string(dim) + " begins");
      written.push_back({dim, begin / place, end / begin});
      result.known[dim] = true;
      end = begin;
      if (end == flat.place)
        break;
    }
    return true;
  }

  void spellOut() {
    std::optional<StoredOrder> spelled =
        spell(written, to.shape, result.whyNot);
    if (!spelled)
      return;
    placeFree(spelled->order);
    result.layout = std::move(spelled);
    for (auto [dim, known] : llvm::enumerate(result.known))
      result.complete &= known || to.shape[dim] == 1;
  }

  /// Places the dimensions that are left: where both values have the same rank
  /// they keep the source's place, else they follow their neighbour.
  void placeFree(SmallVector<int64_t, 6> &order) const {
    if (layout.order.size() != to.shape.size())
      return placeBehindNeighbours(order, to.shape.size());
    SmallVector<int64_t, 6> placed;
    const int64_t *next = order.begin();
    for (int64_t dim : layout.order)
      placed.push_back(llvm::is_contained(order, dim) ? *next++ : dim);
    order = placed;
  }

  const RelatedValue &from;
  const StoredOrder &layout;
  const RelatedValue &to;
  SmallVector<Part, 8> parts;
  Digits written; // of the target
  TransferResult result;
};
} // namespace

TransferResult npu::transferLayout(const RelatedValue &from,
                                   const StoredOrder &layout,
                                   const RelatedValue &to) {
  return Transfer(from, layout, to).run();
}

/// What is left of a layout if only these dimensions are there.
static StoredOrder project(const StoredOrder &layout,
                           ArrayRef<int64_t> numberOf) {
  StoredOrder result;
  for (int64_t dim : layout.order)
    if (numberOf[dim] >= 0)
      result.order.push_back(numberOf[dim]);
  for (const LayoutBlock &block : layout.blocks)
    if (numberOf[block.dim] >= 0)
      result.blocks.push_back({numberOf[block.dim], block.size});
  return result;
}

StoredOrder npu::mergeOrders(const StoredOrder &order,
                             llvm::ArrayRef<bool> known,
                             const StoredOrder &open) {
  StoredOrder merged;
  auto isKnown = [&](int64_t dim) { return known[dim]; };
  auto knownDims = llvm::make_filter_range(order.order, isKnown);
  auto nextDim = knownDims.begin();
  for (int64_t dim : open.order)
    merged.order.push_back(isKnown(dim) ? *nextDim++ : dim);
  SmallVector<LayoutBlock> blocks;
  for (const LayoutBlock &block : order.blocks)
    if (isKnown(block.dim))
      blocks.push_back(block);
  llvm::ArrayRef<LayoutBlock> left(blocks);
  for (const LayoutBlock &block : open.blocks)
    if (!isKnown(block.dim))
      merged.blocks.push_back(block);
    else if (!left.empty())
      merged.blocks.push_back(left.consume_front());
  merged.blocks.append(left.begin(), left.end());
  return merged;
}

/// Whether each dimension of the one value is the same dimension of the other.
static bool haveSameDims(const RelatedValue &a, const RelatedValue &b) {
  return a.shape == b.shape &&
         llvm::all_of(llvm::zip_equal(a.dims, b.dims), [](auto pair) {
           auto &[one, other] = pair;
           return one.group == other.group &&
                  one.group != RelatedDim::nowhere && one.isWhole &&
                  other.isWhole;
         });
}

bool npu::layoutsAgree(const RelatedValue &a, const StoredOrder &layoutA,
                       const RelatedValue &b, const StoredOrder &layoutB,
                       llvm::function_ref<bool(int64_t)> knowsBlock) {
  // Padding may be written of one dimension or of another.
  if (haveSameDims(a, b) && sameStorage(layoutA, layoutB, a.shape))
    return true;
  SmallVector<int64_t, 6> numberA(a.shape.size(), -1),
      numberB(b.shape.size(), -1), shapeA, shapeB;
  for (auto [dim, related] : llvm::enumerate(a.dims)) {
    if (related.group == RelatedDim::nowhere)
      continue;
    if (!related.isWhole) {
      TransferResult carried = transferLayout(a, layoutA, b);
      return carried.layout && sameStorage(*carried.layout, layoutB, b.shape);
    }
    int64_t other = wholeDim(b, related.group);
    if (other < 0 || a.shape[dim] == 1 || b.shape[other] == 1)
      continue;
    numberA[dim] = numberB[other] = static_cast<int64_t>(shapeA.size());
    shapeA.push_back(a.shape[dim]);
    shapeB.push_back(b.shape[other]);
  }
  auto agree = [&](const StoredOrder &spelledA, const StoredOrder &spelledB) {
    StoredOrder one = project(spelledA, numberA),
                other = project(spelledB, numberB);
    return sameStorage(one, other, shapeA) ||
           (shapeA != shapeB && sameStorage(one, other, shapeB));
  };
  if (agree(layoutA, layoutB))
    return true;
  if (shapeA == shapeB || (layoutA.blocks.empty() && layoutB.blocks.empty()))
    return false;
  return haveOneSpelling(project(layoutA, numberA), shapeA,
                         project(layoutB, numberB), shapeB, knowsBlock);
}
