// SPDX-License-Identifier: Apache-2.0
//
// What the builder of an op sees: the node's inputs and attributes, checked,
// and the emitter for its results.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXNODE_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXNODE_H

#include "compiler/Frontend/ONNX/OnnxModel.h"
#include "compiler/Frontend/ONNX/OnnxSchema.h"
#include "compiler/Frontend/Support/Emitter.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <map>
#include <optional>

namespace npu {

class OnnxNode;

/// Imports a subgraph of a node (a branch of If, the body of a loop) with the
/// values of its inputs; values of its outputs, of which there must be so many.
using BranchImporter = std::function<FailureOr<SmallVector<Value>>(
    onnx::GraphProto &, ArrayRef<Value>, size_t outputs)>;

/// A row of the op table (OnnxOps.cpp).
struct OnnxOp {
  const char *name;
  LogicalResult (*build)(OnnxNode &node);
  /// What tells apart ops that share a builder: npu_instr_kind, a word.
  int kind = 0;
  const char *word = "";
  const char *note = "";
};

/// What a real number was made of: (number - zero point) * scale. The
/// parameters broadcast to the number; no zero point is 0. In blocks, dimension
/// `blockAxis` of the parameters has one index for `block` of the number's. A
/// number of a float type is a narrower one of scale 1.
struct Dequantized {
  Value number, scale, zeroPoint;
  int64_t block = 0, blockAxis = 0;
};
using DequantizedValues = llvm::DenseMap<Value, Dequantized>;
/// What nodes make of the same values, by what it is and the values.
using SharedValues =
    std::map<std::pair<std::string, std::vector<void *>>, Value>;

class OnnxNode : public Emitter {
public:
  OnnxNode(OpBuilder &builder, const OnnxModel &model, onnx::NodeProto &proto,
           const OnnxOp &op, const OnnxSchema &schema,
           SmallVector<Value> inputs)
      : Emitter(builder, locationOf(model, proto)), op(op), schema(schema),
        version(schema.version), model(model), proto(proto),
        inputs(std::move(inputs)), results(proto.output_size()) {}

  const OnnxOp &op;
  /// The version of the operator that holds for the model's opset; the node
  /// agrees with it.
  const OnnxSchema &schema;
  const int version;
  BranchImporter importBranch;
  /// Of the whole model.
  DequantizedValues *dequantizedValues = nullptr;
  SharedValues *sharedValues = nullptr;

  size_t getInputCount() const { return inputs.size(); }
  size_t getOutputCount() const { return results.size(); }
  bool hasInput(size_t index) const {
    return index < inputs.size() && inputs[index];
  }
  /// Null if it is left out.
  Value getInput(size_t index) const {
    return hasInput(index) ? inputs[index] : Value();
  }
  ArrayRef<Value> getInputs() const { return inputs; }
  void setInput(size_t index, Value value) { inputs[index] = value; }
  /// What the value was dequantized from, or null.
  const Dequantized *getDequantized(Value real) const {
    auto it = dequantizedValues->find(real);
    return it == dequantizedValues->end() ? nullptr : &it->second;
  }
  /// What `make` gives, once for all nodes that ask for it: the mask of all
  /// layers. It depends on what `what` says and on `values` (null or not)
  /// alone.
  Value shared(const Twine &what, ArrayRef<Value> values,
               function_ref<Value()> make);
  /// Whether anything may read the result.
  bool hasOutput(size_t index) const {
    return index < results.size() &&
           !proto.output(static_cast<int>(index)).empty();
  }

  /// Sets a result; a null value means that an error was reported.
  LogicalResult setResult(size_t index, Value value);
  LogicalResult setResult(Value value) { return setResult(0, value); }
  ArrayRef<Value> getResults() const { return results; }

  /// Attributes; each call marks the attribute as read. A number out of range
  /// is an error, the default is returned then.
  bool hasAttribute(StringRef name) { return find(name) != nullptr; }
  int64_t getInt(StringRef name, int64_t otherwise, int64_t least = INT64_MIN,
                 int64_t most = INT64_MAX);
  bool getFlag(StringRef name, bool otherwise) {
    return getInt(name, otherwise, 0, 1) != 0;
  }
  double getFloat(StringRef name, double otherwise);
  std::string getString(StringRef name, StringRef otherwise);
  /// A string that must be one of `words`.
  std::string getWord(StringRef name, StringRef otherwise,
                      ArrayRef<StringRef> words);
  /// A word of a closed set of the dialect.
  template <typename Enum>
  Enum getEnum(StringRef name, Enum otherwise) {
    return *symbolizeEnum<Enum>(
        getWord(name, stringifyEnum(otherwise), wordsOf<Enum>()));
  }
  std::optional<Ints> getInts(StringRef name);
  std::optional<SmallVector<double>> getFloats(StringRef name);
  std::vector<std::string> getStrings(StringRef name);
  onnx::TensorProto *getTensor(StringRef name);
  onnx::GraphProto *getGraph(StringRef name);
  /// Attributes that mean nothing at inference.
  void ignore(std::initializer_list<StringRef> names);
  /// Reports attributes that the builder did not ask for: their effect would
  /// be lost.
  LogicalResult checkAllRead();

  /// The elements of an input that must be constant. `what` says what they are
  /// for: "the shape".
  FailureOr<Ints> constantInts(size_t index, StringRef what);
  FailureOr<SmallVector<double>> constantFloats(size_t index, StringRef what);
  /// An input that must be one constant number; `several` names more of them:
  /// "the axis", "axes".
  FailureOr<int64_t> constantInt(size_t index, StringRef what,
                                 StringRef several);
  FailureOr<double> constantFloat(size_t index, StringRef what,
                                  StringRef several);
  /// The numbers of an attribute that became input `index` at `sinceInput`.
  FailureOr<std::optional<Ints>> intsOf(StringRef name, size_t index,
                                        int sinceInput);

  /// Counts a negative axis from the end; an error outside of -rank..rank-1.
  FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  FailureOr<Ints> normalizeAxes(ArrayRef<int64_t> axes, int64_t rank);
  /// An attribute that names a dimension.
  FailureOr<int64_t> getAxis(StringRef name, int64_t otherwise, int64_t rank) {
    return normalizeAxis(getInt(name, otherwise), rank);
  }

  FailureOr<ElementsAttr> takeTensor(onnx::TensorProto &tensor) {
    return takeElements(model, location, tensor);
  }
  /// The dialect's type for TensorProto.DataType.
  FailureOr<Type> typeOf(int64_t onnxType) {
    return elementTypeOf(location, static_cast<int>(onnxType), "the result");
  }

private:
  onnx::AttributeProto *find(StringRef name);
  FailureOr<ElementsAttr> constantInput(size_t index, StringRef what);

  const OnnxModel &model;
  onnx::NodeProto &proto;
  SmallVector<Value> inputs;
  SmallVector<Value> results;
  llvm::StringSet<> read; // attributes
};

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXNODE_H
