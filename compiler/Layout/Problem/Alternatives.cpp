// SPDX-License-Identifier: Apache-2.0
//
// Our own: Winograd's algorithm for 3x3 convolutions of stride 1: fewer
// multiply-adds, more movement. One row of the table for each size of tile. And
// attention in parts (AttentionParts.cpp).
#include "compiler/Layout/Problem/Alternatives.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Kernel/Evaluator.h"
#include "compiler/Layout/Problem/PluginOp.h"
#include "compiler/Layout/Problem/SplitGroup.h"
#include "compiler/Target/CompilerPlugins.h"
#include "compiler/Target/Lacks.h"
#include "kernels/plugin/plugin_problem.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <mutex>

using namespace npu;

/// Weights grow by (tile + 2)^2 / 9; beyond 64 MiB the file's size matters
/// more.
constexpr int64_t maxWeightElements = int64_t{16} << 20;

/// The convolution that an op is, or is built around.
static Conv2dOp convolutionOf(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    return dyn_cast_or_null<Conv2dOp>(fused.getRoot());
  return dyn_cast<Conv2dOp>(op);
}

template <int64_t tile>
static Work workOfWinograd(Operation *op) {
  return winogradWork(tensorType(op->getResult(0)).getShape(),
                      tensorType(op->getOperand(0)).getShape()[1], tile);
}

static bool all(ArrayAttr ints, int64_t value) {
  return llvm::all_of(toInts(ints), [&](int64_t one) { return one == value; });
}

template <int64_t tile>
static std::string whyNotWinograd(Operation *op) {
  Conv2dOp conv = convolutionOf(op);
  if (!conv || conv.getGroups() != 1 || !all(conv.getStrides(), 1) ||
      !all(conv.getDilations(), 1))
    return "it is no 2-D convolution of stride 1 without groups and dilations";
  if (!constantBehind(op->getOperand(1)))
    return "its weight is no constant: Winograd without weight transform reads "
           "a weight that was transformed at compile time";
  // In a fused body nothing else may read the weight.
  if (conv != op && !conv.getWeight().hasOneUse())
    return "its weight is read twice";
  RankedTensorType weight = tensorType(op->getOperand(1));
  if (!weight.getElementType().isF32() || weight.getDimSize(2) != 3 ||
      weight.getDimSize(3) != 3)
    return "its weight is not 3x3 in f32";
  ArrayRef<int64_t> result = tensorType(op->getResult(0)).getShape();
  if (result[0] < 1 || result[2] < 2 || result[3] < 2)
    return "its result is smaller than 2x2";
  int64_t side = tile + 2;
  return weight.getDimSize(0) * weight.getDimSize(1) * side * side <=
                 maxWeightElements
             ? ""
             : "its transformed weight is larger than 64 MiB";
}

static LayoutAttr channelsLast(mlir::MLIRContext *context) {
  return LayoutAttr::get(context, {0, 2, 3, 1}, {});
}

/// Data, result and what is added as large as the result: channels last. Others
/// (weight, bias, per channel) are constants or take any order.
static bool winogradFits(Operation *op, ArrayRef<LayoutAttr> layouts) {
  LayoutAttr wanted = channelsLast(op->getContext());
  auto isGood = [&](Value value, LayoutAttr layout) {
    return layout && layout.isEquivalent(wanted, tensorType(value).getShape());
  };
  Value result = op->getResult(0);
  for (auto [operand, layout] : llvm::zip(op->getOperands(), layouts)) {
    bool isLikeResult =
        tensorType(operand).getShape() == tensorType(result).getShape();
    bool isData = operand == op->getOperand(0);
    if ((isData || isLikeResult) && !isGood(operand, layout))
      return false;
  }
  return isGood(result, layouts.back());
}

/// f32, points by points.
template <int64_t tile>
static int64_t transformedBytes(Operation *op) {
  int64_t side = tile + 2;
  ArrayRef<int64_t> weight = tensorType(op->getOperand(1)).getShape();
  return weight[0] * weight[1] * side * side *
         static_cast<int64_t>(sizeof(float));
}

