// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/OpFacts.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "format/instr_kinds.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;

using Numbers = SmallVector<int64_t>;
using Words = SmallVector<StringRef>;

/// The op that attributes and inner operands are read from.
static Operation *rootOf(LayoutOpInterface op) {
  auto fused = dyn_cast<FusedOp>(op.getOperation());
  Operation *root = fused ? fused.getRoot() : nullptr;
  return root ? root : op.getOperation();
}

static bool isImageAxis(AxisRole role) {
  return role == AxisRole::Depth || role == AxisRole::Height ||
         role == AxisRole::Width;
}

/// The extents of a value's dimensions with such a role.
template <class Fits>
static Numbers extentsOf(Value value, const ImageAxes &axes, Fits fits) {
  Numbers extents;
  for (auto [role, extent] : llvm::zip(axes, tensorType(value).getShape()))
    if (fits(role))
      extents.push_back(extent);
  return extents;
}

// Attributes, by the names that all ops give them.

static constexpr StringRef strides = "strides", dilations = "dilations",
                           groups = "groups", kernel = "kernel", axis = "axis",
                           axes = "axes";

static bool hasAttribute(const OpWords &words, StringRef name) {
  return llvm::is_contained(words.attributes, name);
}

/// A number, or a list of them; none where the op lacks the attribute.
static Numbers attributeOf(Operation *op, StringRef name) {
  Attribute attribute = op->getAttr(name);
  if (auto list = dyn_cast_or_null<mlir::ArrayAttr>(attribute))
    return toInts(list);
  if (auto number = dyn_cast_or_null<mlir::IntegerAttr>(attribute))
    return {number.getInt()};
  return {};
}

template <const StringRef &name>
static bool hasIt(const OpWords &words) {
  return hasAttribute(words, name);
}
template <const StringRef &name>
static Numbers numbersOf(LayoutOpInterface op) {
  return attributeOf(rootOf(op), name);
}

// Words for yes and no.

static constexpr StringRef no = "false", yes = "true";

static Words yesOrNo(const OpWords &) { return {no, yes}; }

template <bool (*holds)(LayoutOpInterface)>
static Words answer(LayoutOpInterface op) {
  return {holds(op) ? yes : no};
}

static bool isConvolution(const OpWords &words) {
  return hasAttribute(words, groups);
}

static bool isAny(const OpWords &) { return true; }

static bool hasParameters(const OpWords &words) {
  return words.roles.size() > 1;
}

/// What a fused kernel's op reads from outside of it.
static Value outsideOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto fused = argument ? dyn_cast<FusedOp>(argument.getOwner()->getParentOp())
                        : FusedOp();
  return fused ? fused->getOperand(argument.getArgNumber()) : value;
}

/// Whether everything but the first operand is constant.
static bool readsConstants(LayoutOpInterface op) {
  size_t count = rootOf(op)->getNumOperands();
  return llvm::all_of(
      op->getOperands().take_front(count).drop_front(),
      [](Value value) { return constantBehind(outsideOf(value)) != nullptr; });
}

// Windows: of pooling an attribute, of a convolution its weight.

static constexpr unsigned weight = 1;

static bool hasWindow(const OpWords &words) {
  return hasAttribute(words, kernel) ||
         (isConvolution(words) && words.roles.size() > weight &&
          words.roles[weight] == "weight");
}

static Numbers windowOf(LayoutOpInterface op) {
  Operation *root = rootOf(op);
  Numbers own = attributeOf(root, kernel);
  if (!own.empty() || root->getNumOperands() <= weight)
    return own;
  return extentsOf(root->getOperand(weight),
                   cast<LayoutOpInterface>(root).getOperandAxes(weight),
                   isImageAxis);
}

// Channels.

static bool isChannel(AxisRole role) { return role == AxisRole::Channel; }

static bool hasChannels(const OpWords &words, unsigned value) {
  constexpr int64_t imageRank = 4;
  return words.axes &&
         llvm::any_of(words.axes(words.rank ? words.rank : imageRank, value),
                      isChannel);
}
static bool readsChannels(const OpWords &words) {
  return hasChannels(words, 0);
}
static bool writesChannels(const OpWords &words) {
  return hasChannels(words, OpWords::result);
}
static Numbers channelsOf(LayoutOpInterface op) {
  return extentsOf(op->getOperand(0), op.getOperandAxes(0), isChannel);
}
static Numbers resultChannelsOf(LayoutOpInterface op) {
  return extentsOf(op->getResult(0), op.getResultAxes(0), isChannel);
}

/// Each channel meets its own weights only.
static bool isDepthwise(LayoutOpInterface op) {
  Numbers count = numbersOf<groups>(op);
  return count.front() > 1 && count == channelsOf(op);
}
static bool isPointwise(LayoutOpInterface op) {
  return numbersOf<groups>(op).front() == 1 &&
         llvm::all_of(windowOf(op), [](int64_t extent) { return extent == 1; });
}

// Sizes.

static bool goesAlong(const OpWords &words) {
  return hasAttribute(words, axis) || hasAttribute(words, axes);
}

static Numbers lengthOf(LayoutOpInterface op) {
  Operation *root = rootOf(op);
  Numbers dims = attributeOf(root, axis);
  llvm::append_range(dims, attributeOf(root, axes));
  ArrayRef<int64_t> shape = tensorType(root->getOperand(0)).getShape();
  int64_t length = 1;
  for (int64_t dim : dims)
    if (dim >= 0 && dim < static_cast<int64_t>(shape.size()))
      length *= shape[dim];
  return {length};
}

