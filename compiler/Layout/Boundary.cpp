// SPDX-License-Identifier: Apache-2.0
//
// --io-layout: how graph inputs and outputs are stored.
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/LayoutPlan.h"

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

namespace {
class Binder {
public:
  Binder(LayoutProblem &problem, const IoLayouts &io)
      : problem(problem), io(io) {}

  LogicalResult run() {
    mlir::func::FuncOp function = problem.function;
    for (mlir::BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        "npu.name");
      FailureOr<LayoutAttr> layout = bind(name, argument);
      if (failed(layout))
        return failure();
      problem.inputs[argument] = *layout;
    }
    Operation *end = function.getBody().front().getTerminator();
    for (OpOperand &operand : end->getOpOperands()) {
      auto name = function.getResultAttrOfType<StringAttr>(
          operand.getOperandNumber(), "npu.name");
      FailureOr<LayoutAttr> layout = bind(name, operand.get());
      if (failed(layout))
        return failure();
      problem.outputs.push_back(*layout);
    }
    for (auto &[name, layout] : io.byName)
      if (!used.count(name))
        return function.emitError()
               << "--io-layout: the model has no input or output '" << name
               << "'; it has " << names();
    return success();
  }

private:
  FailureOr<LayoutAttr> bind(StringAttr name, Value value) {
    if (name)
      known.push_back(name.str());
    auto wanted = name ? io.byName.find(name.str()) : io.byName.end();
    if (wanted == io.byName.end()) {
      if (!io.fixed)
        return LayoutAttr();
      return LayoutAttr::getRowMajor(problem.getContext(),
                                     tensorType(value).getRank());
    }
    used.insert(name.str());
    std::string error;
    std::optional<LayoutPattern> pattern =
        LayoutPattern::parse(wanted->second, error);
    if (!pattern)
      return problem.function.emitError() << "--io-layout: " << error;
    if (pattern->kind == LayoutPattern::Kind::Any)
      return LayoutAttr();
    ImageAxes axes = problem.axes.of(value);
    std::optional<StoredOrder> order =
        pattern->resolve(tensorType(value).getRank(), axes);
    if (!order)
      return problem.function.emitError()
             << "--io-layout: " << wanted->second << " does not fit '"
             << name.str() << "' of rank " << tensorType(value).getRank()
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
  SmallVector<std::string> known;
};
} // namespace

LogicalResult npu::bindBoundary(LayoutProblem &problem, const IoLayouts &io) {
  return Binder(problem, io).run();
}
