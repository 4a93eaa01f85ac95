// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Replacement.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Kernel/Evaluator.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutMemo.h"
#include "compiler/Layout/Problem/LiveRanges.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/PluginOp.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/CompilerPlugins.h"
#include "compiler/Target/Lacks.h"
#include "kernels/plugin/plugin_problem.h"
#include "kernels/tensor.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace npu;

namespace {

/// What the plugin writes.
struct Written {
  struct Constant {
    std::string type;
    std::vector<char> data;
    bool hasData = false;
  };

  std::string text;
  std::vector<Constant> constants;

  static void addText(void *writer, const char *text) {
    static_cast<Written *>(writer)->text += text ? text : "";
  }
  static void addConstant(void *writer, const char *type, const void *data,
                          uint64_t bytes) {
    Constant constant;
    constant.type = type ? type : "";
    constant.hasData = data != nullptr;
    if (data) {
      const auto *begin = static_cast<const char *>(data);
      constant.data.assign(begin, begin + bytes);
    }
    static_cast<Written *>(writer)->constants.push_back(std::move(constant));
  }
};

/// From a plugin's answer to a function, step by step; each leaves an error.
class ReplacementMaker {
public:
  ReplacementMaker(const Alternative &alternative, LayoutOpInterface op,
                   bool withData)
      : alternative(alternative), op(op), withData(withData),
        context(op->getContext()) {
    if (auto fused = dyn_cast<FusedOp>(op.getOperation()))
      root = fused.getRoot();
  }

  FailureOr<std::unique_ptr<Replacement>> run() {
    if (failed(ask()) || failed(parse()) || failed(bindConstants()) ||
        failed(fold()))
      return failure();
    if (root && !fuse())
      return std::unique_ptr<Replacement>();
    return std::move(made);
  }

private:
  LogicalResult refuse(const Twine &what) {
    return op->emitOpError() << alternative.blame(what);
  }

  LogicalResult ask();
  LogicalResult parse();
  std::string source() const;
  LogicalResult checkFunction();
  LogicalResult bindConstants();
  FailureOr<ElementsAttr> elementsOf(unsigned argument, RankedTensorType type);
  LogicalResult fold();
  bool fuse();

  /// Of the op that the plugin was told of: a fused kernel's root reads the
  /// kernel's first operands.
  unsigned operandCount() const {
    return root ? root->getNumOperands() : op->getNumOperands();
  }
  RankedTensorType resultType() const {
    Value result = root ? root->getResult(0) : op->getResult(0);
    return withLayout(tensorType(result), {});
  }
  Block &block() const { return made->function.getBody().front(); }

  const Alternative &alternative;
  LayoutOpInterface op;
  const bool withData;
  MLIRContext *context;
  Operation *root = nullptr;
  Written written;
  std::unique_ptr<Replacement> made = std::make_unique<Replacement>();
};

} // namespace

LogicalResult ReplacementMaker::ask() {
  if (alternative.parts) {
    Operation *asked = root ? root : op.getOperation();
    written.text = alternative.parts(asked);
    return success();
  }
  PluginOp described(op, pluginsOf(context)->target, withData);
  npuc_replacement writer = {sizeof(writer), withData, &written,
                             Written::addText, Written::addConstant};
  char reason[NPU_PLUGIN_TEXT] = {};
  int32_t status =
      kernels::callPlugin(*alternative.plugin, "alternative: replace", [&] {
        return alternative.set->replace(described.get(), &writer, reason);
      });
  return status != 0
             ? refuse("applies, but has no replacement: " + shownReason(reason))
             : success();
}

std::string ReplacementMaker::source() const {
  std::string text, arguments;
  llvm::raw_string_ostream out(text);
  auto declare = [&](StringRef name, const Twine &type) {
    out << "!" << name << " = " << type << "\n";
    arguments +=
        (arguments.empty() ? "%" : ", %") + name.str() + ": !" + name.str();
  };
  auto textOf = [](Type type) { return llvm::formatv("{0}", type).str(); };
  for (unsigned i = 0; i < operandCount(); ++i)
    declare("operand" + std::to_string(i),
            textOf(withLayout(tensorType(op->getOperand(i)), {})));
  for (auto [i, constant] : llvm::enumerate(written.constants))
    declare("constant" + std::to_string(i), constant.type);
  out << "!result = " << textOf(resultType()) << "\nfunc.func @replacement("
      << arguments << ") -> !result {\n"
      << written.text << "\n}\n";
  return text;
}

/// Of a constant that the plugin makes; null: it is none.
static RankedTensorType constantType(MLIRContext *context,
                                     const std::string &text) {
  mlir::ScopedDiagnosticHandler quiet(
      context, [](mlir::Diagnostic &) { return success(); });
  auto type =
      dyn_cast_or_null<RankedTensorType>(mlir::parseType(text, context));
  return type && type.hasStaticShape() && isNpuTensor(type) && !getLayout(type)
             ? type
             : RankedTensorType();
}

