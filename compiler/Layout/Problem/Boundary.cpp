// SPDX-License-Identifier: Apache-2.0
//
// --io-layout: how graph inputs and outputs are stored.
#include "compiler/Layout/Problem/Boundary.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/OutputCopy.h"
#include "compiler/Dialect/NPU/States.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Support/MarkedError.h"
#include "compiler/Target/Lacks.h"
#include "files/words.h"

#include <set>

using namespace npu;

std::optional<IoLayouts> IoLayouts::parse(StringRef text, std::string &error) {
  IoLayouts io;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    // A model's name may hold '='; a layout never does.
    size_t equal = part.rfind('=');
    if (part == "fixed" || part == "free") {
      io.fixed = part == "fixed";
    } else if (equal != StringRef::npos && equal > 0 &&
               equal + 1 < part.size()) {
      if (!io.byName
               .emplace(part.take_front(equal).str(),
                        part.drop_front(equal + 1).str())
               .second) {
        error =
            ("--io-layout: '" + part.take_front(equal) + "' has two layouts")
                .str();
        return std::nullopt;
      }
    } else {
      error =
          ("--io-layout: '" + part + "' is neither fixed, free nor NAME=LAYOUT")
              .str();
      return std::nullopt;
    }
  }
  return io;
}

/// NCHW for the layouts NHWC, NCHW16c, ...; empty where it is none of an image
/// of this rank.
static ImageAxes naturalAxes(const LayoutPattern &pattern, size_t rank) {
  ImageAxes axes;
  for (AxisRole role : {AxisRole::Batch, AxisRole::Channel, AxisRole::Depth,
                        AxisRole::Height, AxisRole::Width})
    if (llvm::is_contained(pattern.roles, role))
      axes.push_back(role);
  return axes.size() == rank && pattern.roles.size() == rank ? axes
                                                             : ImageAxes();
}

LogicalResult npu::bindStates(LayoutProblem &problem) {
  mlir::func::FuncOp function = problem.function;
  for (const State &state : statesOf(function)) {
    LayoutAttr &before = problem.inputs[function.getArgument(state.argument)];
    LayoutAttr &after = problem.outputs[state.result];
    if (before && after && before != after)
      return emitMarked(function.getLoc(), wrongUsage)
             << "state '" << state.name.getValue() << "' is held to two "
             << "layouts, " << before.getLetters() << " and "
             << after.getLetters() << "; hold it to one";
    before = after = before ? before : after;
  }
  return success();
}

namespace {
class Binder {
public:
  Binder(LayoutProblem &problem, const IoLayouts &io)
      : problem(problem), io(io) {}

  LogicalResult run() {
    mlir::func::FuncOp function = problem.function;
    for (mlir::BlockArgument argument : function.getArguments()) {
      unsigned index = argument.getArgNumber();
      auto name = function.getArgAttrOfType<StringAttr>(index, "npu.name");
      FailureOr<LayoutAttr> layout =
          bind(name, argument, bool(function.getArgAttr(index, stateAttr)));
      if (failed(layout))
        return failure();
      problem.inputs[argument] = *layout;
    }
    Operation *end = function.getBody().front().getTerminator();
    for (OpOperand &operand : end->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      auto name = function.getResultAttrOfType<StringAttr>(index, "npu.name");
      FailureOr<LayoutAttr> layout = bind(
          name, operand.get(), bool(function.getResultAttr(index, stateAttr)));
      if (failed(layout))
        return failure();
      problem.outputs.push_back(*layout);
    }
    for (auto &[name, layout] : io.byName)
      if (!used.count(name))
        return emitMarked(function.getLoc(), wrongUsage)
               << "--io-layout: the model has no input or output '" << name
               << "'; it has " << names() << files::suggestion(name, known);
    return bindStates(problem);
  }

private:
  /// What nobody outside of the program sees is stored as the plan likes.
  FailureOr<LayoutAttr> bind(StringAttr name, Value value, bool isState) {
    if (name)
      known.push_back(name.str());
    auto wanted = name ? io.byName.find(name.str()) : io.byName.end();
    bool isNamed = wanted != io.byName.end();
    if (isNamed)
      used.insert(name.str());
    StringRef text = isNamed
                         ? StringRef(wanted->second)
                         : StringRef(io.fixed && !isState ? "fixed" : "free");
    if (text == "free")
      return LayoutAttr();
    if (text == "fixed")
      return LayoutAttr::getRowMajor(problem.getContext(),
                                     tensorType(value).getRank());
    std::string error;
    std::optional<LayoutPattern> pattern = LayoutPattern::parse(text, error);
    if (!pattern)
      return emitMarked(problem.function.getLoc(), wrongUsage)
             << "--io-layout: " << error;
    ImageAxes axes = problem.axes.of(value);
    size_t rank = tensorType(value).getRank();
    std::optional<StoredOrder> order = pattern->resolve(rank, axes);
    // Where ops see something else in it, a weight, the user's word counts.
    if (!order)
      order = pattern->resolve(rank, naturalAxes(*pattern, rank));
    if (!order)
      return emitMarked(problem.function.getLoc(), wrongUsage)
             << "--io-layout: " << text << " does not fit '" << name.str()
             << "' of rank " << rank
             << (axes.empty() ? ", whose image axes are not known; use letters"
                              : "");
    return toLayout(problem.getContext(), *order);
  }

  std::string names() const {
    std::string text;
    for (const std::string &name : known)
      text += (text.empty() ? "'" : ", '") + name + "'";
    return text.empty() ? "none with a name" : text;
  }

  LayoutProblem &problem;
  const IoLayouts &io;
  std::set<std::string> used;
  std::vector<std::string> known;
};
} // namespace

