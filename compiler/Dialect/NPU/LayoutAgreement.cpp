// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutAgreement.h"

#include "compiler/Dialect/NPU/OneSpelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace npu;
using llvm::ArrayRef;
using llvm::SmallVector;

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

namespace {
/// The dimensions that two values both have, none of them repeated, numbered
/// alike; those of one element too, or not.
struct SharedDims {
  SmallVector<int64_t, 6> numberA, numberB; // by dimension; -1: not shared
  SmallVector<int64_t, 6> shapeA, shapeB;   // by number
  /// Dimensions of one element that the other value has too, perhaps longer.
  SmallVector<int64_t, 6> unitsA, unitsB;
  /// Some dimension is split or merged: nothing to number.
  bool areRegrouped = false;

  SharedDims(const RelatedValue &a, const RelatedValue &b, bool withUnits)
      : numberA(a.shape.size(), -1), numberB(b.shape.size(), -1) {
    for (auto [dim, related] : llvm::enumerate(a.dims)) {
      if (related.group == RelatedDim::nowhere)
        continue;
      areRegrouped |= !related.isWhole;
      int64_t other = b.wholeDim(related.group);
      if (other < 0)
        continue;
      bool isUnitA = a.shape[dim] == 1, isUnitB = b.shape[other] == 1;
      if (isUnitA)
        unitsA.push_back(static_cast<int64_t>(dim));
      if (isUnitB)
        unitsB.push_back(other);
      if (isUnitA != isUnitB || (isUnitA && !withUnits))
        continue;
      numberA[dim] = numberB[other] = static_cast<int64_t>(shapeA.size());
      shapeA.push_back(a.shape[dim]);
      shapeB.push_back(b.shape[other]);
    }
  }

  /// Whether the innermost digits of dimensions of one extent follow one
  /// another alike: else no padding brings the layouts together.
  bool mayAgree(const StoredOrder &a, const StoredOrder &b) const {
    return innermost(project(a, numberA)) == innermost(project(b, numberB));
  }

private:
  SmallVector<int64_t, 6> innermost(const StoredOrder &layout) const {
    SmallVector<int64_t, 6> dims;
    auto add = [&](int64_t dim) {
      if (shapeA[dim] == shapeB[dim] && shapeA[dim] != 1 &&
          !llvm::is_contained(dims, dim))
        dims.push_back(dim);
    };
    for (const LayoutBlock &block : llvm::reverse(layout.blocks))
      if (block.size != 1)
        add(block.dim);
    for (int64_t dim : llvm::reverse(layout.order))
      add(dim);
    return dims;
  }
};

/// Writes what a layout is in the shared dimensions, in the ways in which its
/// padding may be said of the dimension that it lies around or of a unit.
class Respelling {
public:
  Respelling(const StoredOrder &layout, ArrayRef<int64_t> shape,
             ArrayRef<int64_t> numberOf, ArrayRef<int64_t> sharedShape,
             ArrayRef<int64_t> units)
      : shape(shape), numberOf(numberOf), sharedShape(sharedShape),
        units(units), place(shape.size(), 1) {
    spellings.push_back(project(layout, numberOf));
    if (layout.blocks.empty() || llvm::is_contained(shape, 0))
      return;
    digits = digitsOf(normalForm(layout, shape), shape);
    extend(digits.size());
  }

  SmallVector<StoredOrder, 1> spellings;

private:
  static constexpr size_t mostSpellings = 16;
  static constexpr int64_t mostSize = 1024; // that is taken apart

  /// Digits from the innermost outwards; `written` has those inside of `end`,
  /// the innermost first.
  void extend(size_t end) {
    if (spellings.size() >= mostSpellings)
      return;
    if (end == 0) {
      Digits outermostFirst(llvm::reverse(written));
      std::string ignored;
      auto spelled = storedOrder(outermostFirst, sharedShape, ignored);
      if (spelled && !llvm::is_contained(spellings, *spelled))
        spellings.push_back(*spelled);
      return;
    }
    const Digit &digit = digits[end - 1];
    int64_t real = realOf(digit);
    if (real == digit.size || digit.size > mostSize)
      return with(digit.dim, digit.size, [&] { extend(end - 1); });
    takeApart(digit.dim, real, digit.size, end);
    // Padding alone, which the other value may have in a dimension of both.
    if (digit.place >= shape[digit.dim])
      for (size_t dim = 0; dim < shape.size(); ++dim)
        if (numberOf[dim] >= 0 && place[dim] >= shape[dim])
          return takeApart(static_cast<int64_t>(dim), 1, digit.size, end);
  }