LogicalResult ReplacementMaker::parse() {
  for (const Written::Constant &constant : written.constants)
    if (!constantType(context, constant.type))
      return refuse("makes a constant of type '" + constant.type +
                    "', expected one like tensor<8x3x3x3xf32>");
  std::string text = source(), wrong;
  {
    mlir::ScopedDiagnosticHandler keep(context, [&](mlir::Diagnostic &one) {
      if (wrong.empty() && one.getSeverity() == mlir::DiagnosticSeverity::Error)
        wrong = one.str();
      return success();
    });
    made->module = mlir::parseSourceString<mlir::ModuleOp>(
        text, mlir::ParserConfig(context), "replacement");
  }
  if (!made->module)
    return refuse("gives a replacement that is not right: " + wrong +
                  "; with its operands' types it is:\n" + text);
  return checkFunction();
}

LogicalResult ReplacementMaker::checkFunction() {
  auto functions = made->module->getOps<mlir::func::FuncOp>();
  if (!llvm::hasSingleElement(*made->module->getBody()) ||
      !llvm::hasSingleElement(functions) ||
      !(*functions.begin()).getBody().hasOneBlock())
    return refuse("gives a replacement of more than one function or block, "
                  "expected ops and one return");
  made->function = *functions.begin();
  for (Operation &one : block().without_terminator())
    if (!isa<LayoutOpInterface, ConstantOp>(one) || one.getNumResults() != 1 ||
        isa<RelayoutOp>(one))
      return refuse("puts in '" + one.getName().getStringRef() +
                    "', expected ops of the npu dialect that compute, without "
                    "layouts");
  Operation *last = block().getTerminator()->getOperand(0).getDefiningOp();
  return last ? success()
              : refuse("gives a replacement that returns what it was given");
}

FailureOr<ElementsAttr> ReplacementMaker::elementsOf(unsigned argument,
                                                     RankedTensorType type) {
  if (!withData)
    return ElementsAttr(mlir::DenseElementsAttr::get(
        type, mlir::Builder(context).getZeroAttr(type.getElementType())));
  if (argument < operandCount())
    return constantBehind(op->getOperand(argument)).getValue();
  Written::Constant &constant = written.constants[argument - operandCount()];
  const uint64_t wanted = kernels::storedBytes(describeTensor(type));
  if (constant.hasData && constant.data.size() == wanted)
    return makeElements(type, std::move(constant.data));
  return refuse("gives constant " + Twine(argument - operandCount()) + " " +
                Twine(constant.data.size()) + " bytes, expected " +
                Twine(wanted) + " of " + constant.type);
}

LogicalResult ReplacementMaker::bindConstants() {
  OpBuilder builder(&block(), block().begin());
  llvm::BitVector bound(block().getNumArguments());
  for (BlockArgument argument : block().getArguments()) {
    const unsigned index = argument.getArgNumber();
    if (index < operandCount() && !constantBehind(op->getOperand(index))) {
      made->operands.push_back(index);
      continue;
    }
    RankedTensorType type = tensorType(argument);
    FailureOr<ElementsAttr> elements = elementsOf(index, type);
    if (failed(elements))
      return failure();
    Location place = index < operandCount()
                         ? constantBehind(op->getOperand(index)).getLoc()
                         : op->getLoc();
    argument.replaceAllUsesWith(
        ConstantOp::create(builder, place, type, *elements).getResult());
    bound.set(index);
  }
  return made->function.eraseArguments(bound);
}

/// What needs constants only is computed, or, for the price, is a constant.
LogicalResult ReplacementMaker::fold() {
  OpBuilder builder(context);
  for (Operation &one :
       llvm::make_early_inc_range(block().without_terminator())) {
    if (isa<ConstantOp>(one) || one.getNumOperands() == 0)
      continue;
    if (withData) {
      if (failed(foldIfConstant(builder, &one)))
        return failure();
    } else if (llvm::all_of(one.getOperands(), isConstant) && !inflates(&one)) {
      builder.setInsertionPoint(&one);
      RankedTensorType type = tensorType(one.getResult(0));
      auto elements = mlir::DenseElementsAttr::get(
          type, builder.getZeroAttr(type.getElementType()));
      one.getResult(0).replaceAllUsesWith(
          ConstantOp::create(builder, one.getLoc(), type, elements)
              .getResult());
      one.erase();
    }
  }
  SmallVector<Operation *> ops;
  for (Operation &one : block().without_terminator())
    ops.push_back(&one);
  for (Operation *one : llvm::reverse(ops))
    if (one->use_empty())
      one->erase();
  return success();
}

