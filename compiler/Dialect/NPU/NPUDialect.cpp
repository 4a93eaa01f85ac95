// SPDX-License-Identifier: Apache-2.0
//
// Registration of the dialect, and what TableGen leaves to write of its ops.
#include "compiler/Dialect/NPU/NPUDialect.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/CustomOp.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Dialect/NPU/States.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <iterator>

using namespace npu;

#include "compiler/Dialect/NPU/NPUDialect.cpp.inc"

#include "compiler/Dialect/NPU/NPUInterfaces.cpp.inc"

static mlir::ParseResult parseInstrKind(mlir::OpAsmParser &parser,
                                        mlir::IntegerAttr &kind) {
  StringRef name;
  llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  const InstrKind *row = lookupInstr(name);
  if (!row)
    return parser.emitError(location)
           << "'" << name << "' is not an elementwise function";
  kind = parser.getBuilder().getI32IntegerAttr(row->kind);
  return success();
}

static void printInstrKind(mlir::OpAsmPrinter &printer, Operation *,
                           mlir::IntegerAttr kind) {
  const InstrKind *row = lookupInstr(kind.getInt());
  printer << (row ? StringRef(row->name) : StringRef("unknown"));
}

bool npu::isNpuTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::string ignored;
  return tensor && tensor.getRank() <= NPU_MAX_RANK &&
         dtypeOf(tensor.getElementType()) >= 0 &&
         succeeded(shapes::elements(tensor.getShape(), ignored));
}

#include "compiler/Dialect/NPU/NPUEnums.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/NPU/NPUOps.cpp.inc"

void NPUDialect::initialize() {
  registerAttributes();
  relations = makeRelationMemo();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/NPU/NPUOps.cpp.inc"
      >();
}

LogicalResult
NPUDialect::verifyRegionArgAttribute(Operation *op, unsigned /*region*/,
                                     unsigned index,
                                     mlir::NamedAttribute attribute) {
  return verifyStateArgument(op, index, attribute);
}

LogicalResult
NPUDialect::verifyRegionResultAttribute(Operation *op, unsigned /*region*/,
                                        unsigned index,
                                        mlir::NamedAttribute attribute) {
  return verifyStateResult(op, index, attribute);
}

const plugin::Use *npu::pluginsOf(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<NPUDialect>();
  return dialect ? dialect->plugins : nullptr;
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Operation *FusedOp::getRoot() {
  Operation *first = &getBody().front().front();
  return isa<EltwiseOp, YieldOp>(first) ? nullptr : first;
}

Value FusedOp::getYielded() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValue();
}

RankedTensorType npu::withLayout(RankedTensorType type, LayoutAttr layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

LayoutAttr npu::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

SmallVector<int64_t> npu::toInts(ArrayAttr array) {
  SmallVector<int64_t> ints;
  for (Attribute element : array)
    ints.push_back(cast<mlir::IntegerAttr>(element).getInt());
  return ints;
}
