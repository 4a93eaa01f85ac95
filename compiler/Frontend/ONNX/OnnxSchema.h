// SPDX-License-Identifier: Apache-2.0
//
// What ONNX defines of every operator at every version: inputs, results, their
// element types, attributes. The importer checks a node against it before the
// operator's builder runs, so that no builder has to.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXSCHEMA_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXSCHEMA_H

#include "compiler/Support/LLVM.h"

#include "compiler/Frontend/ONNX/onnx.pb.h"

namespace npu {

/// An input or a result.
struct OnnxParameter {
  enum Presence : uint8_t { Required, Optional, Variadic };
  const char *name;
  /// Bit i: TensorProto.DataType i; bit 0: sequences, optionals.
  uint32_t types;
  /// Parameters of one operator that have the same variable have one type;
  /// -1: only its own.
  int variable;
  Presence presence;
};

struct OnnxAttribute {
  const char *name;
  onnx::AttributeProto::AttributeType type;
  bool isRequired;
};

/// One version of an operator.
struct OnnxSchema {
  /// As in the op table: with the domain in front unless that is ai.onnx.
  const char *name;
  int version;
  int leastInputs, leastResults;
  /// The last one may be variadic.
  ArrayRef<OnnxParameter> inputs, results;
  /// Sorted by name.
  ArrayRef<OnnxAttribute> attributes;

  bool isVariadic() const {
    return !inputs.empty() && inputs.back().presence == OnnxParameter::Variadic;
  }
};

/// All versions of the operator, oldest first.
ArrayRef<OnnxSchema> onnxSchemas(StringRef name);

/// The newest version of the operator in `opset`, null if it came later.
const OnnxSchema *schemaIn(StringRef name, int64_t opset);

/// Whether the attribute is of the form that ONNX leaves to programs that write
/// or read the file: no operator has it.
inline bool isPrivate(const onnx::AttributeProto &attribute) {
  return StringRef(attribute.name()).starts_with("__");
}

/// Checks how many inputs and results the node has, which are left out, and
/// its attributes.
LogicalResult checkForm(const OnnxSchema &schema, Location location,
                        const onnx::NodeProto &node);

/// Checks the element types of one node.
class OnnxTypeCheck {
public:
  OnnxTypeCheck(const OnnxSchema &schema, Location location)
      : schema(schema), location(location) {}

  /// Null values are inputs that are left out.
  LogicalResult checkInputs(ArrayRef<Value> inputs);
  /// After checkInputs. Null values are results that nobody reads.
  LogicalResult checkResults(ArrayRef<Value> results);

private:
  /// "input 1 'W'"
  struct Place {
    const char *kind;
    size_t index;
    const OnnxParameter *parameter;
  };
  LogicalResult check(const Place &place, Value value);
  mlir::InFlightDiagnostic report(const Place &place);
  std::string hint(const Place &place, int type) const;

  const OnnxSchema &schema;
  Location location;
  /// What each variable stands for, and where that was seen first.
  struct Binding {
    int type;
    Place place;
  };
  llvm::SmallDenseMap<int, Binding> bindings;
};

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXSCHEMA_H
