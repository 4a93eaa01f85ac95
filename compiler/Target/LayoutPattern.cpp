// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/TargetSpec.h"

#include "llvm/ADT/STLExtras.h"
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
  return !order.empty() && order.size() <= NPU_MAX_RANK;
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
    pattern.kind =
        order.contains_insensitive('a') ? Kind::Letters : Kind::Roles;
    if (pattern.kind == Kind::Letters
            ? parseLetters(order, blocks, pattern.letters)
            : parseRoles(order, blocks, pattern))
      return pattern;
  }
  error = ("'" + text +
           "' is not a layout: expected any, row-major, a name such as NHWC, "
           "HWOI or NCHW16c, or letters such as acdb")
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
