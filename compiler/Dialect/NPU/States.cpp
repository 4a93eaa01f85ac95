// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/States.h"

using namespace npu;
using mlir::func::FuncOp;

static StringAttr nameOfArgument(FuncOp function, unsigned index) {
  return function.getArgAttrOfType<StringAttr>(index, stateAttr);
}

static StringAttr nameOfResult(FuncOp function, unsigned index) {
  return function.getResultAttrOfType<StringAttr>(index, stateAttr);
}

unsigned npu::numStates(FuncOp function) {
  unsigned count = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    count += nameOfArgument(function, i) ? 1 : 0;
  return count;
}

SmallVector<State> npu::statesOf(FuncOp function) {
  SmallVector<State> states;
  const unsigned count = numStates(function);
  for (unsigned i = 0; i < count; ++i) {
    State state;
    state.argument = function.getNumArguments() - count + i;
    state.result = function.getNumResults() - count + i;
    state.name = nameOfArgument(function, state.argument);
    state.beginsAs =
        function.getArgAttrOfType<ElementsAttr>(state.argument, beginsAsAttr);
    states.push_back(state);
  }
  return states;
}

/// Undecided layouts are alike.
static bool areAlike(Type before, Type after) {
  auto one = dyn_cast<RankedTensorType>(before);
  auto other = dyn_cast<RankedTensorType>(after);
  if (!one || !other || one.getShape() != other.getShape() ||
      one.getElementType() != other.getElementType())
    return false;
  LayoutAttr stored = getLayout(one), left = getLayout(other);
  return stored && left ? stored.isEquivalent(left, one.getShape())
                        : stored == left;
}

static LogicalResult verifyBeginsAs(FuncOp function, unsigned index,
                                    Attribute value) {
  if (!nameOfArgument(function, index))
    return function.emitOpError() << "argument " << index << " has "
                                  << beginsAsAttr << ", but no " << stateAttr;
  auto elements = dyn_cast<ElementsAttr>(value);
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
  if (!elements || !type ||
      elements.getShapedType().getShape() != type.getShape() ||
      elements.getElementType() != type.getElementType())
    return function.emitOpError()
           << "state " << nameOfArgument(function, index)
           << " begins as another type than it has, expected elements of "
           << function.getArgumentTypes()[index];
  return success();
}

static LogicalResult verifyName(FuncOp function, Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  if (name && !name.empty() && !name.getValue().contains('\0'))
    return success();
  return function.emitOpError() << stateAttr << " is " << value
                                << ", expected a name without zero characters";
}

LogicalResult npu::verifyStateArgument(Operation *op, unsigned index,
                                       mlir::NamedAttribute attribute) {
  auto function = dyn_cast<FuncOp>(op);
  if (!function)
    return success();
  if (attribute.getName() == beginsAsAttr)
    return verifyBeginsAs(function, index, attribute.getValue());
  if (attribute.getName() != stateAttr)
    return success();
  if (failed(verifyName(function, attribute.getValue())))
    return failure();
  auto name = cast<StringAttr>(attribute.getValue());
  const unsigned count = numStates(function);
  const unsigned first = function.getNumArguments() - count;
  if (index < first)
    return function.emitOpError()
           << "state " << name << " is argument " << index
           << ", expected states behind all other arguments";
  for (unsigned other = first; other < index; ++other)
    if (nameOfArgument(function, other) == name)
      return function.emitOpError()
             << "has two arguments that are state " << name;
  const unsigned place = index - first;
  if (count > function.getNumResults() ||
      nameOfResult(function, function.getNumResults() - count + place) != name)
    return function.emitOpError()
           << "state " << name << " has no result at its place, expected the "
           << "last results to be the states in the sequence of the arguments";
  const unsigned result = function.getNumResults() - count + place;
  Type before = function.getArgumentTypes()[index];
  Type after = function.getResultTypes()[result];
  if (!areAlike(before, after))
    return function.emitOpError()
           << "state " << name << " is " << before << " before a run and "
           << after << " after it, expected the same type, stored alike";
  return success();
}

LogicalResult npu::verifyStateResult(Operation *op, unsigned index,
                                     mlir::NamedAttribute attribute) {
  auto function = dyn_cast<FuncOp>(op);
  if (!function || attribute.getName() != stateAttr)
    return success();
  if (failed(verifyName(function, attribute.getValue())))
    return failure();
  const unsigned count = numStates(function);
  if (count <= function.getNumResults() &&
      index >= function.getNumResults() - count)
    return success(); // the argument is compared with it
  return function.emitOpError()
         << "result " << index << " is state " << attribute.getValue()
         << ", which no argument is at its place";
}
