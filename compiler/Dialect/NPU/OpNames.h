// SPDX-License-Identifier: Apache-2.0
//
// What messages and reports call ops.
#ifndef NPU_COMPILER_DIALECT_NPU_OPNAMES_H
#define NPU_COMPILER_DIALECT_NPU_OPNAMES_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// The model's node that an op comes from: "Conv 'c1'"; empty if not known.
std::string nodeName(Location location);

/// "Conv 'c1'", or the op's own name where the model has none.
std::string opName(Operation *op);

/// The same with the kind of op: "Conv 'c1' (conv2d)".
std::string opText(Operation *op);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_OPNAMES_H
