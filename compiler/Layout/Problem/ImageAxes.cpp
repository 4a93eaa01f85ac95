// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/ImageAxes.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;

static std::string sorted(StringRef text) {
  std::string letters = text.str();
  llvm::sort(letters);
  return letters;
}

bool npu::areImageAxes(StringRef text) {
  std::string letters = sorted(text);
  return llvm::any_of(
      ArrayRef<StringRef>{"NCW", "NCHW", "NCDHW", "OIW", "OIHW", "OIDHW"},
      [&](StringRef axes) { return letters == sorted(axes); });
}

/// Behind all relayouts: they come and go, and must not change what is found.
static Value withoutRelayouts(Value value) {
  while (auto relayout = value.getDefiningOp<RelayoutOp>())
    value = relayout.getInput();
  return value;
}

static bool isConstant(Value value) {
  return value.getDefiningOp<ConstantOp>() != nullptr;
}

ImageAxesAnalysis::ImageAxesAnalysis(mlir::func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    if (isa<LayoutOpInterface>(op) && !isa<RelayoutOp>(op)) {
      numbers[&op] = ops.size();
      ops.push_back(&op);
    }
  for (Operation *op : ops)
    seed(op);
  seedBoundary(function);
  // Where ops disagree the first answer stays; so the order is that of the ops
  // in the block, not that of uses, which rewriting changes. Ends: a role is
  // only ever added, and there are finitely many dimensions.
  while (!waiting.empty()) {
    unsigned next = *waiting.begin();
    waiting.erase(waiting.begin());
    propagate(ops[next]);
  }
}

ImageAxesAnalysis::Partial &ImageAxesAnalysis::slot(OpOperand &operand) {
  Value value = withoutRelayouts(operand.get());
  return isConstant(value) ? constants[&operand] : found[value];
}

bool ImageAxesAnalysis::assign(Partial &roles, Value value, size_t dim,
                               char role) {
  if (roles.empty())
    roles.assign(tensorType(value).getRank(), 0);
  // The first answer stays: where two ops see a value differently (a model that
  // mixes orders without a Transpose) nothing can be said of more.
  if (roles[dim])
    return false;
  roles[dim] = role;
  return true;
}

void ImageAxesAnalysis::wake(Value value) {
  value = withoutRelayouts(value);
  if (isConstant(value))
    return;
  if (auto number = numbers.find(value.getDefiningOp());
      number != numbers.end())
    waiting.insert(number->second);
  wakeReaders(value);
}

void ImageAxesAnalysis::wakeReaders(Value value) {
  for (Operation *user : value.getUsers())
    if (auto relayout = dyn_cast<RelayoutOp>(user))
      wakeReaders(relayout.getResult());
    else if (auto number = numbers.find(user); number != numbers.end())
      waiting.insert(number->second);
}

std::string npu::axesText(const ImageAxes &axes) {
  std::string text;
  for (AxisRole role : axes)
    text += static_cast<char>(role);
  return text;
}

void ImageAxesAnalysis::take(Partial &roles, Value value, StringRef axes) {
  bool news = false;
  for (auto [dim, role] : llvm::enumerate(axes))
    news |= assign(roles, value, dim, role);
  if (news)
    wake(value);
}

void ImageAxesAnalysis::seed(Operation *op) {
  auto rule = cast<LayoutOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands())
    take(slot(operand), operand.get(),
         axesText(rule.getOperandAxes(operand.getOperandNumber())));
  for (OpResult result : op->getResults())
    take(found[result], result,
         axesText(rule.getResultAxes(result.getResultNumber())));
}

/// What the boundary says comes after what ops know.
void ImageAxesAnalysis::seedBoundary(mlir::func::FuncOp function) {
  Block &block = function.getBody().front();
  auto hear = [&](Value value, StringAttr axes) {
    if (axes && areImageAxes(axes.getValue()) &&
        axes.size() == static_cast<size_t>(tensorType(value).getRank()))
      take(found[withoutRelayouts(value)], value, axes.getValue());
  };
  for (BlockArgument argument : block.getArguments())
    hear(argument, function.getArgAttrOfType<StringAttr>(
                       argument.getArgNumber(), axesAttr));
  for (OpOperand &output : block.getTerminator()->getOpOperands())
    if (!isConstant(withoutRelayouts(output.get())))
      hear(output.get(), function.getResultAttrOfType<StringAttr>(
                             output.getOperandNumber(), axesAttr));
}

/// The group that a dimension is all of, whose role is its own; -1: none.
static int wholeGroup(const RelatedDim &dim) {
  return dim.isWhole ? dim.group : RelatedDim::nowhere;
}

