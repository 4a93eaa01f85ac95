// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/TargetSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace npu;

/// L is the spatial axis of rank 3; everywhere else it is called W.
static std::optional<AxisRole> roleOf(char letter) {
  switch (llvm::toUpper(letter)) {
  case 'N':
    return AxisRole::Batch;
  case 'C':
    return AxisRole::Channel;
  case 'D':
    return AxisRole::Depth;
  case 'H':
    return AxisRole::Height;
  case 'W':
  case 'L':
    return AxisRole::Width;
  case 'O':
    return AxisRole::OutputChannel;
  case 'I':
    return AxisRole::InputChannel;
  default:
    return std::nullopt;
  }
}

/// Splits "NCHW16c4n" into "NCHW" and (16,c), (4,n).
static bool splitBlocks(StringRef text, StringRef &order,
                        SmallVectorImpl<std::pair<int64_t, char>> &blocks) {
  order = text.take_while([](char c) { return llvm::isAlpha(c); });
  StringRef rest = text.drop_front(order.size());
  int64_t elements = 1;
  while (!rest.empty()) {
    int64_t size = 0;
    if (rest.consumeInteger(10, size) || size < 2 || size > 1024 ||
        rest.empty() || !llvm::isLower(rest.front()) ||
        blocks.size() == NPU_MAX_BLOCKS)
      return false;
    elements *= size;
    if (elements > largestBlocks)
      return false;
    blocks.push_back({size, rest.front()});
    rest = rest.drop_front();
  }
  return !order.empty() && order.size() <= 2 * size_t(NPU_MAX_RANK);
}

/// "acdb", "aBcd16b": every letter from a on, once, upper case where blocked.
static bool parseLetters(StringRef order,
                         ArrayRef<std::pair<int64_t, char>> blocks,
                         StoredOrder &stored) {
  for (char letter : order) {
    int64_t dim = llvm::toLower(letter) - 'a';
    bool blocked = llvm::any_of(
        blocks, [&](auto &block) { return block.second - 'a' == dim; });
    if (dim < 0 || dim >= static_cast<int64_t>(order.size()) ||
        llvm::is_contained(stored.order, dim) ||
        blocked != static_cast<bool>(llvm::isUpper(letter)))
      return false;
    stored.order.push_back(dim);
  }
  for (auto [size, letter] : blocks) {
    if (letter - 'a' >= static_cast<int64_t>(order.size()))
      return false;
    stored.blocks.push_back({letter - 'a', size});
  }
  return true;
}

/// "ababc": every letter from a on, once or twice.
static bool parsePieces(StringRef order, LayoutPattern &pattern) {
  const auto rank = static_cast<int64_t>(
      llvm::count_if(llvm::seq<size_t>(0, order.size()), [&](size_t place) {
        return !order.take_front(place).contains(order[place]);
      }));
  for (char letter : order) {
    const int64_t dim = letter - 'a';
    if (dim < 0 || dim >= rank || llvm::count(order, letter) > 2)
      return false;
    pattern.pieces.push_back(dim);
  }
  return rank <= NPU_MAX_RANK;
}

static bool parseRoles(StringRef order,
                       ArrayRef<std::pair<int64_t, char>> blocks,
                       LayoutPattern &pattern) {
  for (char letter : order) {
    std::optional<AxisRole> role = roleOf(letter);
    if (!llvm::isUpper(letter) || !role ||
        llvm::is_contained(pattern.roles, *role))
      return false;
    pattern.roles.push_back(*role);
  }
  for (auto [size, letter] : blocks) {
    std::optional<AxisRole> role = roleOf(letter);
    if (!role || !llvm::is_contained(pattern.roles, *role))
      return false;
    pattern.roleBlocks.push_back({*role, size});
  }
  return true;
}

std::optional<LayoutPattern> LayoutPattern::parse(StringRef text,
                                                  std::string &error) {
  LayoutPattern pattern;
  pattern.text = text.str();
  if (text == "any")
    return pattern;
  if (text == "row-major") {
    pattern.kind = Kind::RowMajor;
    return pattern;
  }
  StringRef order;
  SmallVector<std::pair<int64_t, char>> blocks;
  if (splitBlocks(text, order, blocks)) {
    // Letters always hold an a; no name of image axes does.
    const bool isOfLetters = order.contains_insensitive('a');
    if (!isOfLetters && parseRoles(order, blocks, pattern)) {
      pattern.kind = Kind::Roles;
      return pattern;
    }
    if (isOfLetters && order.size() <= NPU_MAX_RANK &&
        parseLetters(order, blocks, pattern.letters)) {
      pattern.kind = Kind::Letters;
      return pattern;
    }
    if (isOfLetters && blocks.empty() && parsePieces(order, pattern)) {
      pattern.kind = Kind::Pieces;
      pattern.letters = {};
      return pattern;
    }
  }
  error = ("'" + text +
           "' is not a layout: expected any, row-major, a name such as NHWC, "
           "HWOI or NCHW16c, letters such as acdb, or with dimensions in two "
           "pieces, ababc")
              .str();
  return std::nullopt;
}

std::optional<StoredOrder> LayoutPattern::resolve(size_t rank,
                                                  const ImageAxes &axes) const {
  switch (kind) {
  case Kind::Any:
    return std::nullopt;
  case Kind::RowMajor:
    return StoredOrder::rowMajor(rank);
  case Kind::Letters:
    if (letters.order.size() != rank)
      return std::nullopt;
    return letters;
  case Kind::Pieces:
    return std::nullopt;
  case Kind::Roles:
    break;
  }
  if (axes.size() != rank || roles.size() != rank)
    return std::nullopt;
  StoredOrder stored;
  for (AxisRole role : roles) {
    const AxisRole *found = llvm::find(axes, role);
    if (found == axes.end())
      return std::nullopt;
    stored.order.push_back(found - axes.begin());
  }
  for (const RoleBlock &block : roleBlocks)
    stored.blocks.push_back(
        {llvm::find(axes, block.role) - axes.begin(), block.size});
  return stored;
}

std::optional<StoredOrder>
LayoutPattern::resolve(ArrayRef<int64_t> shape, const KnownDims &known) const {
  if (kind != Kind::Pieces)
    return resolve(shape.size(), known.axes);
  if (known.inner.size() != shape.size() ||
      *llvm::max_element(pieces) + 1 != static_cast<int64_t>(shape.size()))
    return std::nullopt;
  Digits digits;
  llvm::SmallBitVector seen(shape.size());
  for (int64_t dim : pieces) {
    const bool isTwice = llvm::count(pieces, dim) == 2, isInner = seen[dim];
    const int64_t inner = isTwice ? known.inner[dim] : 1;
    if (inner < 1)
      return std::nullopt;
    digits.push_back(
        {dim, isInner ? 1 : inner, isInner ? inner : shape[dim] / inner});
    seen.set(dim);
  }
  std::string whyNot;
  return storedOrder(digits, shape, whyNot);
}
