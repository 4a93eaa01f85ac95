// SPDX-License-Identifier: Apache-2.0
//
// --desired-layouts: read and checked against what is known of an op without a
// model.
#include "compiler/Layout/Problem/DecisionOptions.h"

#include "compiler/Dialect/NPU/OpVocabulary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace npu;

/// Null if there is no such op, or it follows its operands.
static const OpWords *findHeavy(StringRef name) {
  const OpWords *words = lookupOpWords(name);
  return words && words->sensitivity == Sensitivity::Heavy ? words : nullptr;
}

/// Operands of a matrix product have as many dimensions as they like, none of
/// them an image's.
static bool isMatrix(const OpWords &op) { return !op.axes; }

/// In some order, as letters.
static std::string axesOf(const OpWords &op, int64_t rank, size_t operand) {
  std::string letters;
  for (AxisRole axis : op.axes(rank, static_cast<unsigned>(operand)))
    letters += static_cast<char>(axis);
  return letters;
}

/// Of an image, a bias is a vector that has one order; of a matrix product,
/// what stands behind the two factors follows them.
SmallVector<StringRef> npu::desirableRoles(StringRef name) {
  SmallVector<StringRef> roles;
  const OpWords *op = findHeavy(name);
  if (op)
    for (auto [operand, role] : llvm::enumerate(op->roles))
      if (isMatrix(*op) ? operand < 2
                        : !op->axes(4, static_cast<unsigned>(operand)).empty())
        roles.push_back(role);
  return roles;
}

static std::string unknownOp(StringRef name) {
  std::string known;
  for (const OpWords &op : opVocabulary())
    if (op.sensitivity == Sensitivity::Heavy)
      known += (known.empty() ? "" : ", ") + op.name.str();
  bool follows = lookupOpWords(name);
  return ("'" + name +
          (follows ? "' takes no desired layouts, it follows its operands"
                   : "' is no op") +
          "; the ops that take them are: " + known)
      .str();
}

static std::string sorted(std::string text) {
  llvm::sort(text);
  return text;
}

/// Whether the layout is one for this operand; else says why not.
static bool fits(const OpWords &op, StringRef role, const LayoutPattern &layout,
                 std::string &error) {
  auto refuse = [&](const Twine &expected) {
    error = ("'" + layout.text + "' is no layout for the " + role + " of " +
             op.name + ", expected " + expected)
                .str();
    return false;
  };
  switch (layout.kind) {
  case LayoutPattern::Kind::Any:
  case LayoutPattern::Kind::Pieces:
    return refuse("one layout of whole dimensions");
  case LayoutPattern::Kind::RowMajor:
    return true;
  case LayoutPattern::Kind::Letters: {
    auto rank = static_cast<int64_t>(layout.letters.order.size());
    if (op.rank ? rank == op.rank : isMatrix(op) || (rank >= 3 && rank <= 5))
      return true;
    return refuse((op.rank ? Twine(op.rank) : Twine("3 to 5")) + " dimensions");
  }
  case LayoutPattern::Kind::Roles:
    break;
  }
  if (isMatrix(op))
    return refuse("row-major or letters, such as ab");
  std::string found;
  for (AxisRole axis : layout.roles)
    found += static_cast<char>(axis);
  int64_t rank = op.rank ? op.rank : static_cast<int64_t>(found.size());
  if (rank < 3 || rank > 5)
    return refuse("3 to 5 axes");
  std::string wanted =
      axesOf(op, rank, llvm::find(op.roles, role) - op.roles.begin());
  if (sorted(found) == sorted(wanted))
    return true;
  return refuse("the axes " + Twine(wanted) + " in some order");
}

std::optional<std::vector<DesiredLayouts::Wish>>
npu::parseWishes(StringRef name, ArrayRef<StringRef> texts,
                 std::string &error) {
  const OpWords *op = findHeavy(name);
  if (!op) {
    error = unknownOp(name);
    return std::nullopt;
  }
  SmallVector<StringRef> roles = desirableRoles(name);
  if (texts.size() != roles.size()) {
    error = (name + " takes " + Twine(roles.size()) +
             (roles.size() == 1 ? " layout (" : " layouts (") +
             llvm::join(roles, ", ") + "), found " + Twine(texts.size()))
                .str();
    return std::nullopt;
  }
  std::vector<DesiredLayouts::Wish> wishes;
  for (auto [role, text] : llvm::zip(roles, texts)) {
    if (text == "default") {
      if (role == "weight") {
        wishes.push_back(std::nullopt);
        continue;
      }
      error = ("'default' is only for weights, the " + role + " of " + name +
               " needs a layout")
                  .str();
      return std::nullopt;
    }
    std::optional<LayoutPattern> layout = LayoutPattern::parse(text, error);
    if (!layout || !fits(*op, role, *layout, error))
      return std::nullopt;
    wishes.push_back(*layout);
  }
  return wishes;
}

std::optional<DesiredLayouts> DesiredLayouts::parse(StringRef text,
                                                    std::string &error) {
  DesiredLayouts desired;
  if (text.empty())
    return desired;
  auto refuse = [&](const Twine &why) {
    error = ("--desired-layouts: " + why).str();
    return std::nullopt;
  };
  SmallVector<StringRef> rows;
  text.split(rows, ',');
  for (StringRef row : rows) {
    SmallVector<StringRef> parts;
    row.split(parts, ':');
    StringRef op = parts.front();
    if (parts.size() == 1 || llvm::is_contained(parts, ""))
      return refuse("'" + row +
                    "' is not of the form OP:LAYOUT or OP:LAYOUT:LAYOUT");
    std::string why;
    std::optional<std::vector<Wish>> wishes =
        parseWishes(op, ArrayRef(parts).drop_front(), why);
    if (!wishes)
      return refuse(why);
    if (!desired.byOp.emplace(op.str(), *wishes).second)
      return refuse("'" + op + "' stands there twice");
  }
  return desired;
}

LayoutPattern npu::defaultWeight(const LayoutPattern &data) {
  // Channels last data goes with spatial dimensions first, as the reference
  // chip has it; everything else with the weight's own order.
  bool channelsLast = data.kind == LayoutPattern::Kind::Roles
                          ? data.roles.back() == AxisRole::Channel
                          : data.kind == LayoutPattern::Kind::Letters &&
                                data.letters.order.back() == 1;
  size_t rank = data.kind == LayoutPattern::Kind::Roles
                    ? data.roles.size()
                    : data.letters.order.size();
  LayoutPattern weight;
  weight.kind = LayoutPattern::Kind::RowMajor;
  weight.text = "row-major";
  if (rank < 3)
    return weight;
  std::string spatial = StringRef("DHW").take_back(rank - 2).str();
  weight.text = channelsLast ? spatial + "OI" : "OI" + spatial;
  bool blocked = data.kind == LayoutPattern::Kind::Roles
                     ? !data.roleBlocks.empty()
                     : !data.letters.blocks.empty();
  if (blocked)
    weight.text += std::to_string(data.kind == LayoutPattern::Kind::Roles
                                      ? data.roleBlocks.back().size
                                      : data.letters.blocks.back().size) +
                   "o";
  std::string ignored;
  return *LayoutPattern::parse(weight.text, ignored);
}