/// The transformed weight, a constant that knows of what.
static FailureOr<Value> transformedWeight(OpBuilder &builder, Operation *op,
                                          int64_t tile) {
  RankedTensorType given = tensorType(op->getOperand(1));
  // Where layouts are set already: points, then matrices, as the kernel reads
  // them.
  LayoutAttr layout;
  if (getLayout(given))
    layout = LayoutAttr::get(builder.getContext(), {2, 3, 0, 1}, {});
  auto type = RankedTensorType::get(
      {given.getDimSize(0), given.getDimSize(1), tile + 2, tile + 2},
      given.getElementType(), layout);
  ConstantOp weight = constantBehind(op->getOperand(1));
  mlir::IntegerAttr tileAttr = builder.getI64IntegerAttr(tile);
  auto transform = WinogradWeightOp::create(builder, weight.getLoc(), type,
                                            weight.getResult(), tileAttr);
  FailureOr<SmallVector<ElementsAttr>> values =
      evaluate(transform, {weight.getValue()});
  transform->erase();
  if (failed(values))
    return failure();
  return ConstantOp::create(builder, weight.getLoc(), type, values->front(),
                            weight.getValueAttr(), tileAttr)
      .getResult();
}

/// The convolution itself, in a fused body or not; its operands stay.
static Operation *replaceConvolution(OpBuilder &builder, Conv2dOp conv,
                                     Value weight, int64_t tile) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(conv);
  auto made = Conv2dWinogradOp::create(
      builder, conv.getLoc(), conv.getType(), conv.getData(), weight,
      conv.getBias(), conv.getPads(), builder.getI64IntegerAttr(tile));
  for (NamedAttribute attribute : conv->getDiscardableAttrs())
    made->setDiscardableAttr(attribute.getName(), attribute.getValue());
  conv.getResult().replaceAllUsesWith(made.getResult());
  conv->erase();
  return made;
}

template <int64_t tile>
static Operation *replaceByWinograd(OpBuilder &builder, Operation *op) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  FailureOr<Value> weight = transformedWeight(builder, op, tile);
  if (failed(weight))
    return nullptr;
  Conv2dOp conv = convolutionOf(op);
  if (conv == op)
    return replaceConvolution(builder, conv, *weight, tile);
  // The root reads the kernel's first operands, in order.
  BlockArgument argument = cast<FusedOp>(op).getBody().front().getArgument(1);
  op->setOperand(1, *weight);
  argument.setType(weight->getType());
  replaceConvolution(builder, conv, argument, tile);
  return op;
}

template <int64_t tile>
static bool isWinograd(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    op = fused.getRoot();
  auto conv = dyn_cast_or_null<Conv2dWinogradOp>(op);
  return conv && conv.getTile() == tile;
}

template <int64_t tile>
static Alternative winograd(StringRef name, StringRef summary) {
  return {name,
          summary,
          "winograd",
          "conv2d_winograd",
          whyNotWinograd<tile>,
          winogradFits,
          workOfWinograd<tile>,
          transformedBytes<tile>,
          replaceByWinograd<tile>,
          isWinograd<tile>};
}

static const Alternative table[] = {
    winograd<2>("winograd2x2", "3x3 convolutions of stride 1 by Winograd's "
                               "algorithm, 2x2 results from 16 products"),
    winograd<4>("winograd4x4", "3x3 convolutions of stride 1 by Winograd's "
                               "algorithm, 4x4 results from 36 products"),
    attentionParts(),
};

ArrayRef<Alternative> npu::alternatives() { return table; }

std::string Alternative::blame(const Twine &what) const {
  std::string text = ("alternative '" + name + "' " + what).str();
  return plugin ? npu::blame(*plugin, text) : text;
}

