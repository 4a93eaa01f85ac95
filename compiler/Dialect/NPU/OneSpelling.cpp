// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/OneSpelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
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

namespace {
/// Spells one dimension's padding in all ways that store a value alike.
class Respelling {
public:
  Respelling(const StoredOrder &layout, ArrayRef<int64_t> shape, int64_t dim,
             OtherExtents others, llvm::function_ref<bool(int64_t)> knowsBlock)
      : layout(layout), shape(shape), dim(dim), others(others),
        knowsBlock(knowsBlock) {}

  SmallVector<StoredOrder, 4> run() {
    Digits digits;
    for (const Digit &digit : writtenDigits(layout, shape))
      append(digits, digit);
    for (size_t at = 0; at < digits.size(); ++at) {
      if (digits[at].dim == dim) {
        cut(digits, at);
        break;
      }
      if (shape[dim] > 1) // how one element is padded is not compared
        takePadding(digits, at);
    }
    return std::move(found);
  }

private:
  /// Other dimensions' digits stay as they are spelled: a place in the order
  /// may be between two that are one run.
  void append(Digits &digits, const Digit &digit) const {
    bool isRun = digit.dim == dim && !digits.empty() &&
                 digits.back().dim == dim &&
                 digits.back().place == digit.place * digit.size;
    if (isRun)
      digits.back() = {dim, digit.place, digits.back().size * digit.size};
    else if (digit.size != 1)
      digits.push_back(digit);
  }

  /// Takes what is padding of another dimension's digit and lies around all of
  /// this one's.
  void takePadding(const Digits &digits, size_t at) {
    const Digit &digit = digits[at];
    ArrayRef<Digit> inner = ArrayRef(digits).drop_front(at + 1);
    int64_t place = 1; // of what lies around this dimension
    for (const Digit &other : inner)
      if (other.dim == dim)
        place *= other.size;
    // Steps that the other dimension needs.
    int64_t own = std::max<int64_t>(
        llvm::divideCeilSigned(shape[digit.dim], digit.place), 1);
    while (own < digit.size && digit.size % own != 0)
      ++own;
    int64_t padding = digit.size / own; // none within another digit
    if (padding < 2 || !knowsBlock(place * padding))
      return;
    // What is padding in each value may stay the other dimension's.
    if (llvm::none_of(others.all, [&](int64_t extent) {
          return extent > place && extent % (place * padding) == 0;
        }))
      return;
    Digits taken(digits.begin(), digits.begin() + at);
    append(taken, {dim, place, padding});
    append(taken, {digit.dim, digit.place, own});
    for (const Digit &other : inner)
      append(taken, other);
    cut(taken, at);
  }

  /// Cuts the dimension's outermost digit into a place in the order and a
  /// block.
  void cut(const Digits &digits, size_t at) {
    const Digit &digit = digits[at];
    int64_t stored = digit.place * digit.size;
    if (stored <= shape[dim]) {
      // It needs no block, which the other value would pad.
      if (others.extent % elementsInBlocks(layout, shape.size())[dim] != 0)
        write(digits, at, at, {dim, digit.place, digit.size});
      return;
    }
    // The last of the blocks is not padding alone.
    for (int64_t count = 1; stored / count > stored - shape[dim]; ++count) {
      int64_t elements = stored / count;
      if (digit.size % count != 0 || !knowsBlock(elements))
        continue;
      // One place of one value is like another, but where there are more.
      size_t first = count == 1 && others.extent > elements ? 0 : at;
      for (size_t place = first; place <= at; ++place)
        write(digits, at, place, {dim, elements, count});
    }
  }

  /// Nothing where a place in the order would stand behind a block.
  void write(const Digits &digits, size_t at, size_t place,
             const Digit &outermost) {
    const Digit &digit = digits[at];
    Digits written(digits.begin(), digits.begin() + place);
    written.push_back(outermost);
    written.append(digits.begin() + place, digits.begin() + at);
    if (outermost.place > digit.place)
      written.push_back({dim, digit.place, outermost.place / digit.place});
    written.append(digits.begin() + at + 1, digits.end());
    std::string ignored;
    std::optional<StoredOrder> other = storedOrder(written, shape, ignored);
    if (other &&
        elementsInBlocks(*other, shape.size())[dim] == outermost.place &&
        !(*other == layout) && !llvm::is_contained(found, *other))
      found.push_back(std::move(*other));
  }

  const StoredOrder &layout;
  ArrayRef<int64_t> shape;
  int64_t dim;
  OtherExtents others;
  llvm::function_ref<bool(int64_t)> knowsBlock;
  SmallVector<StoredOrder, 4> found;
};
} // namespace

SmallVector<StoredOrder, 4>
npu::respellings(const StoredOrder &layout, ArrayRef<int64_t> shape,
                 int64_t dim, OtherExtents others,
                 llvm::function_ref<bool(int64_t)> knowsBlock) {
  return Respelling(layout, shape, dim, others, knowsBlock).run();
}