static Numbers rankOf(LayoutOpInterface op) {
  return {tensorType(op->getOperand(0)).getRank()};
}

template <class Of>
static Numbers overValues(LayoutOpInterface op, Of of) {
  Numbers all;
  for (Value value : op->getOperands())
    of(tensorType(value), all);
  for (Value value : op->getResults())
    of(tensorType(value), all);
  return all;
}
static Numbers extents(LayoutOpInterface op) {
  return overValues(op, [](RankedTensorType type, Numbers &all) {
    llvm::append_range(all, type.getShape());
  });
}
static Numbers elements(LayoutOpInterface op) {
  return overValues(op, [](RankedTensorType type, Numbers &all) {
    all.push_back(type.getNumElements());
  });
}

// Element types.

static Words allTypes(const OpWords &) {
  Words names;
  for (const TypeWord &word : typeVocabulary())
    names.push_back(word.name);
  return names;
}

static Words typesOf(LayoutOpInterface op) {
  int type = dtypeOf(tensorType(op->getOperand(0)).getElementType());
  for (const TypeWord &word : typeVocabulary())
    if (word.type == type)
      return {word.name};
  return {};
}

// Which of several functions it is.

namespace {
/// An op of several functions, and the attribute that says which.
struct KindRow {
  StringRef op, attribute;
  Words (*all)();
  StringRef (*of)(Attribute);
};
} // namespace

/// Of an enumeration that begins with 0.
template <class Enum, unsigned last>
static Words allOf() {
  Words words;
  for (unsigned number = 0; number <= last; ++number)
    words.push_back(stringifyEnum(static_cast<Enum>(number)));
  return words;
}
template <class EnumAttr>
static StringRef wordOf(Attribute attribute) {
  return stringifyEnum(cast<EnumAttr>(attribute).getValue());
}

static Words allFunctions() {
  Words words;
  for (const InstrKind &row : instrKinds)
    words.push_back(row.name);
  return words;
}
static StringRef functionOf(Attribute attribute) {
  return lookupInstr(cast<mlir::IntegerAttr>(attribute).getInt())->name;
}

static const KindRow kindRows[] = {
    {"eltwise", "kind", allFunctions, functionOf},
    {"reduce", "kind", allOf<ReduceKind, getMaxEnumValForReduceKind()>,
     wordOf<ReduceKindAttr>},
    {"cumulate", "kind", allOf<CumulateKind, getMaxEnumValForCumulateKind()>,
     wordOf<CumulateKindAttr>},
    {"pad", "mode", allOf<PadMode, getMaxEnumValForPadMode()>,
     wordOf<PadModeAttr>},
};

static const KindRow *kindRowOf(StringRef op) {
  const auto *found =
      llvm::find_if(kindRows, [&](const KindRow &row) { return row.op == op; });
  return found == std::end(kindRows) ? nullptr : found;
}

static bool hasKind(const OpWords &words) {
  return kindRowOf(words.name) != nullptr;
}
static Words allKinds(const OpWords &words) {
  return kindRowOf(words.name)->all();
}

/// Of elementwise ops in one kernel, each.
static Words kindOf(LayoutOpInterface op) {
  const KindRow *row = kindRowOf(op.getDemandName());
  Operation *root = rootOf(op);
  Words words;
  auto add = [&](Operation *one) {
    if (Attribute attribute = one->getAttr(row->attribute))
      words.push_back(row->of(attribute));
  };
  if (root->getNumRegions() == 0)
    add(root);
  for (Region &region : root->getRegions())
    for (Operation &inner : region.front().without_terminator())
      add(&inner);
  return words;
}

static const OpFact facts[] = {
    {"depthwise", "each channel meets its own weights only", isConvolution,
     nullptr, answer<isDepthwise>, yesOrNo},
    {"pointwise", "windows of one element, one group", isConvolution, nullptr,
     answer<isPointwise>, yesOrNo},
    {"groups", "groups of channels", hasIt<groups>, numbersOf<groups>, nullptr,
     nullptr},
    {"window", "extents of the window", hasWindow, windowOf, nullptr, nullptr,
     true},
    {"stride", "steps of the window", hasIt<strides>, numbersOf<strides>,
     nullptr, nullptr, true},
    {"dilation", "steps within the window", hasIt<dilations>,
     numbersOf<dilations>, nullptr, nullptr, true},
    {"channels", "channels of the first operand", readsChannels, channelsOf,
     nullptr, nullptr},
    {"result_channels", "channels of the result", writesChannels,
     resultChannelsOf, nullptr, nullptr},
    {"length", "elements along the op's axis; of several axes the product",
     goesAlong, lengthOf, nullptr, nullptr},
    {"rank", "dimensions of the first operand", isAny, rankOf, nullptr,
     nullptr},
    {"extent", "extents of all operands and results", isAny, extents, nullptr,
     nullptr, true},
    {"elements", "elements of each operand and result", isAny, elements,
     nullptr, nullptr, true},
    {"types", "element type of the first operand", isAny, nullptr, typesOf,
     allTypes},
    {"constant", "everything but the first operand is constant", hasParameters,
     nullptr, answer<readsConstants>, yesOrNo},
    {"kind", "the function of an elementwise op, a reduction, ...", hasKind,
     nullptr, kindOf, allKinds},
};

ArrayRef<OpFact> npu::opFacts() { return facts; }

const OpFact *npu::lookupOpFact(StringRef name) {
  const auto *found = llvm::find_if(
      facts, [&](const OpFact &fact) { return fact.name == name; });
  return found == std::end(facts) ? nullptr : found;
}
