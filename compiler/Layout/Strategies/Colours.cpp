// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/Colours.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/OutputCopy.h"
#include "compiler/Layout/Problem/ImageAxes.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;

bool npu::isColour(StringRef text) {
  return text == tensorColour || areImageAxes(text);
}

static size_t rankOf(Value value) { return tensorType(value).getRank(); }

namespace {

/// Two passes over one block.
class Transmitter {
public:
  explicit Transmitter(Block &block) : block(block) {}

  Colours run(StringRef openInputs) {
    for (Operation &op : llvm::reverse(block))
      if (auto rule = dyn_cast<LayoutOpInterface>(op))
        backward(rule);
    for (Value input : block.getArguments())
      if (!colours.count(input))
        colours[input] =
            openInputs.size() == rankOf(input) || openInputs == tensorColour
                ? openInputs.str()
                : tensorColour.str();
    for (Operation &op : block)
      if (auto rule = dyn_cast<LayoutOpInterface>(op))
        forward(rule);
    for (auto constant : block.getOps<ConstantOp>())
      colours.try_emplace(constant.getResult(), tensorColour.str());
    return std::move(colours);
  }

private:
  /// Whether the op itself says what its values are: it has image axes, or
  /// decides its layouts without any (a matrix product).
  static bool knows(LayoutOpInterface op) {
    return op.getSensitivity() == Sensitivity::Heavy ||
           !op.getResultAxes(0).empty();
  }

  static Colour own(const ImageAxes &axes) {
    return axes.empty() ? tensorColour.str() : axesText(axes);
  }

  /// The colour of one value of an op on another. Empty where the op cannot
  /// tell: a dimension of one has no single counterpart in the other.
  static Colour carry(const Colour &colour, const LayoutRelation::Dims &from,
                      const LayoutRelation::Dims &to) {
    if (from.size() != to.size())
      return {};
    Colour carried(to.size(), ' ');
    for (auto [at, related] : llvm::enumerate(to)) {
      const RelatedDim *found = llvm::find(from, related);
      if (!related.isWhole || related.group == RelatedDim::nowhere ||
          found == from.end())
        return {};
      carried[at] = colour == tensorColour ? ' ' : colour[found - from.begin()];
    }
    return colour == tensorColour ? colour : carried;
  }

  /// From a result to its operands. Walking in reverse, the topologically first
  /// of several users speaks last, and wins.
  void backward(LayoutOpInterface op) {
    Value result = op->getResult(0);
    bool known = knows(op);
    if (known)
      colours[result] = own(op.getResultAxes(0));
    auto from = colours.find(result);
    if (from == colours.end())
      return;
    Colour colour = from->second; // the map may grow below
    LayoutRelation relation = op.getLayoutRelation();
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      ImageAxes axes = op.getOperandAxes(index);
      Colour pushed;
      if (!axes.empty())
        pushed = axesText(axes);
      else if (known)
        pushed = tensorColour;
      else if (!relation.independent[index])
        pushed = carry(colour, relation.results[0], relation.operands[index]);
      if (!pushed.empty())
        colours[operand.get()] = pushed;
    }
  }

