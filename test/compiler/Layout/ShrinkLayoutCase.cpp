// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/ShrinkLayoutCase.h"

#include "compiler/Layout/Strategies/Comparison.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <set>

using namespace npu;
using test::LayoutCase;

using mlir::func::FuncOp;

// Edits of a function. Each takes the number of a place; false: there are not
// so many places. An edit that does not fit its place leaves what the verifier
// refuses, or nothing changed.

static FuncOp mainOf(mlir::ModuleOp module) {
  return *module.getOps<FuncOp>().begin();
}

static Operation *opAt(FuncOp function, unsigned number) {
  for (Operation &op : function.getBody().front().without_terminator())
    if (number-- == 0)
      return &op;
  return nullptr;
}

static bool dropResult(FuncOp function, unsigned number) {
  if (number >= function.getNumResults())
    return false;
  if (function.getNumResults() == 1)
    return true;
  function.getBody().front().getTerminator()->eraseOperand(number);
  (void)function.eraseResult(number);
  return true;
}

static bool opToInput(FuncOp function, unsigned number) {
  Operation *op = opAt(function, number);
  if (!op)
    return false;
  OpBuilder builder(op);
  unsigned place = function.getNumArguments();
  std::set<std::string> taken;
  for (unsigned i = 0; i < place; ++i)
    taken.insert(function.getArgAttrOfType<StringAttr>(i, "npu.name").str());
  unsigned name = 0;
  while (taken.count("x" + std::to_string(name)))
    ++name;
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(
      "npu.name", builder.getStringAttr("x" + std::to_string(name))));
  if (failed(function.insertArgument(place, op->getResult(0).getType(),
                                     attributes, op->getLoc())))
    return true;
  op->getResult(0).replaceAllUsesWith(function.getArgument(place));
  return true;
}

static bool opToOperand(FuncOp function, unsigned number) {
  Operation *op = opAt(function, number / 3);
  if (!op)
    return false;
  unsigned operand = number % 3;
  if (operand < op->getNumOperands() &&
      op->getOperand(operand).getType() == op->getResult(0).getType())
    op->getResult(0).replaceAllUsesWith(op->getOperand(operand));
  return true;
}

static bool mergeInputs(FuncOp function, unsigned number) {
  if (number >= function.getNumArguments())
    return false;
  BlockArgument merged = function.getArgument(number);
  for (unsigned i = 0; i < number; ++i)
    if (function.getArgument(i).getType() == merged.getType())
      merged.replaceAllUsesWith(function.getArgument(i));
  return true;
}

/// All elements become the first.
static bool toSplat(FuncOp function, unsigned number) {
  Operation *op = opAt(function, number);
  if (!op)
    return false;
  auto constant = dyn_cast<ConstantOp>(op);
  if (!constant || constant.getValue().isSplat())
    return true;
  auto type = cast<RankedTensorType>(constant.getValue().getType());
  OpBuilder builder(op);
  Attribute zero =
      type.getElementType().isInteger()
          ? Attribute(builder.getIntegerAttr(type.getElementType(), 0))
          : Attribute(builder.getFloatAttr(type.getElementType(), 0.5));
  constant.setValueAttr(DenseElementsAttr::get(type, zero));
  return true;
}

/// The root in place of the kernel, or the kernel without its last op.
static bool simplifyFused(FuncOp function, unsigned number) {
  Operation *op = opAt(function, number / 2);
  if (!op)
    return false;
  auto fused = dyn_cast<FusedOp>(op);
  if (!fused)
    return true;
  Block &body = fused.getBody().front();
  Operation &root = body.front(), &last = *std::prev(std::prev(body.end()));
  if (number % 2 == 0) {
    OpBuilder builder(op);
    Operation *alone = builder.clone(root);
    for (OpOperand &operand : alone->getOpOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand.get()))
        operand.set(fused.getInputs()[argument.getArgNumber()]);
    op->getResult(0).replaceAllUsesWith(alone->getResult(0));
  } else if (&last != &root) {
    last.getResult(0).replaceAllUsesWith(last.getOperand(0));
    last.erase();
  }
  return true;
}

static bool simplifyAttributes(FuncOp function, unsigned number) {
  Operation *op = opAt(function, number);
  if (!op)
    return false;
  if (auto eltwise = dyn_cast<EltwiseOp>(op)) {
    auto kinds = {NPU_INSTR_relu, NPU_INSTR_add};
    if (eltwise.getInputs().size() <= 2)
      eltwise.setKind(
          static_cast<int32_t>(kinds.begin()[eltwise.getInputs().size() - 1]));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    reduce.setKind(ReduceKind::Sum);
  } else if (auto pad = dyn_cast<PadOp>(op)) {
    pad.setMode(PadMode::Constant);
  } else if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    softmax.setIsLog(false);
  }
  return true;
}

static void eraseUnused(FuncOp function) {
  Block &block = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!isa<mlir::func::ReturnOp>(op) && op.use_empty())
      op.erase();
  for (unsigned i = function.getNumArguments(); i-- > 0;)
    if (function.getArgument(i).use_empty())
      (void)function.eraseArgument(i);
}

namespace {
class Shrinker {
public:
  Shrinker(LayoutCase problem,
           const std::function<bool(const LayoutCase &)> &stillFails,
           double seconds)
      : best(std::move(problem)), stillFails(stillFails),
        end(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(seconds))) {}

  LayoutCase run() {
    std::string before;
    do {
      before = best.graph + best.target + best.io;
      for (auto edit : {dropResult, opToInput, opToOperand, simplifyFused,
                        mergeInputs, toSplat, simplifyAttributes})
        edits(edit);
      extents();
      boundary();
      demands();
    } while (hasTime() && before != best.graph + best.target + best.io);
    return best;
  }

private:
  using Clock = std::chrono::steady_clock;
  using Edit = bool (*)(FuncOp function, unsigned number);

