// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/Constants.h"

#include "format/element_types.h"
#include "kernels/tensor.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>
#include <memory>

using namespace npu;

// Shape arithmetic and biases stay readable; weights never enter the uniquer,
// which would copy and hash them.
static constexpr size_t largestInline = 1024;

/// A resource whose blob frees `owner` when the context ends.
template <typename Owner>
static ElementsAttr makeResource(RankedTensorType type, ArrayRef<char> bytes,
                                 std::unique_ptr<Owner> owner) {
  auto release = [kept = std::move(owner)](void *, size_t, size_t) mutable {
    kept.reset();
  };
  mlir::AsmResourceBlob blob(bytes, NPU_VALUE_ALIGNMENT, std::move(release),
                             /*dataIsMutable=*/false);
  return mlir::DenseResourceElementsAttr::get(type, "weight", std::move(blob));
}

static ElementsAttr makeInline(RankedTensorType type, ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> bits;
  for (char byte : bytes)
    bits.push_back(byte != 0);
  return DenseElementsAttr::get(type, ArrayRef<bool>(bits));
}

static int64_t readInt(const char *bytes, int dtype) {
  auto load = [bytes](auto zero) -> int64_t {
    std::memcpy(&zero, bytes, sizeof(zero));
    return zero;
  };
  switch (dtype) {
  case NPU_I64:
  case NPU_U64:
    return load(int64_t());
  case NPU_I32:
    return load(int32_t());
  case NPU_U32:
    return load(uint32_t());
  case NPU_I16:
    return load(int16_t());
  case NPU_U16:
    return load(uint16_t());
  case NPU_I8:
    return load(int8_t());
  default:
    return load(uint8_t());
  }
}

int npu::dtypeOf(Type elementType) {
  if (elementType.isF32())
    return NPU_F32;
  if (elementType.isF16())
    return NPU_F16;
  if (elementType.isBF16())
    return NPU_BF16;
  if (elementType.isF64())
    return NPU_F64;
  auto integer = dyn_cast<mlir::IntegerType>(elementType);
  if (!integer || (integer.isSigned() && integer.getWidth() != 8))
    return -1;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return isUnsigned ? -1 : NPU_BOOL;
  case 8:
    return isUnsigned ? NPU_U8 : NPU_I8;
  case 16:
    return isUnsigned ? NPU_U16 : NPU_I16;
  case 32:
    return isUnsigned ? NPU_U32 : NPU_I32;
  case 64:
    return isUnsigned ? NPU_U64 : NPU_I64;
  default:
    return -1;
  }
}

Type npu::elementTypeOf(MLIRContext *context, int dtype) {
  using mlir::IntegerType;
  switch (dtype) {
  case NPU_F32:
    return mlir::Float32Type::get(context);
  case NPU_F16:
    return mlir::Float16Type::get(context);
  case NPU_BF16:
    return mlir::BFloat16Type::get(context);
  case NPU_F64:
    return mlir::Float64Type::get(context);
  default:
    break;
  }
  const ElementType *type = lookupType(dtype);
  if (!type)
    return Type();
  if (type->kind == ElementKind::Bool)
    return IntegerType::get(context, 1);
  return IntegerType::get(context, 8 * type->bytes,
                          type->kind == ElementKind::Unsigned
                              ? IntegerType::Unsigned
                              : IntegerType::Signless);
}

npu_tensor_desc npu::describeTensor(RankedTensorType type) {
  npu_tensor_desc desc =
      kernels::makeTensor(dtypeOf(type.getElementType()),
                          type.getShape().data(), int(type.getRank()));
  LayoutAttr layout = getLayout(type);
  if (!layout)
    return desc;
  for (auto [i, dim] : llvm::enumerate(layout.getOrder()))
    desc.order[i] = int8_t(dim);
  for (const LayoutBlock &block : layout.getBlocks()) {
    desc.block_dims[desc.block_count] = int8_t(block.dim);
    desc.block_sizes[desc.block_count] = int32_t(block.size);
    ++desc.block_count;
  }
  return desc;
}

