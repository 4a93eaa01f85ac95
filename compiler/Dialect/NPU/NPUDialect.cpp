// SPDX-License-Identifier: Apache-2.0
//
// Registration of the dialect, and what TableGen leaves to write of its ops.
#include "compiler/Dialect/NPU/NPUDialect.h"

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

#define GET_OP_CLASSES
#include "compiler/Dialect/NPU/NPUOps.cpp.inc"

void NPUDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/NPU/NPUOps.cpp.inc"
      >();
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

// Each table's order is the numbering of its enum in program_format.h.
static const StringRef padModes[] = {"constant", "reflect", "edge", "wrap"};
static const StringRef reduceKinds[] = {
    "sum", "mean", "max",     "min",         "prod",
    "l1",  "l2",   "log_sum", "log_sum_exp", "sum_square"};
static const StringRef cumulates[] = {"sum", "prod"};
static const StringRef scatters[] = {"none", "add", "mul", "max", "min"};
static const StringRef resizeModes[] = {"nearest", "linear", "cubic"};
static const StringRef resizeCoordinates[] = {
    "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
    "half_pixel_symmetric"};
static const StringRef resizeNearest[] = {"round_prefer_floor",
                                          "round_prefer_ceil", "floor", "ceil"};
static_assert(NPU_PAD_WRAP == 3 && NPU_REDUCE_SUM_SQUARE == 9 &&
              NPU_RESIZE_CUBIC == 2 && NPU_SCATTER_MIN == 4 &&
              NPU_CUMULATE_PROD == 1 && NPU_RESIZE_HALF_PIXEL_SYMMETRIC == 4 &&
              NPU_NEAREST_CEIL == 3);

static const StringRef unpoolModes[] = {"nearest", "zero"};
const ArrayRef<StringRef> npu::unpoolModeWords = unpoolModes;
const ArrayRef<StringRef> npu::padModeWords = padModes;
const ArrayRef<StringRef> npu::reduceKindWords = reduceKinds;
const ArrayRef<StringRef> npu::cumulateWords = cumulates;
const ArrayRef<StringRef> npu::scatterWords = scatters;
const ArrayRef<StringRef> npu::resizeModeWords = resizeModes;
const ArrayRef<StringRef> npu::resizeCoordinatesWords = resizeCoordinates;
const ArrayRef<StringRef> npu::resizeNearestWords = resizeNearest;

int npu::lookupWord(ArrayRef<StringRef> words, StringRef word) {
  const StringRef *found = llvm::find(words, word);
  return found == words.end() ? -1 : static_cast<int>(found - words.begin());
}