/// Every value of the op learns from every other: dimensions that are one and
/// the same group have one and the same role.
void ImageAxesAnalysis::propagate(Operation *op) {
  LayoutRelation relation = cast<LayoutOpInterface>(op).getLayoutRelation();
  SmallVector<char> roleOf(relation.groups, 0);
  auto learn = [&](const Partial &known, const LayoutRelation::Dims &dims) {
    if (known.empty())
      return;
    for (auto [dim, related] : llvm::enumerate(dims))
      if (int group = wholeGroup(related); group >= 0 && !roleOf[group])
        roleOf[group] = known[dim];
  };
  for (OpOperand &operand : op->getOpOperands())
    learn(slot(operand), relation.operands[operand.getOperandNumber()]);
  for (OpResult result : op->getResults())
    learn(found[result], relation.results[result.getResultNumber()]);

  auto teach = [&](Partial &known, Value value,
                   const LayoutRelation::Dims &dims) {
    bool news = false;
    for (auto [dim, related] : llvm::enumerate(dims))
      if (int group = wholeGroup(related); group >= 0 && roleOf[group])
        news |= assign(known, value, dim, roleOf[group]);
    if (news)
      wake(value);
  };
  for (OpOperand &operand : op->getOpOperands())
    teach(slot(operand), operand.get(),
          relation.operands[operand.getOperandNumber()]);
  for (OpResult result : op->getResults())
    teach(found[result], result, relation.results[result.getResultNumber()]);
}

/// Unit dimensions that nothing tells about get the roles that are left, in
/// their natural order: their place in memory does not matter.
ImageAxes ImageAxesAnalysis::complete(Value value, const Partial &roles) const {
  size_t rank = roles.size();
  if (rank < 3 || rank > 5)
    return {};
  std::string left = rank == 3 ? "NCW" : rank == 4 ? "NCHW" : "NCDHW";
  for (char role : roles)
    if (role) {
      size_t at = left.find(role);
      if (at == std::string::npos)
        return {};
      left.erase(at, 1);
    }
  ImageAxes axes;
  for (auto [dim, role] : llvm::enumerate(roles)) {
    char chosen = role;
    if (!role) {
      if (tensorType(value).getShape()[dim] != 1)
        return {};
      chosen = left.front();
      left.erase(0, 1);
    }
    axes.push_back(static_cast<AxisRole>(chosen));
  }
  return axes;
}

/// What the first op that reads a constant knows of it.
const ImageAxesAnalysis::Partial *
ImageAxesAnalysis::firstReading(Value constant) const {
  const Partial *first = nullptr;
  unsigned least = ops.size();
  for (OpOperand &use : constant.getUses()) {
    auto number = numbers.find(use.getOwner());
    auto known = constants.find(&use);
    if (number == numbers.end() || known == constants.end() ||
        number->second >= least)
      continue;
    least = number->second;
    first = &known->second;
  }
  return first;
}

const ImageAxesAnalysis::Partial *ImageAxesAnalysis::known(Value value) const {
  if (isConstant(withoutRelayouts(value)))
    return firstReading(value);
  auto at = found.find(withoutRelayouts(value));
  return at == found.end() || at->second.empty() ? nullptr : &at->second;
}

static ImageAxes axesFrom(ArrayRef<char> roles) {
  ImageAxes axes;
  for (char role : roles)
    axes.push_back(static_cast<AxisRole>(role));
  return axes;
}

ImageAxes ImageAxesAnalysis::finish(Value value, const Partial *roles) const {
  if (!roles || roles->empty())
    return {};
  ImageAxes axes = axesFrom(*roles);
  return llvm::is_contained(axes, AxisRole::OutputChannel)
             ? axes
             : complete(value, *roles);
}

ImageAxes ImageAxesAnalysis::of(Value value) const {
  return finish(value, known(value));
}

ImageAxes ImageAxesAnalysis::of(OpOperand &operand) const {
  return finish(operand.get(), known(operand));
}

const ImageAxesAnalysis::Partial *
ImageAxesAnalysis::known(OpOperand &operand) const {
  auto constant = constants.find(&operand);
  return constant == constants.end() ? known(operand.get()) : &constant->second;
}

/// The role of each group of the op's relation: what the first of its values
/// says that knows it. Operands come first, in order, then results; what is
/// read through broadcasting comes last.
ImageAxesAnalysis::Partial
ImageAxesAnalysis::rolesAt(LayoutOpInterface op,
                           const LayoutRelation &relation) const {
  Partial roleOf(relation.groups, 0);
  auto hear = [&](const Partial *said, const LayoutRelation::Dims &dims) {
    if (!said || said->empty())
      return;
    for (auto [dim, related] : llvm::enumerate(dims))
      if (int group = wholeGroup(related); group >= 0 && !roleOf[group])
        roleOf[group] = (*said)[dim];
  };
  auto hearOperands = [&](bool independent) {
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      if (relation.independent[index] == independent)
        hear(known(operand), relation.operands[index]);
    }
  };
  hearOperands(/*independent=*/false);
  for (OpResult result : op->getResults())
    hear(known(result), relation.results[result.getResultNumber()]);
  hearOperands(/*independent=*/true);
  return roleOf;
}

