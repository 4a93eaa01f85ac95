// SPDX-License-Identifier: Apache-2.0
//
// The graph's inputs with all sizes known.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_INPUTS_H
#define NPU_COMPILER_FRONTEND_SUPPORT_INPUTS_H

#include "compiler/Frontend/Support/ImportOptions.h"

namespace npu {

/// A dimension as the model declares it: a size, a symbol, or neither.
struct InputDim {
  int64_t size = -1;
  std::string symbol;
  bool isKnown() const { return size >= 0; }
};

/// An input as the model declares it.
struct DeclaredInput {
  std::string name;
  bool hasRank;
  SmallVector<InputDim> dims;
  Type element;
};

/// An input of the graph: an argument of @main, or a constant.
struct GraphInput {
  std::string name;
  RankedTensorType type;
  ElementsAttr bound; // null: an argument
};

/// The inputs with the options applied. Errors at the file: names that are no
/// input, shapes that contradict the model or each other, sizes that stay
/// unknown or are below `leastSize`.
FailureOr<std::vector<GraphInput>> bindInputs(Location location,
                                              std::vector<DeclaredInput> inputs,
                                              const ImportOptions &options,
                                              int64_t leastSize);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_INPUTS_H
