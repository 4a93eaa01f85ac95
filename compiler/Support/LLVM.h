// SPDX-License-Identifier: Apache-2.0
//
// Names of MLIR and LLVM that the compiler uses unqualified inside npu::.
#ifndef NPU_COMPILER_SUPPORT_LLVM_H
#define NPU_COMPILER_SUPPORT_LLVM_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"

namespace npu {

using llvm::Twine;
using mlir::ArrayAttr;
using mlir::ArrayRef;
using mlir::Attribute;
using mlir::Block;
using mlir::BlockArgument;
using mlir::cast;
using mlir::DenseElementsAttr;
using mlir::dyn_cast;
using mlir::dyn_cast_or_null;
using mlir::ElementsAttr;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::function_ref;
using mlir::isa;
using mlir::Location;
using mlir::LogicalResult;
using mlir::MLIRContext;
using mlir::MutableArrayRef;
using mlir::NamedAttribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::OpOperand;
using mlir::OpResult;
using mlir::RankedTensorType;
using mlir::Region;
using mlir::SmallVector;
using mlir::SmallVectorImpl;
using mlir::StringAttr;
using mlir::StringRef;
using mlir::succeeded;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;
using mlir::Value;
using mlir::ValueRange;

} // namespace npu

#endif // NPU_COMPILER_SUPPORT_LLVM_H
