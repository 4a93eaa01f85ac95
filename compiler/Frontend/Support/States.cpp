// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/States.h"

#include "compiler/Dialect/NPU/States.h"
#include "compiler/Support/MarkedError.h"
#include "files/words.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace npu;
using mlir::func::FuncOp;

namespace {
/// One side of the function: its inputs or its outputs.
struct Side {
  StringRef kind; // "input"
  std::vector<std::string> names;
  SmallVector<mlir::DictionaryAttr> attributes;

  void add(mlir::DictionaryAttr given) {
    auto name = given ? given.getAs<StringAttr>("npu.name") : StringAttr();
    names.push_back(name ? name.str() : "");
    attributes.push_back(given);
  }
  bool isState(unsigned index) const {
    return attributes[index] && attributes[index].contains(stateAttr);
  }
};
} // namespace

static FailureOr<unsigned> find(FuncOp function, const Side &side,
                                const std::string &name,
                                const llvm::SetVector<unsigned> &taken) {
  auto found = llvm::find(side.names, name);
  if (found == side.names.end())
    return emitMarked(function.getLoc(), wrongUsage)
           << "--state names '" << name << "', which is no " << side.kind
           << " of the model; it has " << llvm::join(side.names, ", ")
           << files::suggestion(name, side.names);
  auto index = static_cast<unsigned>(found - side.names.begin());
  if (side.isState(index) || taken.contains(index))
    return emitMarked(function.getLoc(), wrongUsage)
           << "--state: " << side.kind << " '" << name
           << "' is a state already; name it once";
  return index;
}

/// Those that are not taken, then those that are; states of the model itself
/// stand behind all others, so the new ones before them.
static SmallVector<unsigned> sequence(const Side &side,
                                      const llvm::SetVector<unsigned> &taken) {
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < side.names.size(); ++i)
    if (!taken.contains(i) && !side.isState(i))
      order.push_back(i);
  llvm::append_range(order, taken);
  for (unsigned i = 0; i < side.names.size(); ++i)
    if (side.isState(i))
      order.push_back(i);
  return order;
}

/// Values and attributes in another sequence.
static void reorder(FuncOp function, ArrayRef<unsigned> inputs,
                    ArrayRef<unsigned> outputs, const Side &in,
                    const Side &out) {
  Block &block = function.front();
  Operation *end = block.getTerminator();
  SmallVector<BlockArgument> before(block.getArguments());
  for (unsigned index : inputs)
    before[index].replaceAllUsesWith(
        block.addArgument(before[index].getType(), before[index].getLoc()));
  block.eraseArguments(0, before.size());
  SmallVector<Value> results;
  for (unsigned index : outputs)
    results.push_back(end->getOperand(index));
  end->setOperands(results);
  function.setType(mlir::FunctionType::get(
      function.getContext(), block.getArgumentTypes(), end->getOperandTypes()));
  SmallVector<mlir::DictionaryAttr> argAttrs, resultAttrs;
  for (unsigned index : inputs)
    argAttrs.push_back(in.attributes[index]);
  for (unsigned index : outputs)
    resultAttrs.push_back(out.attributes[index]);
  function.setAllArgAttrs(argAttrs);
  function.setAllResultAttrs(resultAttrs);
}

/// A model's names may hold '=': the names that it has say where they end.
static std::pair<std::string, std::string> split(StringRef text, const Side &in,
                                                 const Side &out) {
  for (size_t at = text.find('='); at != StringRef::npos;
       at = text.find('=', at + 1))
    if (llvm::is_contained(in.names, text.take_front(at)) &&
        llvm::is_contained(out.names, text.drop_front(at + 1)))
      return {text.take_front(at).str(), text.drop_front(at + 1).str()};
  auto [past, present] = text.split('=');
  return {past.str(), present.str()};
}

LogicalResult npu::pairStates(FuncOp function, ArrayRef<std::string> pairs) {
  if (pairs.empty())
    return success();
  Side in{"input", {}, {}}, out{"output", {}, {}};
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    in.add(function.getArgAttrDict(i));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    out.add(function.getResultAttrDict(i));
  llvm::SetVector<unsigned> inputs, outputs;
  Operation *end = function.front().getTerminator();
  SmallVector<std::string> names; // of the states
  for (const std::string &text : pairs) {
    auto [past, present] = split(text, in, out);
    names.push_back(past);
    FailureOr<unsigned> input = find(function, in, past, inputs),
                        output = find(function, out, present, outputs);
    if (failed(input) || failed(output))
      return failure();
    Type before = function.getArgument(*input).getType();
    Type after = end->getOperand(*output).getType();
    if (before != after)
      return emitMarked(function.getLoc(), wrongUsage)
             << "--state: input '" << past << "' is " << before
             << ", but output '" << present << "' is " << after
             << "; expected the same type";
    inputs.insert(*input);
    outputs.insert(*output);
  }
  const auto first = static_cast<unsigned>(in.names.size() - inputs.size()) -
                     numStates(function);
  const auto firstResult =
      static_cast<unsigned>(out.names.size() - outputs.size()) -
      numStates(function);
  reorder(function, sequence(in, inputs), sequence(out, outputs), in, out);
  for (auto [i, text] : llvm::enumerate(names)) {
    auto name = StringAttr::get(function.getContext(), text);
    function.setArgAttr(first + i, stateAttr, name);
    function.setResultAttr(firstResult + i, stateAttr, name);
  }
  return success();
}
