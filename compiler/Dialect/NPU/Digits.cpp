// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/Digits.h"

#include "format/program_format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <utility>

using namespace npu;
using llvm::ArrayRef;
using llvm::SmallVector;

StoredOrder StoredOrder::rowMajor(size_t rank) {
  StoredOrder result;
  for (size_t i = 0; i < rank; ++i)
    result.order.push_back(static_cast<int64_t>(i));
  return result;
}

SmallVector<int64_t, 6> npu::elementsInBlocks(const StoredOrder &layout,
                                              size_t rank) {
  SmallVector<int64_t, 6> elements(rank, 1);
  for (const LayoutBlock &block : layout.blocks)
    elements[block.dim] *= block.size;
  return elements;
}

Digits npu::writtenDigits(const StoredOrder &layout, ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 6> place = elementsInBlocks(layout, shape.size());
  Digits digits;
  for (int64_t dim : layout.order)
    digits.push_back(
        {dim, place[dim], llvm::divideCeilSigned(shape[dim], place[dim])});
  for (const LayoutBlock &block : layout.blocks) {
    place[block.dim] /= block.size;
    digits.push_back({block.dim, place[block.dim], block.size});
  }
  return digits;
}

Digits npu::digitsOf(const StoredOrder &layout, ArrayRef<int64_t> shape) {
  Digits digits;
  for (const Digit &digit : writtenDigits(layout, shape)) {
    if (digit.size == 1)
      continue;
    if (!digits.empty() && digits.back().dim == digit.dim &&
        digits.back().place == digit.place * digit.size)
      digits.back() = {digit.dim, digit.place, digits.back().size * digit.size};
    else
      digits.push_back(digit);
  }
  return digits;
}

bool npu::isPossible(const StoredOrder &layout) {
  int64_t elements = 1;
  for (const LayoutBlock &block : layout.blocks) {
    if (block.size > largestBlocks / elements)
      return false;
    elements *= block.size;
  }
  return layout.blocks.size() <= NPU_MAX_BLOCKS;
}

static std::string nameOf(const Digit &digit) {
  return "the digit of " + std::to_string(digit.size) + " at place " +
         std::to_string(digit.place) + " of dimension " +
         std::to_string(digit.dim);
}

std::optional<StoredOrder> npu::spell(ArrayRef<Digit> digits,
                                      ArrayRef<int64_t> shape,
                                      std::string &whyNot) {
  StoredOrder layout;
  SmallVector<const Digit *, 6> last(shape.size(),
                                     nullptr); // of each dimension
  for (const Digit &digit : digits) {
    const Digit *&outer = last[digit.dim];
    if (outer && outer->place <= digit.place) {
      whyNot = nameOf(*outer) + " would lie outside of that of " +
               std::to_string(digit.size) + " at place " +
               std::to_string(digit.place);
      return std::nullopt;
    }
    // In the order stand only digits whose size follows from the extent; and
    // behind the first block there are but blocks. A digit of one value says
    // where in the order its dimension is spelled.
    bool follows =
        digit.size == llvm::divideCeilSigned(shape[digit.dim], digit.place);
    bool isOne = digit.size == 1;
    if (!outer && (isOne || (follows && layout.blocks.empty())))
      layout.order.push_back(digit.dim);
    else if (!isOne)
      layout.blocks.push_back({digit.dim, digit.size});
    outer = &digit;
  }
  if (isPossible(layout))
    return layout;
  whyNot = "it takes " + std::to_string(layout.blocks.size()) +
           " blocks to say so; at most " + std::to_string(NPU_MAX_BLOCKS) +
           " of " + std::to_string(largestBlocks) +
           " elements in all are known";
  return std::nullopt;
}

void npu::placeBehindNeighbours(llvm::SmallVectorImpl<int64_t> &order,
                                size_t rank) {
  for (int64_t dim = 0; dim < static_cast<int64_t>(rank); ++dim) {
    if (llvm::is_contained(order, dim))
      continue;
    auto *before = llvm::find(order, dim - 1);
    order.insert(before == order.end() ? order.begin() : before + 1, dim);
  }
}

std::optional<StoredOrder> npu::storedOrder(ArrayRef<Digit> digits,
                                            ArrayRef<int64_t> shape,
                                            std::string &whyNot) {
  std::optional<StoredOrder> layout = spell(digits, shape, whyNot);
  if (layout)
    placeBehindNeighbours(layout->order, shape.size());
  return layout;
}

StoredOrder npu::normalForm(const StoredOrder &layout,
                            ArrayRef<int64_t> shape) {
  std::string ignored;
  // There is one: at least the spelling that the digits came from, and merging
  // leaves no more blocks than there were.
  return storedOrder(digitsOf(layout, shape), shape, ignored).value_or(layout);
}

namespace {
/// A digit that has more than one value, and the distance in memory from one to
/// the next.
struct Step {
  int64_t dim, place, stride;
  bool operator==(const Step &other) const {
    return dim == other.dim && place == other.place && stride == other.stride;
  }
};

/// Where the elements lie, and in how much memory.
struct Places {
  SmallVector<Step, 8> steps;
  int64_t stored = 1;
};
} // namespace

static Places placesOf(const StoredOrder &layout, ArrayRef<int64_t> shape) {
  Places places;
  Digits digits = digitsOf(layout, shape);
  for (const Digit &digit : llvm::reverse(digits)) {
    // A digit beyond the extent is padding alone: it only sets others apart.
    if (digit.place < shape[digit.dim])
      places.steps.push_back({digit.dim, digit.place, places.stored});
    places.stored *= digit.size;
  }
  return places;
}

bool npu::sameOrder(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                    ArrayRef<int64_t> shape) {
  const int64_t *other = b.begin();
  for (int64_t dim : a) {
    if (shape[dim] == 1)
      continue;
    while (other != b.end() && shape[*other] == 1)
      ++other;
    if (other == b.end() || *other++ != dim)
      return false;
  }
  return true;
}

bool npu::sameStorage(const StoredOrder &a, const StoredOrder &b,
                      ArrayRef<int64_t> shape) {
  if (a == b)
    return true;
  // Most have no blocks, and many are compared.
  if (a.blocks.empty() && b.blocks.empty())
    return sameOrder(a.order, b.order, shape) || llvm::is_contained(shape, 0);
  Places one = placesOf(a, shape), other = placesOf(b, shape);
  return one.stored == other.stored &&
         (one.stored == 0 || one.steps == other.steps);
}

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
              const StoredOrder &b, ArrayRef<int64_t> shapeB)
      : a(a, shapeA), b(b, shapeB), shapeA(shapeA), shapeB(shapeB),
        elements(shapeA.size(), 0) {}

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
      bool isShared = a.hasBlocksOf(size, dim) && b.hasBlocksOf(size, dim);
      if (isShared && !llvm::is_contained(sizes, size))
        sizes.push_back(size);
      return isShared;
    };
    int64_t step = std::lcm(one.place, other.place);
    for (int64_t size = step; size <= std::min(ends[0], ends[1]); size += step)
      if (add(size))
        break;
    llvm::for_each(ends, add);
    return sizes;
  }

  Spelled a, b;
  ArrayRef<int64_t> shapeA, shapeB;
  SmallVector<int64_t, 6> elements;
};
} // namespace

bool npu::haveOneSpelling(const StoredOrder &a, ArrayRef<int64_t> shapeA,
                          const StoredOrder &b, ArrayRef<int64_t> shapeB) {
  return OneSpelling(a, shapeA, b, shapeB).isFound();
}
