// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/Resources.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "kernels/tensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace npu;

LogicalResult npu::checkResources(mlir::ModuleOp module) {
  auto result = module.walk([](ConstantOp op) {
    auto elements = dyn_cast<mlir::DenseResourceElementsAttr>(op.getValue());
    if (!elements)
      return mlir::WalkResult::advance();
    mlir::AsmResourceBlob *blob = elements.getRawHandle().getBlob();
    uint64_t found = blob ? blob->getData().size() : 0;
    uint64_t wanted = kernels::storedBytes(
        describeTensor(cast<RankedTensorType>(elements.getType())));
    if (found == wanted)
      return mlir::WalkResult::advance();
    op.emitOpError() << "has " << found << " bytes of elements in resource '"
                     << elements.getRawHandle().getKey() << "', expected "
                     << wanted
                     << "; a module printed to standard output leaves weights "
                        "out, write it with npuc --emit=mlir -o FILE";
    return mlir::WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