/// A value's axes by the roles of the op's groups; a dimension that is a part
/// of one (of a reshape) is what the value says by itself.
ImageAxes ImageAxesAnalysis::viewed(Value value, const Partial *known,
                                    const LayoutRelation::Dims &dims,
                                    const Partial &roleOf) const {
  Partial roles(dims.size(), 0);
  for (auto [dim, related] : llvm::enumerate(dims))
    if (int group = wholeGroup(related); group >= 0)
      roles[dim] = roleOf[group];
    else if (known && !known->empty())
      roles[dim] = (*known)[dim];
  bool told = llvm::any_of(roles, [](char role) { return role; });
  return finish(value, told ? &roles : nullptr);
}

/// Whether the op says by itself which of its dimensions is the channel.
static bool knowsItsAxes(LayoutOpInterface op) {
  return op->getNumResults() == 1 && !op.getResultAxes(0).empty();
}

const ImageAxesAnalysis::OpView &
ImageAxesAnalysis::viewOf(LayoutOpInterface op) const {
  OpView &view = views[op];
  if (!view.empty() && !isa<RelayoutOp>(op))
    return view;
  view.clear(); // a relayout may stand where another one was
  bool knows = knowsItsAxes(op);
  LayoutRelation relation = op.getLayoutRelation();
  Partial roleOf = knows ? Partial() : rolesAt(op, relation);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    ImageAxes own = op.getOperandAxes(index);
    view.push_back(!own.empty() || knows
                       ? own
                       : viewed(operand.get(), known(operand),
                                relation.operands[index], roleOf));
  }
  for (OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    ImageAxes own = op.getResultAxes(index);
    view.push_back(!own.empty() || knows
                       ? own
                       : viewed(result, known(Value(result)),
                                relation.results[index], roleOf));
  }
  return view;
}

ImageAxes ImageAxesAnalysis::atOp(OpOperand &operand) const {
  return viewOf(
      cast<LayoutOpInterface>(operand.getOwner()))[operand.getOperandNumber()];
}

ImageAxes ImageAxesAnalysis::atOp(OpResult result) const {
  Operation *op = result.getOwner();
  return viewOf(cast<LayoutOpInterface>(
      op))[op->getNumOperands() + result.getResultNumber()];
}

ImageAxes ImageAxesAnalysis::rolesOf(Value value) const {
  if (ImageAxes axes = of(value); !axes.empty())
    return axes;
  const Partial *roles = known(value);
  if (!roles || llvm::is_contained(*roles, 0))
    return {};
  return axesFrom(*roles);
}

std::string npu::layoutName(LayoutAttr layout, const ImageAxes &axes) {
  if (!layout)
    return "undecided";
  if (static_cast<int64_t>(axes.size()) != layout.getRank() || axes.empty() ||
      llvm::is_contained(axes, static_cast<AxisRole>(0)))
    return layout.getLetters();
  std::string name;
  for (int64_t dim : layout.getOrder())
    name += static_cast<char>(axes[dim]);
  for (const LayoutBlock &block : layout.getBlocks()) {
    name += std::to_string(block.size);
    name += llvm::toLower(static_cast<char>(axes[block.dim]));
  }
  return name;
}

static std::optional<SmallVector<int64_t>>
orderOf(const ImageAxes &axes, ArrayRef<AxisRole> outermostFirst) {
  SmallVector<int64_t> order;
  for (AxisRole role : outermostFirst) {
    const AxisRole *at = llvm::find(axes, role);
    if (at != axes.end())
      order.push_back(at - axes.begin());
  }
  if (axes.empty() || order.size() != axes.size())
    return std::nullopt;
  return order;
}

std::optional<SmallVector<int64_t>>
npu::channelsLastOrder(const ImageAxes &axes) {
  return orderOf(axes, {AxisRole::Batch, AxisRole::Depth, AxisRole::Height,
                        AxisRole::Width, AxisRole::Channel});
}

std::optional<SmallVector<int64_t>>
npu::channelsFirstOrder(const ImageAxes &axes) {
  return orderOf(axes, {AxisRole::Batch, AxisRole::Channel, AxisRole::Depth,
                        AxisRole::Height, AxisRole::Width});
}