  /// Goes on with some of `size` steps, at least `real`, said of a dimension.
  void takeApart(int64_t dim, int64_t real, int64_t size, size_t end) {
    for (int64_t own = real; own <= size; ++own)
      if (size % own == 0)
        with(dim, own, [&] { pad(size / own, end); });
  }

  /// Goes on with so much padding said of each of the units.
  void pad(int64_t size, size_t end) {
    if (size == 1)
      return extend(end - 1);
    for (int64_t dim : units)
      with(dim, size, [&] { extend(end - 1); });
  }

  void with(int64_t dim, int64_t size, llvm::function_ref<void()> go) {
    if (size == 1)
      return go();
    bool isShared = numberOf[dim] >= 0;
    if (isShared)
      written.push_back({numberOf[dim], place[dim], size});
    place[dim] *= size;
    go();
    place[dim] /= size;
    if (isShared)
      written.pop_back();
  }

  /// How many values of a digit its extent needs.
  int64_t realOf(const Digit &digit) const {
    int64_t needed = llvm::divideCeilSigned(shape[digit.dim], digit.place);
    return std::clamp<int64_t>(needed, 1, digit.size);
  }

  ArrayRef<int64_t> shape, numberOf, sharedShape, units;
  SmallVector<int64_t, 6> place; // of each dimension's next digit
  Digits digits, written;
};
} // namespace

/// Whether two values' layouts, in the dimensions that they share, are alike at
/// the extents of one of them, or have one spelling.
static bool agreeInShared(const SharedDims &shared, const StoredOrder &one,
                          const StoredOrder &other,
                          llvm::function_ref<bool(int64_t)> knowsBlock) {
  ArrayRef<int64_t> shapeA = shared.shapeA, shapeB = shared.shapeB;
  if (sameStorage(one, other, shapeA))
    return true;
  return shapeA != shapeB &&
         (sameStorage(one, other, shapeB) ||
          ((!one.blocks.empty() || !other.blocks.empty()) &&
           haveOneSpelling(one, shapeA, other, shapeB, knowsBlock)));
}

/// The same, however padding is said of dimensions of one element; then theirs
/// is compared too.
static bool agreeRespelled(const RelatedValue &a, const StoredOrder &layoutA,
                           const RelatedValue &b, const StoredOrder &layoutB,
                           llvm::function_ref<bool(int64_t)> knowsBlock) {
  SharedDims shared(a, b, /*withUnits=*/true);
  if (!shared.mayAgree(layoutA, layoutB))
    return false;
  Respelling one(layoutA, a.shape, shared.numberA, shared.shapeA,
                 shared.unitsA);
  Respelling other(layoutB, b.shape, shared.numberB, shared.shapeB,
                   shared.unitsB);
  return llvm::any_of(one.spellings, [&](const StoredOrder &spelledA) {
    return llvm::any_of(other.spellings, [&](const StoredOrder &spelledB) {
      return agreeInShared(shared, spelledA, spelledB, knowsBlock);
    });
  });
}

bool npu::layoutsAgree(const RelatedValue &a, const StoredOrder &layoutA,
                       const RelatedValue &b, const StoredOrder &layoutB,
                       llvm::function_ref<bool(int64_t)> knowsBlock) {
  if (haveSameDims(a, b))
    return sameStorage(layoutA, layoutB, a.shape);
  SharedDims shared(a, b, /*withUnits=*/false);
  if (shared.areRegrouped) {
    TransferResult carried = transferLayout(a, layoutA, b);
    return carried.layout && sameStorage(*carried.layout, layoutB, b.shape);
  }
  if (agreeInShared(shared, project(layoutA, shared.numberA),
                    project(layoutB, shared.numberB), knowsBlock))
    return true;
  bool isBlocked = !layoutA.blocks.empty() || !layoutB.blocks.empty();
  return isBlocked && agreeRespelled(a, layoutA, b, layoutB, knowsBlock);
}