  void forward(LayoutOpInterface op) {
    Value result = op->getResult(0);
    if (colours.count(result))
      return;
    LayoutRelation relation = op.getLayoutRelation();
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      auto known = colours.find(operand.get());
      if (known == colours.end() || relation.independent[index])
        continue;
      Colour carried =
          carry(known->second, relation.operands[index], relation.results[0]);
      if (carried.empty())
        carried = regroup(known->second, relatedOperand(relation, op, index),
                          relatedResult(relation, op));
      colours[result] = carried;
      return;
    }
    colours[result] = tensorColour;
  }

  /// An op that could not tell backward: its result is an image where the
  /// reshape keeps the image's axes apart; spatial axes among themselves may be
  /// merged.
  static Colour regroup(const Colour &colour, const RelatedValue &from,
                        const RelatedValue &to) {
    Colour none = tensorColour.str();
    if (colour == tensorColour || to.dims.size() < 3 || to.dims.size() > 6)
      return none;
    std::string roles;
    for (size_t dim = 0; dim < to.dims.size(); ++dim) {
      char role = 0;
      for (size_t source = 0; source < from.dims.size(); ++source) {
        if (!overlap(from, source, to, dim))
          continue;
        char next = colour[source];
        bool spatial = StringRef("DHW").contains(next) &&
                       StringRef("DHW").contains(role ? role : next);
        if (role && role != next && !spatial)
          return none;
        role = role ? std::max(role, next) : next;
      }
      if (!role || StringRef(roles).contains(role))
        return none;
      roles += role;
    }
    return isColour(roles) ? roles : none;
  }

  /// Whether two dimensions share a digit of a flat index.
  static bool overlap(const RelatedValue &a, size_t dimA, const RelatedValue &b,
                      size_t dimB) {
    const RelatedDim &x = a.dims[dimA], &y = b.dims[dimB];
    if (x.group == RelatedDim::nowhere || x.group != y.group)
      return false;
    return (x.isWhole && y.isWhole) || (x.place < y.place * b.shape[dimB] &&
                                        y.place < x.place * a.shape[dimA]);
  }

  Block &block;
  Colours colours;
};

} // namespace

Colours npu::transmitColours(mlir::func::FuncOp function,
                             StringRef openInputs) {
  return Transmitter(function.getBody().front()).run(openInputs);
}

bool npu::hasColours(mlir::func::FuncOp function) {
  for (mlir::BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), colourAttr))
      return true;
  return llvm::any_of(function.getBody().front(),
                      [](Operation &op) { return op.hasAttr(colourAttr); });
}

void npu::writeColours(mlir::func::FuncOp function, const Colours &colours) {
  MLIRContext *context = function.getContext();
  for (mlir::BlockArgument argument : function.getArguments())
    function.setArgAttr(argument.getArgNumber(), colourAttr,
                        StringAttr::get(context, colours.lookup(argument)));
  for (Operation &op : function.getBody().front())
    if (op.getNumResults() == 1)
      op.setAttr(colourAttr,
                 StringAttr::get(context, colours.lookup(op.getResult(0))));
}

static LogicalResult
readColour(Value value, Attribute attribute, Colours &colours,
           function_ref<mlir::InFlightDiagnostic()> error) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  if (!text)
    return error() << "has no colour (a string npu.colour); run "
                      "npu-transmit-layout first";
  if (!isColour(text.getValue()) ||
      (text.getValue() != tensorColour && text.size() != rankOf(value)))
    return error() << "has the colour '" << text.getValue()
                   << "', expected tensor or the axes of a value of rank "
                   << rankOf(value) << ", such as NCHW";
  colours[value] = text.str();
  return success();
}

FailureOr<Colours> npu::readColours(mlir::func::FuncOp function) {
  Colours colours;
  for (mlir::BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (failed(readColour(argument, function.getArgAttr(index, colourAttr),
                          colours, [&] {
                            return std::move(function.emitError()
                                             << "argument " << index << " ");
                          })))
      return failure();
  }
  for (Operation &op : function.getBody().front()) {
    // An output's copy, which comes after transmit, is what it copies.
    if (isCopy(&op) && !op.hasAttr(colourAttr))
      colours[op.getResult(0)] = Colour(colours.lookup(op.getOperand(0)));
    else if (op.getNumResults() == 1 &&
             failed(readColour(op.getResult(0), op.getAttr(colourAttr), colours,
                               [&] { return op.emitOpError(); })))
      return failure();
  }
  return colours;
}

void npu::eraseColours(mlir::func::FuncOp function) {
  for (mlir::BlockArgument argument : function.getArguments())
    function.removeArgAttr(argument.getArgNumber(), colourAttr);
  for (Operation &op : function.getBody().front())
    op.removeAttr(colourAttr);
}