static void tellBoundaryAxes(mlir::func::FuncOp function, const IoLayouts &io) {
  if (io.byName.empty())
    return;
  ImageAxesAnalysis axes(function);
  auto axesOf = [&](StringAttr name, Value value) -> StringAttr {
    auto wanted = name ? io.byName.find(name.str()) : io.byName.end();
    if (wanted == io.byName.end() || !axes.of(value).empty())
      return {};
    std::string ignored;
    std::optional<LayoutPattern> pattern =
        LayoutPattern::parse(wanted->second, ignored);
    if (!pattern)
      return {};
    std::string told =
        axesText(naturalAxes(*pattern, tensorType(value).getRank()));
    return told.empty() ? StringAttr()
                        : StringAttr::get(function.getContext(), told);
  };
  for (mlir::BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (StringAttr told = axesOf(
            function.getArgAttrOfType<StringAttr>(index, "npu.name"), argument))
      function.setArgAttr(index, axesAttr, told);
  }
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &output : end->getOpOperands()) {
    unsigned index = output.getOperandNumber();
    if (StringAttr told =
            axesOf(function.getResultAttrOfType<StringAttr>(index, "npu.name"),
                   output.get()))
      function.setResultAttr(index, axesAttr, told);
  }
}

LogicalResult npu::bindBoundary(LayoutProblem &problem, const IoLayouts &io) {
  return Binder(problem, io).run();
}

// Copies.

namespace {

/// An output, and what its memory may be.
class Shown {
public:
  Shown(Value value, LayoutAttr held) : held(held), values({value}) {
    for (Value source = sourceOf(value); values.back() != source;)
      values.push_back(values.back().getDefiningOp()->getOperand(0));
  }

  Value source() const { return values.back(); }

  /// Whether it and the source, stored as `layout`, may share memory.
  bool showsSource(LayoutAttr layout) const {
    return shows(values.size() - 1, layout);
  }

  /// Whether it and another output may: if not, something between them moves.
  bool showsAsWell(const Shown &other) const {
    if (source() != other.source())
      return false;
    // From what is there behind the same views.
    size_t mine = values.size(), its = other.values.size();
    while (mine > 1 && its > 1 && values[mine - 2] == other.values[its - 2])
      --mine, --its;
    LayoutAttr layout = other.held;
    std::string ignored;
    for (size_t i = 0; i + 1 < its && layout; ++i) {
      auto view = cast<LayoutOpInterface>(other.values[i].getDefiningOp());
      layout = viewSource(view, layout, ignored);
      if (!layout)
        return false;
    }
    return shows(mine - 1, layout);
  }

private:
  /// Null layouts are free.
  bool shows(size_t from, LayoutAttr layout) const {
    if (!layout || !held)
      return true;
    std::string ignored;
    for (size_t i = from; i > 0 && layout; --i)
      layout =
          viewLayout(cast<LayoutOpInterface>(values[i - 1].getDefiningOp()),
                     layout, ignored);
    return sameStorage(values.front(), layout, held);
  }

  LayoutAttr held;
  SmallVector<Value, 4> values; // the output, then what it is a view of
};

} // namespace

static bool isBorrowed(const Shown &output, ArrayRef<Shown> before,
                       const LayoutProblem &problem) {
  Value source = output.source();
  if (isConstant(source))
    return true;
  if (isa<BlockArgument>(source) &&
      output.showsSource(problem.inputs.lookup(source)))
    return true;
  return llvm::any_of(
      before, [&](const Shown &other) { return output.showsAsWell(other); });
}

/// Of the view that makes the output, or as the output is called.
static Location copyLocation(mlir::func::FuncOp function, OpOperand &output) {
  Value value = output.get();
  auto name = function.getResultAttrOfType<StringAttr>(
      output.getOperandNumber(), "npu.name");
  if (!name || value != sourceOf(value))
    return value.getLoc();
  return mlir::NameLoc::get(name);
}

static LogicalResult copyBorrowedOutputs(mlir::func::FuncOp function,
                                         const TargetSpec &target,
                                         const IoLayouts &io) {
  Operation *end = function.getBody().front().getTerminator();
  llvm::DenseSet<Value> seen;
  bool isAny = false;
  for (Value output : end->getOperands()) {
    Value source = sourceOf(output);
    isAny |= isa<BlockArgument>(source) || isConstant(source) ||
             !seen.insert(source).second;
  }
  if (!isAny)
    return success();
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  if (failed(bindBoundary(problem, io)))
    return failure();
  OpBuilder builder(end);
  std::vector<Shown> before;
  for (OpOperand &output : end->getOpOperands()) {
    Operation *copy = output.get().getDefiningOp();
    if (copy && !isCopy(copy))
      copy = nullptr; // another boundary may have asked for one
    Value value = copy ? copy->getOperand(0) : output.get();
    if (tensorType(value).getNumElements() == 0)
      continue; // nothing is written
    Shown shown(value, problem.outputs[output.getOperandNumber()]);
    bool borrows = isBorrowed(shown, before, problem);
    before.push_back(std::move(shown));
    if (borrows == (copy != nullptr))
      continue;
    if (!borrows) {
      output.set(value);
      copy->erase();
      continue;
    }
    output.set(makeCopy(builder, copyLocation(function, output), value));
  }
  return success();
}

LogicalResult npu::readyBoundary(mlir::func::FuncOp function,
                                 const TargetSpec &target,
                                 const IoLayouts &io) {
  tellBoundaryAxes(function, io);
  if (failed(copyBorrowedOutputs(function, target, io)))
    return failure();
  placeMoves(function, target);
  return success();
}
