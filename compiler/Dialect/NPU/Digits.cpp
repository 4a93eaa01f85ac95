// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/Digits.h"

#include "format/program_format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

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

/// Each digit as it is spelled. These are asked for so often that a digit which
/// is written to memory and read at once is seen in profiles.
template <typename Function>
static void forEachDigit(const StoredOrder &layout, ArrayRef<int64_t> shape,
                         Function function) {
  SmallVector<int64_t, 6> place = elementsInBlocks(layout, shape.size());
  for (int64_t dim : layout.order)
    function(dim, place[dim], llvm::divideCeilSigned(shape[dim], place[dim]));
  for (const LayoutBlock &block : layout.blocks) {
    place[block.dim] /= block.size;
    function(block.dim, place[block.dim], block.size);
  }
}

static void set(Digit &digit, int64_t dim, int64_t place, int64_t size) {
  digit.dim = dim;
  digit.place = place;
  digit.size = size;
}

Digits npu::writtenDigits(const StoredOrder &layout, ArrayRef<int64_t> shape) {
  Digits digits;
  digits.resize_for_overwrite(layout.order.size() + layout.blocks.size());
  size_t next = 0;
  forEachDigit(layout, shape, [&](int64_t dim, int64_t place, int64_t size) {
    set(digits[next++], dim, place, size);
  });
  return digits;
}

Digits npu::digitsOf(const StoredOrder &layout, ArrayRef<int64_t> shape) {
  Digits digits;
  digits.resize_for_overwrite(layout.order.size() + layout.blocks.size());
  size_t count = 0;
  int64_t lastDim = -1, lastPlace = 0; // of the digit before
  forEachDigit(layout, shape, [&](int64_t dim, int64_t place, int64_t size) {
    if (size == 1)
      return;
    if (lastDim == dim && lastPlace == place * size) {
      digits[count - 1].place = place;
      digits[count - 1].size *= size;
    } else {
      set(digits[count++], dim, place, size);
    }
    lastDim = dim;
    lastPlace = place;
  });
  digits.truncate(count);
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
  places.steps.resize_for_overwrite(digits.size());
  size_t count = 0;
  for (const Digit &digit : llvm::reverse(digits)) {
    // A digit beyond the extent is padding alone: it only sets others apart.
    if (digit.place < shape[digit.dim]) {
      Step &step = places.steps[count++];
      step.dim = digit.dim;
      step.place = digit.place;
      step.stride = places.stored;
    }
    places.stored *= digit.size;
  }
  places.steps.truncate(count);
  return places;
}

/// The digits that put elements there. Where padding can be said of several
/// dimensions, it is said of the one whose digit it lies around, if that has no
/// other outside, else of the first.
static Digits digitsAt(const Places &places, ArrayRef<int64_t> shape) {
  Digits digits; // innermost first
  SmallVector<int64_t, 6> place(shape.size(), 1);
  auto add = [&](int64_t dim, int64_t size) {
    if (size == 1)
      return;
    digits.push_back({dim, place[dim], size});
    place[dim] *= size;
  };
  auto isInside = [&](int64_t dim) { return place[dim] >= shape[dim]; };
  auto pad = [&](int64_t size) {
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
      if (isInside(dim))
        return add(dim, size);
  };
  const SmallVector<Step, 8> &steps = places.steps;
  pad(steps.empty() ? places.stored : steps.front().stride);
  for (const Step *step = steps.begin(); step != steps.end(); ++step) {
    const Step *next = step + 1;
    int64_t size =
        (next == steps.end() ? places.stored : next->stride) / step->stride;
    const Step *outer = std::find_if(next, steps.end(), [&](const Step &other) {
      return other.dim == step->dim;
    });
    int64_t own = outer == steps.end() ? size : outer->place / step->place;
    add(step->dim, own);
    pad(size / own);
  }
  std::reverse(digits.begin(), digits.end());
  return digits;
}

Digits npu::normalDigits(const StoredOrder &layout, ArrayRef<int64_t> shape) {
  return llvm::is_contained(shape, 0)
             ? digitsOf(layout, shape)
             : digitsAt(placesOf(layout, shape), shape);
}

StoredOrder npu::normalForm(const StoredOrder &layout,
                            ArrayRef<int64_t> shape) {
  std::string ignored;
  // It may take more blocks than there is room for.
  return storedOrder(normalDigits(layout, shape), shape, ignored)
      .value_or(layout);
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
