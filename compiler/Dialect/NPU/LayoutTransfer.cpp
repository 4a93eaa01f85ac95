// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutTransfer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace npu;
using llvm::ArrayRef;
using llvm::SmallVector;

int64_t RelatedValue::wholeDim(int group) const {
  for (auto [dim, related] : llvm::enumerate(dims))
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

/// How much of a digit is padding alone: its steps beyond the extent, if they
/// are as many again as those before it; else 1.
static int64_t paddingIn(const Digit &digit, int64_t extent) {
  bool isBehind = digit.place >= extent;
  if (digit.size == 0 || (!isBehind && extent % digit.place != 0))
    return 1;
  int64_t real = isBehind ? 1 : extent / digit.place;
  return digit.size % real == 0 ? digit.size / real : 1;
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
  /// A digit on its way: of a dimension of the target that is a whole group; of
  /// a group's flat index, where Digit::dim is the group; or of a dimension of
  /// the source, and nothing but padding.
  enum class Kind { Whole, Flat, Padding };
  struct Part {
    Digit digit;
    Kind kind;
    int64_t home = -1; // the target's dimension that has such padding as is
  };

  bool refuse(std::string why) {
    result.whyNot = std::move(why);
    return false;
  }

  bool readDigits() {
    bool isReshape = regroups(from) || regroups(to);
    Digits digits = writtenDigits(layout, from.shape);
    for (size_t index = 0; index < digits.size(); ++index) {
      const Digit &digit = digits[index];
      const RelatedDim &related = from.dims[digit.dim];
      bool isBlock = index >= from.shape.size();
      bool isNowhere = related.group == RelatedDim::nowhere;
      int64_t whole =
          related.isWhole && !isNowhere ? to.wholeDim(related.group) : -1;
      bool isSame = whole >= 0 && from.shape[digit.dim] == to.shape[whole];
      if (whole >= 0 && !(isReshape && isSame))
        keep(digit, isBlock, whole);
      else if ((isNowhere || !dimsOf(to, related.group).empty()) &&
               !regroup(runFrom(digits, index), related, whole))
        return false;
    }
    return true;
  }

  /// Whether a value has dimensions that are split, merged, added or dropped.
  static bool regroups(const RelatedValue &value) {
    return llvm::any_of(value.dims, [](const RelatedDim &dim) {
      return !dim.isWhole || dim.group == RelatedDim::nowhere;
    });
  }

  /// The digit at `index` with those behind it that are one run of their
  /// dimension with it; `index` is the last one's then.
  static Digit runFrom(ArrayRef<Digit> digits, size_t &index) {
    Digit run = digits[index];
    for (size_t next = index + 1; next < digits.size(); ++next) {
      const Digit &digit = digits[next];
      if (digit.dim != run.dim || run.place != digit.place * digit.size)
        break;
      run = {run.dim, digit.place, run.size * digit.size};
      index = next;
    }
    return run;
  }

  /// A digit of a dimension that both values have, as it is spelled: where
  /// extents differ, it may mean something that it does not mean here.
  void keep(const Digit &digit, bool isBlock, int64_t dim) {
    int64_t have = from.shape[digit.dim], wanted = to.shape[dim];
    if (isBlock) {
      // An extent of 1 that is broadcast is not stored in blocks.
      if (wanted != 1 || have == 1)
        parts.push_back({{dim, digit.place, digit.size}, Kind::Whole});
      return;
    }
    // A dimension of one element does not tell where it is repeated.
    result.known[dim] = have != 1;
    int64_t size = llvm::divideCeilSigned(wanted, digit.place);
    parts.push_back({{dim, digit.place, have == 1 ? 1 : size}, Kind::Whole});
  }

  std::string whyNotPadded(const Digit &padding) const {
    std::string name = "dimension " + std::to_string(padding.dim);
    std::string size = std::to_string(padding.place * padding.size);
    if (from.dims[padding.dim].group == RelatedDim::nowhere)
      return name + ", which the other side does not have, is padded to " +
             size;
    return name + " of " + std::to_string(from.shape[padding.dim]) +
           " is padded to " + size + " inside of what is merged";
  }

  /// The last part so far; those of one value do not come between.
  Part *lastDigit() {
    for (Part &part : llvm::reverse(parts))
      if (part.digit.size != 1)
        return &part;
    return nullptr;
  }

  /// The outermost dimension of the target of what is split or merged, if that
  /// of the source is this one; -1: it is another.
  int64_t outermostLike(int64_t dim) const {
    int group = from.dims[dim].group;
    if (group == RelatedDim::nowhere || dimsOf(from, group).front() != dim)
      return -1;
    return dimsOf(to, group).front();
  }

  /// A digit beside dimensions that are split, merged, added or dropped. What
  /// is padding alone is none of its dimension's.
  bool regroup(Digit digit, const RelatedDim &related, int64_t whole) {
    int64_t extent = from.shape[digit.dim];
    int64_t padding = paddingIn(digit, extent);
    // With padding around it, its own may be whole steps.
    if (padding == 1 && digit.place * digit.size > extent)
      while (Part *above = lastDigit()) {
        if (above->kind != Kind::Padding)
          break;
        digit.size *= above->digit.size;
        result.movedPadding = whyNotPadded(above->digit);
        parts.erase(above);
        padding = paddingIn(digit, extent);
      }
    digit.size /= padding;
    if (padding != 1) {
      int64_t home = whole >= 0 ? whole : outermostLike(digit.dim);
      parts.push_back({{digit.dim, digit.place * digit.size, padding},
                       Kind::Padding,
                       home});
    }
    if (whole >= 0) {
      result.known[whole] = extent != 1;
      parts.push_back({{whole, digit.place, digit.size}, Kind::Whole});
      return true;
    }
    if (related.group == RelatedDim::nowhere && extent != 1)
      return refuse(whyNotPadded(digit)); // an empty value's
    return digit.size == 1 || flatten(digit, related);
  }

  /// A digit of a dimension that is split or merged; what is one run of the
  /// flat index with the digit before it becomes one with it.
  bool flatten(const Digit &digit, const RelatedDim &related) {
    SmallVector<int64_t, 4> dims = dimsOf(from, related.group);
    if (digit.dim != dims.front() &&
        digit.place * digit.size > from.shape[digit.dim])
      return refuse(whyNotPadded(digit));
    Digit flat = {related.group, related.place * digit.place, digit.size};
    Part *above = lastDigit();
    if (above && above->kind == Kind::Flat && above->digit.dim == flat.dim &&
        above->digit.place == flat.place * flat.size)
      above->digit = {flat.dim, flat.place, above->digit.size * flat.size};
    else
      parts.push_back({flat, Kind::Flat});
    return true;
  }

  bool writeDigits() {
    SmallVector<std::pair<size_t, Part>, 2> paddings; // and what they surround
    for (const Part &part : parts)
      if (part.kind == Kind::Whole)
        written.push_back(part.digit);
      else if (part.kind == Kind::Padding)
        paddings.push_back({written.size(), part});
      else if (!cut(part.digit))
        return false;
    return paddings.empty() || writePaddings(paddings);
  }

  /// Padding can be said of any dimension all of whose elements lie inside: of
  /// its home, where it has none of the one right inside, for a block of both.
  bool writePaddings(ArrayRef<std::pair<size_t, Part>> paddings) {
    SmallVector<int64_t, 6> place(to.shape.size(), 1);
    SmallVector<bool, 6> isPadded(to.shape.size(), false);
    auto isInside = [&](size_t dim) { return place[dim] >= to.shape[dim]; };
    size_t end = written.size(), inner = 0; // dimension of the last digit
    for (const auto &[begin, part] : llvm::reverse(paddings)) {
      for (; end > begin; --end) {
        const Digit &digit = written[end - 1];
        place[digit.dim] *= digit.size;
        if (digit.size != 1)
          inner = digit.dim;
      }
      size_t dim = part.home >= 0 ? part.home : inner;
      if (dim >= place.size() || !isInside(dim))
        for (dim = 0; dim < place.size() && !isInside(dim);)
          ++dim;
      if (dim == place.size())
        return refuse(whyNotPadded(part.digit));
      if (static_cast<int64_t>(dim) != part.home)
        result.movedPadding = whyNotPadded(part.digit);
      written.insert(written.begin() + begin,
                     {static_cast<int64_t>(dim), place[dim], part.digit.size});
      place[dim] *= part.digit.size;
      isPadded[dim] = true;
    }
    // Where its only element stands in the order the padding says now.
    llvm::erase_if(written, [&](const Digit &digit) {
      return digit.size == 1 && isPadded[digit.dim];
    });
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
