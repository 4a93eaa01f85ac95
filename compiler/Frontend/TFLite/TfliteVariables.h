// SPDX-License-Identifier: Apache-2.0
//
// Variables of a TFLite model: what operators read and assign, and keep from
// run to run. They become states of @main.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITEVARIABLES_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITEVARIABLES_H

#include "compiler/Frontend/TFLite/TfliteTensors.h"

#include <map>

namespace npu {

/// A variable is known by a key. A function's arguments are made as they are
/// read first, its results when all is imported.
class TfliteVariables {
public:
  explicit TfliteVariables(mlir::func::FuncOp function) : function(function) {}

  /// Of a variable that VAR_HANDLE names.
  std::string keyOf(const tflite::VarHandleOptions &options);
  /// Of a tensor that is a variable: zeros to begin with, as LiteRT has it.
  std::string keyOf(Emitter &emitter, const tflite::Tensor &tensor);

  /// What it holds. `like` has its type, where nothing before says it. Null
  /// after an error.
  Value read(Emitter &emitter, StringRef key, const tflite::Tensor &like);
  LogicalResult assign(Emitter &emitter, StringRef key, Value value,
                       const tflite::Tensor &like);
  /// Runs what assigns the variables before the first run.
  LogicalResult initialize(Emitter &emitter, function_ref<LogicalResult()> run);
  /// Goes up with each assignment.
  size_t assignments() const { return count; }

  /// Every variable that was read or assigned, as it is left, with a name that
  /// `freshName` gives. The function's arguments are complete then.
  void finish(function_ref<std::string(const std::string &)> freshName,
              SmallVectorImpl<Value> &values,
              SmallVectorImpl<std::string> &names);
  /// Once the function has its results, of which they are the last.
  void mark(ArrayRef<std::string> names);

private:
  struct Variable {
    std::string name;
    size_t number = 0;      // in the sequence in which they were met
    Value value;            // null: not known yet
    BlockArgument argument; // null: nothing has read it
    ElementsAttr beginsAs;  // null: zeros
  };
  Variable &met(const std::string &key, const std::string &name);
  BlockArgument addArgument(RankedTensorType type);
  LogicalResult checkType(Emitter &emitter, const Variable &variable,
                          Type found);

  mlir::func::FuncOp function;
  std::map<std::string, Variable> variables; // by key
  SmallVector<ElementsAttr> begins;          // of the states, in order
  bool isInitializing = false;
  size_t count = 0;
};

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEVARIABLES_H
