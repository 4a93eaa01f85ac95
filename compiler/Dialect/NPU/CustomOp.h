// SPDX-License-Identifier: Apache-2.0
//
// npu.custom and what its plugin says of it.
#ifndef NPU_COMPILER_DIALECT_NPU_CUSTOMOP_H
#define NPU_COMPILER_DIALECT_NPU_CUSTOMOP_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Dialect/NPU/OpVocabulary.h"
#include "compiler/Dialect/NPU/Work.h"
#include "format/custom_op.h"
#include "kernels/kernel.h"

namespace npu {

/// Attributes as npu.custom has them.
mlir::DictionaryAttr parametersOf(mlir::Builder &builder,
                                  ArrayRef<format::CustomAttribute> attributes);
/// A tensor among them.
format::CustomTensor describeElements(ElementsAttr elements);

/// The problem without results, for operands of these types in rows.
kernels::Problem customProblem(const format::CustomOp &op,
                               mlir::TypeRange operands,
                               const plugin::Use *plugins);

/// The type of the result; null after a clause in `whyNot`.
RankedTensorType inferCustomType(MLIRContext *context,
                                 const kernels::Problem &problem,
                                 std::string &whyNot);

/// Which op of which plugin it is, and the node's attributes.
format::CustomOp describeOp(CustomOp op);

/// Of a context: what plugins said of their ops' dimensions, so that each is
/// asked once about ops that are alike.
std::shared_ptr<RelationMemo> makeRelationMemo();

/// Adds to a problem which op of which plugin it is.
void describeCustom(CustomOp op, kernels::Problem &problem);

Work customWork(CustomOp op);

/// The words of "acme.rope", an op of a plugin that this process has loaded;
/// null: there is none. They live until the process ends.
const OpWords *lookupPluginWords(StringRef name);
/// Of all of them.
SmallVector<const OpWords *> pluginVocabulary();

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_CUSTOMOP_H