/// What a plugin is asked of the op: whether a set can stand in its place.
static std::string whyNotSet(const plugin::Plugin &plugin,
                             const npuc_alternative &set, Operation *op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule || rule.getDemandName() != set.op)
    return std::string("it is no ") + set.op;
  PluginOp described(rule, pluginsOf(op->getContext())->target);
  char reason[NPU_PLUGIN_TEXT] = {};
  int32_t status = kernels::callPlugin(plugin, "alternative: why_not", [&] {
    return set.why_not(described.get(), reason);
  });
  return status != 0 ? shownReason(reason) : "";
}

static bool doesSetFit(const plugin::Plugin &plugin,
                       const npuc_alternative &set, Operation *op,
                       ArrayRef<LayoutAttr> layouts) {
  if (!set.fits)
    return true;
  PluginOp described(cast<LayoutOpInterface>(op),
                     pluginsOf(op->getContext())->target);
  std::vector<std::string> texts;
  for (LayoutAttr layout : layouts)
    texts.push_back(layout ? layout.getLetters() : "");
  std::vector<const char *> given;
  for (const std::string &text : ArrayRef(texts).take_front(
           static_cast<size_t>(described.get()->operand_count)))
    given.push_back(text.c_str());
  given.push_back(texts.back().c_str());
  return kernels::callPlugin(plugin, "alternative: fits", [&] {
           return set.fits(described.get(), given.data());
         }) != 0;
}

static std::vector<Alternative> makeSets(const plugin::Plugin &plugin) {
  std::vector<Alternative> rows;
  for (const npuc_alternative *set : alternativesOf(plugin)) {
    Alternative row;
    row.name = row.family = nameIn(plugin, set->name);
    row.summary = set->summary;
    row.whyNot = [&plugin, set](Operation *op) {
      return whyNotSet(plugin, *set, op);
    };
    row.fits = [&plugin, set](Operation *op, ArrayRef<LayoutAttr> layouts) {
      return doesSetFit(plugin, *set, op, layouts);
    };
    row.plugin = &plugin;
    row.set = set;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Made once, as plugins live until the process ends: plans point to them.
static ArrayRef<Alternative> setsOf(const plugin::Plugin &plugin) {
  static std::mutex mutex;
  static auto *known =
      new std::map<const plugin::Plugin *, std::vector<Alternative>>;
  std::lock_guard<std::mutex> lock(mutex);
  auto [at, isNew] = known->try_emplace(&plugin);
  if (isNew)
    at->second = makeSets(plugin);
  return at->second;
}

/// All that the context has; calls `use` until it says that it is enough.
static void forEach(MLIRContext *context,
                    llvm::function_ref<bool(const Alternative &)> use) {
  for (const Alternative &row : table)
    if (use(row))
      return;
  if (const plugin::Use *plugins = context ? pluginsOf(context) : nullptr)
    for (const plugin::Plugin *plugin : plugins->plugins)
      for (const Alternative &row : setsOf(*plugin))
        if (use(row))
          return;
}

const Alternative *npu::findAlternative(StringRef name, MLIRContext *context) {
  const Alternative *found = nullptr;
  forEach(context, [&](const Alternative &row) {
    found = row.name == name ? &row : nullptr;
    return found != nullptr;
  });
  for (const Alternative &row : splits())
    if (!found && row.name == name)
      found = &row;
  return found;
}

const Alternative *npu::replacementOf(Operation *op) {
  if (auto mark = op->getAttrOfType<mlir::DictionaryAttr>(replacementAttr))
    if (auto name = mark.getAs<StringAttr>("name"))
      return findAlternative(name.getValue(), op->getContext());
  for (const Alternative &row : table)
    if (row.isReplacement && row.isReplacement(op))
      return &row;
  return nullptr;
}

SmallVector<const Alternative *>
npu::alternativesFor(Operation *op, const TargetSpec &target) {
  SmallVector<const Alternative *> found;
  if (target.algorithms.empty() || isOnProcessor(op))
    return found;
  forEach(op->getContext(), [&](const Alternative &row) {
    if (llvm::is_contained(target.algorithms, row.family) && row.applies(op) &&
        (row.isSet() ||
         !lackAs(target, cast<LayoutOpInterface>(op), row.demandName)))
      found.push_back(&row);
    return false;
  });
  return found;
}
