// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/OneSpelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace npu;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// The digits of one of two values, whose extents differ in some dimensions. As
/// a spelling has them, the outermost digit of such a dimension is a place in
/// the order, whose size follows from the extent, and a block behind it.
class Spelled {
public:
  Spelled(const StoredOrder &layout, ArrayRef<int64_t> shape)
      : digits(digitsOf(layout, shape)), shape(shape) {}

  /// A dimension's outermost digit; of one value where there is none.
  Digit outermost(int64_t dim) const {
    const Digit *found = llvm::find_if(
        digits, [dim](const Digit &digit) { return digit.dim == dim; });
    return found == digits.end() ? Digit{dim, 1, 1} : *found;
  }

  /// Whether blocks of a dimension may hold so many elements together.
  bool hasBlocksOf(int64_t elements, int64_t dim) const {
    Digit digit = outermost(dim);
    int64_t stored = digit.place * digit.size;
    return elements % digit.place == 0 && stored % elements == 0 &&
           stored / elements == llvm::divideCeilSigned(shape[dim], elements);
  }

  /// Writes the digits, with blocks of so many elements in each dimension whose
  /// extents differ (0: they do not); a place in the order has no size. False
  /// where blocks would stand outside of a place in the order.
  bool write(ArrayRef<int64_t> elements) {
    written.clear();
    SmallVector<bool, 6> seen(shape.size(), false);
    bool hasBlocks = false;
    for (const Digit &digit : digits) {
      bool isOutermost = !std::exchange(seen[digit.dim], true);
      int64_t inside = isOutermost ? elements[digit.dim] : 0;
      if (inside == 0) {
        bool follows =
            digit.size == llvm::divideCeilSigned(shape[digit.dim], digit.place);
        hasBlocks |= !isOutermost || !follows;
        written.push_back(digit);
        continue;
      }
      if (digit.place * digit.size > inside) {
        if (hasBlocks)
          return false;
        written.push_back({digit.dim, inside, placeInOrder});
      }
      if (inside > digit.place) {
        hasBlocks = true;
        written.push_back({digit.dim, digit.place, inside / digit.place});
      }
    }
    return true;
  }

  /// What was written, without places in the order that the other lacks: there
  /// they have one value.
  Digits besides(const Spelled &other) const {
    Digits result;
    for (const Digit &digit : written) {
      bool isPlace = digit.size == placeInOrder;
      if (isPlace && !llvm::is_contained(other.written, digit))
        continue;
      if (!isPlace && !result.empty() && result.back().dim == digit.dim &&
          result.back().size != placeInOrder &&
          result.back().place == digit.place * digit.size)
        result.back() = {digit.dim, digit.place,
                         result.back().size * digit.size};
      else
        result.push_back(digit);
    }
    return result;
  }

private:
  static constexpr int64_t placeInOrder = 0;

  Digits digits, written;
  ArrayRef<int64_t> shape;
};

/// Looks for blocks that both values have.
class OneSpelling {
public:
  OneSpelling(const StoredOrder &a, ArrayRef<int64_t> shapeA,
              const StoredOrder &b, ArrayRef<int64_t> shapeB,
              llvm::function_ref<bool(int64_t)> knowsBlock)
      : a(a, shapeA), b(b, shapeB), shapeA(shapeA), shapeB(shapeB),
        elements(shapeA.size(), 0), knowsBlock(knowsBlock) {}

  bool isFound(size_t dim = 0) {
    if (dim == shapeA.size())
      return a.write(elements) && b.write(elements) &&
             a.besides(b) == b.besides(a);
    if (shapeA[dim] == shapeB[dim])
      return isFound(dim + 1);
    return llvm::any_of(blocksOf(static_cast<int64_t>(dim)), [&](int64_t size) {
      elements[dim] = size;
      return isFound(dim + 1);
    });
  }

private:
  /// The least that both can have in blocks, and all that either has: what lies
  /// between says nothing that these do not.
  SmallVector<int64_t, 3> blocksOf(int64_t dim) const {
    Digit one = a.outermost(dim), other = b.outermost(dim);
    int64_t ends[] = {one.place * one.size, other.place * other.size};
    SmallVector<int64_t, 3> sizes;
    auto add = [&](int64_t size) {
      bool isShared = a.hasBlocksOf(size, dim) && b.hasBlocksOf(size, dim) &&
                      (!knowsBlock || knowsBlock(size));
      if (isShared && !llvm::is_contained(sizes, size))
        sizes.push_back(size);
      return isShared;
    };
    // Blocks by how many there are: padding may make them very large.
    for (int64_t count = shapeA[dim]; count > 0; --count)
      if (ends[0] % count == 0 && add(ends[0] / count))
        break;
    llvm::for_each(ends, add);
    return sizes;
  }

  Spelled a, b;
  ArrayRef<int64_t> shapeA, shapeB;
  SmallVector<int64_t, 6> elements;
  llvm::function_ref<bool(int64_t)> knowsBlock;
};
} // namespace

bool npu::haveOneSpelling(const StoredOrder &a, ArrayRef<int64_t> shapeA,
                          const StoredOrder &b, ArrayRef<int64_t> shapeB,
                          llvm::function_ref<bool(int64_t)> knowsBlock) {
  return OneSpelling(a, shapeA, b, shapeB, knowsBlock).isFound();
}

SmallVector<StoredOrder, 4> npu::otherPlaces(const StoredOrder &layout,
                                             ArrayRef<int64_t> shape,
                                             int64_t dim) {
  SmallVector<StoredOrder, 4> others;
  SmallVector<int64_t, 6> elements = elementsInBlocks(layout, shape.size());
  if (elements[dim] <= shape[dim])
    return others;
  StoredOrder rest = layout;
  llvm::erase(rest.order, dim);
  for (size_t at = 0; at <= rest.order.size(); ++at) {
    StoredOrder other = rest;
    other.order.insert(other.order.begin() + static_cast<std::ptrdiff_t>(at),
                       dim);
    // Beside a place of one value there is but one place.
    bool isNew = other.order != layout.order &&
                 (at == 0 || shape[rest.order[at - 1]] > 1);
    if (isNew)
      others.push_back(std::move(other));
  }
  return others;
}