/// The last op takes over what the op's kernel does behind its root, if it is
/// of the same kind.
bool ReplacementMaker::fuse() {
  Operation *end = block().getTerminator();
  Operation *last = end->getOperand(0).getDefiningOp();
  if (last->getName() != root->getName() || !last->hasOneUse())
    return false;
  auto kernel = cast<FusedOp>(op.getOperation());
  SmallVector<Value> inputs(last->getOperands());
  OpBuilder builder(last);
  for (unsigned i = operandCount(); i < op->getNumOperands(); ++i) {
    Value operand = op->getOperand(i);
    RankedTensorType type = withLayout(tensorType(operand), {});
    if (ConstantOp constant = constantBehind(operand)) {
      inputs.push_back(ConstantOp::create(builder, constant.getLoc(), type,
                                          constant.getValue())
                           .getResult());
      continue;
    }
    made->operands.push_back(i);
    inputs.push_back(block().addArgument(type, op->getLoc()));
  }
  RankedTensorType type = withLayout(tensorType(op->getResult(0)), {});
  auto fused = FusedOp::create(builder, last->getLoc(), type, inputs);
  Block &body = fused.getBody().emplaceBlock();
  for (Value input : inputs)
    body.addArgument(input.getType(), last->getLoc());
  mlir::IRMapping mapping;
  for (auto [operand, argument] :
       llvm::zip(last->getOperands(), body.getArguments()))
    mapping.map(operand, argument);
  builder.setInsertionPointToStart(&body);
  Operation *newRoot = builder.clone(*last, mapping);
  Block &old = kernel.getBody().front();
  for (unsigned i = operandCount(); i < op->getNumOperands(); ++i)
    mapping.map(old.getArgument(i),
                body.getArgument(last->getNumOperands() + i - operandCount()));
  mapping.map(root->getResult(0), newRoot->getResult(0));
  for (Operation &one : old) {
    if (&one == root)
      continue;
    // Another op that reads what the root reads stays with the op.
    for (Value operand : one.getOperands())
      if (!mapping.contains(operand))
        return false;
    Operation *copy = builder.clone(one, mapping);
    for (Value result : copy->getResults())
      result.setType(withLayout(tensorType(result), {}));
  }
  end->setOperand(0, fused.getResult());
  last->erase();
  made->function.setType(mlir::FunctionType::get(
      context, block().getArgumentTypes(), end->getOperandTypes()));
  return true;
}

FailureOr<std::unique_ptr<Replacement>>
npu::makeReplacement(const Alternative &alternative, LayoutOpInterface op,
                     bool withData) {
  return ReplacementMaker(alternative, op, withData).run();
}

// Layouts and price.

namespace {

class ReplacementPlanner {
public:
  ReplacementPlanner(const ResidentProblem &problem, LayoutAttr result)
      : problem(problem),
        end(problem->function->getRegion(0).front().getTerminator()),
        wanted(result) {}

  /// In which layout an argument is given; null: in whichever is read.
  void give(Value argument, LayoutAttr layout) {
    plan.produced[argument] = layout ? layout : rowMajor(argument);
    if (!layout)
      open.insert(argument);
  }
  bool run(PricedReplacement &priced);

private:
  bool place(LayoutOpInterface op);
  void placeAsView(LayoutOpInterface op);
  LayoutCost move(Value value, LayoutAttr from, LayoutAttr to) const;
  LayoutCost moveOperands(LayoutOpInterface op,
                          const Placement &placement) const;
  int64_t rank(const LayoutCost &cost) const {
    return cost.of(problem->objective);
  }

  const ResidentProblem &problem;
  Operation *end;
  LayoutAttr wanted;
  LayoutPlan plan;
  llvm::DenseSet<Value> open;
  LayoutCost total;
};

} // namespace

LayoutCost ReplacementPlanner::move(Value value, LayoutAttr from,
                                    LayoutAttr to) const {
  if (isConstant(value) || open.contains(value) || sameStorage(value, from, to))
    return {};
  return relayoutCosts(problem, value, {from, to}).costs[1];
}

LayoutCost ReplacementPlanner::moveOperands(LayoutOpInterface op,
                                            const Placement &placement) const {
  LayoutCost cost;
  for (auto [operand, layout] :
       llvm::zip(op->getOperands(), placement.operands))
    cost += move(operand, plan.produced.lookup(operand), layout);
  if (wanted && op->getResult(0) == end->getOperand(0))
    cost += move(op->getResult(0), placement.result, wanted);
  return cost;
}