ElementsAttr npu::makeElements(RankedTensorType type, ArrayRef<char> bytes) {
  if (bytes.size() <= largestInline)
    return makeInline(type, bytes);
  return makeElements(type, std::vector<char>(bytes.begin(), bytes.end()));
}

ElementsAttr npu::makeElements(RankedTensorType type,
                               std::vector<char> &&bytes) {
  if (bytes.size() <= largestInline)
    return makeInline(type, bytes);
  auto owner = std::make_unique<std::vector<char>>(std::move(bytes));
  ArrayRef<char> view(*owner);
  return makeResource(type, view, std::move(owner));
}

ElementsAttr npu::makeElements(RankedTensorType type,
                               std::unique_ptr<std::string> bytes) {
  ArrayRef<char> view(bytes->data(), bytes->size());
  if (view.size() <= largestInline)
    return makeInline(type, view);
  return makeResource(type, view, std::move(bytes));
}

ArrayRef<char> npu::elementBytes(ElementsAttr elements,
                                 std::vector<char> &storage) {
  if (auto resource = dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  auto dense = cast<DenseElementsAttr>(elements);
  storage.clear();
  int64_t count = dense.getNumElements();
  if (dense.getElementType().isInteger(1)) {
    if (dense.isSplat())
      storage.assign(count, dense.getSplatValue<bool>());
    else
      llvm::append_range(storage, dense.getValues<bool>());
    return storage;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat())
    return raw;
  storage.resize(raw.size() * count);
  for (size_t at = 0; at < storage.size(); at += raw.size())
    std::memcpy(storage.data() + at, raw.data(), raw.size());
  return storage;
}

SmallVector<int64_t> npu::elementInts(ElementsAttr elements) {
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(elements, storage);
  int dtype = dtypeOf(elements.getElementType());
  int64_t width = kernels::dtypeBytes(dtype);
  SmallVector<int64_t> result;
  for (size_t i = 0; i < bytes.size(); i += width)
    result.push_back(readInt(bytes.data() + i, dtype));
  return result;
}

ConstantOp npu::constantBehind(Value value) {
  while (auto relayout = value.getDefiningOp<RelayoutOp>())
    value = relayout.getInput();
  return value.getDefiningOp<ConstantOp>();
}

double npu::largestMagnitudeSum(ElementsAttr constant,
                                function_ref<bool(int64_t dim)> isSummed) {
  ArrayRef<int64_t> shape = constant.getShapedType().getShape();
  std::vector<double> sums(1);
  SmallVector<size_t> steps(shape.size());
  for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d)
    if (!isSummed(d)) {
      steps[d] = sums.size();
      sums.resize(sums.size() * shape[d]);
    }
  SmallVector<int64_t> numbers = elementInts(constant);
  for (size_t i = 0; i < numbers.size(); ++i) {
    size_t rest = i, at = 0;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      at += rest % shape[d] * steps[d];
    sums[at] += std::fabs(static_cast<double>(numbers[i]));
  }
  return *llvm::max_element(sums);
}

ElementsAttr npu::constantOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? constant.getValue() : ElementsAttr();
}

std::optional<std::vector<float>> npu::floatsOf(Value value) {
  return floatsOf(constantOf(value));
}

std::optional<std::vector<float>> npu::floatsOf(ElementsAttr elements) {
  if (!elements || !elements.getElementType().isF32())
    return std::nullopt;
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(elements, storage);
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

void npu::releaseUnused(MLIRContext *context, ArrayRef<ElementsAttr> made,
                        ArrayRef<ElementsAttr> used) {
  auto keyOf = [](ElementsAttr elements) -> StringRef {
    auto resource = dyn_cast_or_null<mlir::DenseResourceElementsAttr>(elements);
    return resource ? resource.getRawHandle().getKey() : StringRef();
  };
  llvm::DenseSet<StringRef> kept;
  for (ElementsAttr elements : used)
    kept.insert(keyOf(elements));
  auto &manager =
      mlir::DenseResourceElementsHandle::getManagerInterface(context);
  for (ElementsAttr elements : made) {
    StringRef key = keyOf(elements);
    if (!key.empty() && kept.insert(key).second)
      manager.update(key, mlir::AsmResourceBlob());
  }
}
