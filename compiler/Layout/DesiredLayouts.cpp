// SPDX-License-Identifier: Apache-2.0
//
// --desired-layouts: read and checked against what is known of an op without a
// model.
#include "compiler/Layout/DecisionOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace npu;

namespace {
/// A heavily sensitive op: how many dimensions its operands have (0: three to
/// five for images, any for matrices), and which operands wishes speak of.
struct HeavyOp {
  StringRef name;
  size_t rank;
  ArrayRef<StringRef> roles;
};
} // namespace

static const StringRef convRoles[] = {"data", "weight"};
static const StringRef poolRoles[] = {"data"};
static const StringRef matmulRoles[] = {"a", "b"};

static const HeavyOp heavyOps[] = {
    {"conv1d", 3, convRoles},           {"conv2d", 4, convRoles},
    {"conv3d", 5, convRoles},           {"conv_transpose1d", 3, convRoles},
    {"conv_transpose2d", 4, convRoles}, {"conv_transpose3d", 5, convRoles},
    {"max_pool", 0, poolRoles},         {"avg_pool", 0, poolRoles},
    {"matmul", 0, matmulRoles},
};

static const HeavyOp *findHeavy(StringRef name) {
  const HeavyOp *found = llvm::find_if(
      heavyOps, [&](const HeavyOp &op) { return op.name == name; });
  return found == std::end(heavyOps) ? nullptr : found;
}

ArrayRef<StringRef> npu::desirableRoles(StringRef op) {
  const HeavyOp *found = findHeavy(op);
  return found ? found->roles : ArrayRef<StringRef>();
}

static std::string unknownOp(StringRef name) {
  std::string known;
  for (const HeavyOp &op : heavyOps)
    known += (known.empty() ? "" : ", ") + op.name.str();
  bool follows = llvm::any_of(demandVocabulary(),
                              [&](auto &row) { return row.first == name; });
  return ("'" + name +
          (follows ? "' takes no desired layouts, it follows its operands"
                   : "' is no op") +
          "; the ops that take them are: " + known)
      .str();
}

/// The axes of an image (or weight) of this rank, as letters.
static std::string axesOf(size_t rank, bool weight) {
  StringRef spatial = "DHW";
  return (weight ? "OI" : "NC") + spatial.take_back(rank - 2).str();
}

static std::string sorted(std::string text) {
  llvm::sort(text);
  return text;
}

/// Whether the layout is one for this operand; else says why not.
static bool fits(const HeavyOp &op, StringRef role, const LayoutPattern &layout,
                 std::string &error) {
  auto refuse = [&](const Twine &expected) {
    error = ("'" + layout.text + "' is no layout for the " + role + " of " +
             op.name + ", expected " + expected)
                .str();
    return false;
  };
  bool matrix = op.roles == ArrayRef<StringRef>(matmulRoles);
  switch (layout.kind) {
  case LayoutPattern::Kind::Any:
    return refuse("one layout");
  case LayoutPattern::Kind::RowMajor:
    return true;
  case LayoutPattern::Kind::Letters: {
    size_t rank = layout.letters.order.size();
    if (op.rank ? rank == op.rank : matrix || (rank >= 3 && rank <= 5))
      return true;
    return refuse((op.rank ? Twine(op.rank) : Twine("3 to 5")) + " dimensions");
  }
  case LayoutPattern::Kind::Roles:
    break;
  }
  if (matrix)
    return refuse("row-major or letters, such as ab");
  std::string found;
  for (AxisRole axis : layout.roles)
    found += static_cast<char>(axis);
  size_t rank = op.rank ? op.rank : found.size();
  if (rank < 3 || rank > 5)
    return refuse("3 to 5 axes");
  std::string wanted = axesOf(rank, role == "weight");
  if (sorted(found) == sorted(wanted))
    return true;
  return refuse("the axes " + Twine(wanted) + " in some order");
}

std::optional<std::vector<DesiredLayouts::Wish>>
npu::parseWishes(StringRef name, ArrayRef<StringRef> texts,
                 std::string &error) {
  const HeavyOp *op = findHeavy(name);
  if (!op) {
    error = unknownOp(name);
    return std::nullopt;
  }
  if (texts.size() != op->roles.size()) {
    error = (name + " takes " + Twine(op->roles.size()) +
             (op->roles.size() == 1 ? " layout (" : " layouts (") +
             llvm::join(op->roles, ", ") + "), found " + Twine(texts.size()))
                .str();
    return std::nullopt;
  }
  std::vector<DesiredLayouts::Wish> wishes;
  for (auto [role, text] : llvm::zip(op->roles, texts)) {
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
  std::string spatial = axesOf(rank, true).substr(2);
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