  bool hasTime() const { return Clock::now() < end; }

  bool keep(const LayoutCase &smaller) {
    if (!hasTime() || (smaller.graph == best.graph &&
                       smaller.target == best.target && smaller.io == best.io))
      return false;
    if (!stillFails(smaller))
      return false;
    best = smaller;
    return true;
  }

  void edits(Edit edit) {
    for (unsigned number = 0; hasTime();) {
      MLIRContext context;
      context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
      QuietDiagnostics quiet(&context);
      auto module =
          mlir::parseSourceString<mlir::ModuleOp>(best.graph, &context);
      if (!module || !edit(mainOf(*module), number))
        return;
      // After a step that stays, the same number is another place.
      if (!keepModule(*module))
        ++number;
    }
  }

  bool keepModule(mlir::ModuleOp module) {
    FuncOp function = mainOf(module);
    function.setFunctionType(OpBuilder(module).getFunctionType(
        function.getBody().front().getArgumentTypes(),
        function.getBody().front().getTerminator()->getOperandTypes()));
    eraseUnused(function);
    if (failed(mlir::verify(module)))
      return false;
    LayoutCase smaller = best;
    smaller.graph.clear();
    llvm::raw_string_ostream(smaller.graph) << module;
    smaller.io = ioFor(function);
    return keep(smaller);
  }

  /// --io-layout without names that are gone.
  std::string ioFor(FuncOp function) const {
    std::set<std::string> names;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      names.insert(function.getArgAttrOfType<StringAttr>(i, "npu.name").str());
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      names.insert(
          function.getResultAttrOfType<StringAttr>(i, "npu.name").str());
    SmallVector<StringRef> parts;
    StringRef(best.io).split(parts, ',');
    llvm::erase_if(parts, [&](StringRef part) {
      return part.contains('=') && !names.count(part.split('=').first.str());
    });
    return llvm::join(parts, ",");
  }

  /// One extent everywhere, in types alone or in attributes too; multiples of
  /// it follow, because reshapes multiply extents.
  void extents() {
    for (int64_t from = 32; from >= 2 && hasTime(); --from)
      for (int64_t to : {int64_t(1), int64_t(2), from - 1})
        for (int variant = 0; to < from && variant < 4; ++variant) {
          LayoutCase smaller = best;
          smaller.graph =
              withExtent(best.graph, from, to, variant % 2, variant / 2);
          if (smaller.graph != best.graph && parses(smaller.graph))
            keep(smaller);
        }
  }

  static std::string withExtent(const std::string &text, int64_t from,
                                int64_t to, bool multiples, bool attributes) {
    std::string result;
    bool inType = false, inList = false;
    for (size_t at = 0; at < text.size();) {
      if (StringRef(text).substr(at).starts_with("tensor<"))
        inType = true;
      inType &= text[at] != '>';
      inList = text[at] == '[' || (inList && text[at] != ']');
      size_t end = at;
      while (end < text.size() && llvm::isDigit(text[end]))
        ++end;
      int64_t number = 0;
      bool isExtent =
          (inType || (attributes && inList)) && end > at &&
          (at == 0 || !llvm::isAlpha(text[at - 1]) || text[at - 1] == 'x') &&
          !StringRef(text).substr(at, end - at).getAsInteger(10, number);
      if (isExtent && number == from)
        result += std::to_string(to);
      else if (isExtent && multiples && number > from && number % from == 0)
        result += std::to_string(number / from * to);
      else
        result += text.substr(at, std::max(end, at + 1) - at);
      at = std::max(end, at + 1);
    }
    return result;
  }

  static bool parses(const std::string &text) {
    MLIRContext context;
    context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
    QuietDiagnostics quiet(&context);
    return static_cast<bool>(
        mlir::parseSourceString<mlir::ModuleOp>(text, &context));
  }

  void boundary() {
    for (const char *plain : {"fixed", "free"}) {
      LayoutCase smaller = best;
      smaller.io = plain;
      if (best.io.find(',') != std::string::npos || plain[1] == 'i')
        keep(smaller);
    }
    for (size_t number = 0;; ++number) {
      SmallVector<StringRef> parts;
      StringRef(best.io).split(parts, ',');
      if (number >= parts.size())
        return;
      parts.erase(parts.begin() + static_cast<ptrdiff_t>(number));
      LayoutCase smaller = best;
      smaller.io = llvm::join(parts, ",");
      if (!parts.empty() && keep(smaller))
        --number;
    }
  }

  /// Lines of a target, then what stands between two commas of a line.
  void demands() {
    if (best.target.find('\n') == std::string::npos)
      return;
    for (char separator : {'\n', ','})
      for (size_t number = 0;; ++number) {
        SmallVector<StringRef> parts;
        StringRef(best.target).split(parts, separator);
        if (number >= parts.size())
          break;
        parts.erase(parts.begin() + static_cast<ptrdiff_t>(number));
        LayoutCase smaller = best;
        smaller.target = llvm::join(parts, StringRef(&separator, 1));
        std::string ignored;
        if (test::targetOf(smaller, ignored) && keep(smaller))
          --number;
      }
  }

  LayoutCase best;
  const std::function<bool(const LayoutCase &)> &stillFails;
  Clock::time_point end;
};
} // namespace

LayoutCase
test::shrinkCase(LayoutCase problem,
                 const std::function<bool(const LayoutCase &)> &stillFails,
                 double mostSeconds) {
  return Shrinker(std::move(problem), stillFails, mostSeconds).run();
}