bool ReplacementPlanner::place(LayoutOpInterface op) {
  SmallVector<Anchor> anchors = acceptedAnchors(*problem, op);
  anchors.push_back({Anchor::result, rowMajor(op->getResult(0))});
  if (op->getResult(0) == end->getOperand(0) && wanted)
    anchors.push_back({Anchor::result, wanted});
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (!isConstant(operand))
      anchors.push_back(
          {static_cast<int>(index), plan.produced.lookup(operand)});
  std::optional<Placement> best;
  LayoutCost least;
  for (const Anchor &anchor : anchors)
    for (Placement &placement : placementsOf(*problem, plan, op, anchor)) {
      LayoutCost cost = moveOperands(op, placement);
      cost += {0, 0, kernelCost(problem, op, layoutsOf(placement)).cost};
      if (best && rank(cost) >= rank(least))
        continue;
      least = cost;
      best = std::move(placement);
    }
  if (!best)
    return false;
  record(plan, op, *best);
  total += least;
  return true;
}

void ReplacementPlanner::placeAsView(LayoutOpInterface op) {
  Value operand = op->getOperand(0);
  Placement placement =
      placeView(*problem, op, {plan.produced.lookup(operand)});
  total += moveOperands(op, placement);
  std::string ignored;
  LayoutAttr free = viewLayout(op, placement.operands[0], ignored);
  if (!sameStorage(op->getResult(0), free, placement.result))
    total += {1, storedBytes(tensorType(op->getResult(0)), placement.result),
              viewCost(problem, op, placement.operands[0], placement.result)};
  record(plan, op, placement);
}

bool ReplacementPlanner::run(PricedReplacement &priced) {
  for (Operation &one : problem->function->getRegion(0).front()) {
    auto op = dyn_cast<LayoutOpInterface>(one);
    if (auto constant = dyn_cast<ConstantOp>(one))
      plan.produced[constant.getResult()] = rowMajor(constant.getResult());
    else if (op && lackOf(problem->target, op))
      return false;
    else if (op && op.getSensitivity() == Sensitivity::Data)
      placeAsView(op);
    else if (op && !place(op))
      return false;
  }
  if (wanted)
    plan.read[&end->getOpOperand(0)] = wanted;
  priced.cost = total;
  priced.plan = std::move(plan);
  return true;
}

std::optional<PricedReplacement> npu::layOut(const Replacement &replacement,
                                             const ResidentProblem &around,
                                             Operation *op,
                                             ArrayRef<LayoutAttr> layouts) {
  mlir::func::FuncOp function = replacement.function;
  SmallVector<std::pair<Value, Value>> same;
  for (auto [argument, operand] :
       llvm::zip(function.getArguments(), replacement.operands))
    same.push_back({op->getOperand(operand), argument});
  same.push_back(
      {op->getResult(0), function.front().getTerminator()->getOperand(0)});
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, around->target, axes);
  OnChipValues inside = onChipAround(around.onChip(), op, same,
                                     rangesOf(function, around->target, axes));
  problem.outputs.resize(1);
  problem.objective = around->objective;
  ResidentProblem resident(problem, inside);
  ReplacementPlanner planner(resident, layouts.back());
  for (auto [argument, operand] :
       llvm::zip(function.getArguments(), replacement.operands))
    planner.give(argument, layouts[operand]);
  PricedReplacement priced;
  if (!planner.run(priced))
    return std::nullopt;
  return priced;
}

static std::optional<LayoutCost> findCost(const ResidentProblem &problem,
                                          const Alternative &alternative,
                                          LayoutOpInterface op,
                                          ArrayRef<LayoutAttr> layouts) {
  auto made = makeReplacement(alternative, op, /*withData=*/false);
  if (failed(made) || !*made)
    return std::nullopt;
  auto priced = layOut(**made, problem, op, layouts);
  return priced ? std::optional(priced->cost) : std::nullopt;
}

std::optional<LayoutCost> npu::costOfSet(const ResidentProblem &problem,
                                         const Alternative &alternative,
                                         LayoutOpInterface op,
                                         ArrayRef<LayoutAttr> layouts) {
  auto find = [&] { return findCost(problem, alternative, op, layouts); };
  LayoutMemo *memo = problem->memoFor(op);
  if (!memo)
    return find();
  Question question = circumstancesOf(problem, *memo, op).add(&alternative);
  for (LayoutAttr layout : layouts)
    question.add(layout);
  return memo->sets.of(question, find);
}

LogicalResult npu::checkReplacements(const LayoutProblem &problem) {
  for (Operation &one : problem.function->getRegion(0).front()) {
    auto op = dyn_cast<LayoutOpInterface>(one);
    if (!op)
      continue;
    for (const Alternative *row : alternativesFor(op, problem.target))
      if (row->isSet() && failed(makeReplacement(*row, op, /*withData=*/false)))
        return failure();
  }
  return success();
}
