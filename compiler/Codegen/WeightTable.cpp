// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/WeightTable.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "kernels/kernel.h"
#include "kernels/tensor.h"

#include "llvm/Support/xxhash.h"

#include <cstring>

using namespace npu;

static const char zeros[NPU_VALUE_ALIGNMENT] = {};

/// Elements in row-major order brought into the order of `target`.
static FailureOr<std::vector<char>>
relay(Location location, ArrayRef<char> bytes, const npu_tensor_desc &target) {
  kernels::Problem problem;
  problem.op = NPU_OP_RELAYOUT;
  problem.inputs = {
      kernels::makeTensor(target.dtype, target.dims, target.rank)};
  problem.outputs = {target};
  if (std::string wrong = kernels::validate(problem); !wrong.empty())
    return mlir::emitError(location) << "cannot store the constant: " << wrong;
  std::vector<char> result(kernels::storedBytes(target));
  void *operands[] = {const_cast<char *>(bytes.data()), result.data()};
  std::unique_ptr<kernels::Kernel> kernel = kernels::createReference(problem);
  std::vector<char> scratch(kernel->scratchBytes());
  if (kernel->run(operands, scratch.data()) != 0)
    return mlir::emitError(location) << "cannot store the constant";
  return result;
}

FailureOr<WeightTable::Place> WeightTable::add(ConstantOp constant) {
  RankedTensorType type = tensorType(constant.getResult());
  LayoutAttr layout = getLayout(type);
  const bool rowMajor = !layout || layout.isRowMajor(type.getShape());
  auto key = std::make_pair(Attribute(constant.getValue()),
                            rowMajor ? Attribute() : Attribute(layout));
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  FailureOr<Place> placed = place(constant);
  if (succeeded(placed))
    known[key] = *placed;
  return placed;
}

FailureOr<WeightTable::Place> WeightTable::place(ConstantOp constant) {
  if (constant.getTaps())
    return addWinograd(constant);
  RankedTensorType type = tensorType(constant.getResult());
  npu_tensor_desc target = describeTensor(type);
  LayoutAttr layout = getLayout(type);
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(constant.getValue(), storage);
  if (layout && !layout.isRowMajor(type.getShape())) {
    FailureOr<std::vector<char>> relaid =
        relay(constant.getLoc(), bytes, target);
    if (failed(relaid))
      return failure();
    storage = std::move(*relaid);
    bytes = storage;
  }
  if (std::optional<Place> narrow = addNarrow(target.dtype, bytes))
    return *narrow;
  return Place{storage.empty() ? append(bytes)
                               : appendOwned(std::move(storage))};
}

/// Of `count` elements one behind the other.
static kernels::Problem castProblem(int32_t from, int32_t to, int64_t count) {
  kernels::Problem cast;
  cast.op = NPU_OP_ELTWISE;
  cast.inputs = {kernels::makeTensor(from, &count, 1)};
  cast.outputs = {kernels::makeTensor(to, &count, 1)};
  cast.instrs = {{NPU_INSTR_cast, 0, -1, -1, 0, 0, to, 0}};
  return cast;
}

static void castElements(int32_t from, int32_t to, const char *data, char *out,
                         int64_t count) {
  auto kernel = kernels::createReference(castProblem(from, to, count));
  std::vector<char> scratch(kernel->scratchBytes());
  void *operands[] = {const_cast<char *>(data), out};
  kernel->run(operands, scratch.data());
}

/// The elements in a narrower type; nothing where some would not come back.
static std::optional<std::vector<char>> narrowed(int32_t from, int32_t to,
                                                 ArrayRef<char> bytes) {
  constexpr int64_t most = 1 << 16;
  const auto wide = kernels::dtypeBytes(from), narrow = kernels::dtypeBytes(to);
  const int64_t count = static_cast<int64_t>(bytes.size()) / wide;
  std::vector<char> result(static_cast<size_t>(count * narrow)), back;
  for (int64_t first = 0; first < count; first += most) {
    const int64_t n = std::min(most, count - first);
    const char *given = bytes.data() + first * wide;
    char *kept = result.data() + first * narrow;
    back.resize(static_cast<size_t>(n * wide));
    castElements(from, to, given, kept, n);
    castElements(to, from, kept, back.data(), n);
    if (std::memcmp(given, back.data(), back.size()) != 0)
      return std::nullopt;
  }
  return result;
}

static ArrayRef<int32_t> narrowerTypes(int32_t dtype) {
  static const int32_t floats[] = {NPU_F16, NPU_BF16},
                       integers[] = {NPU_I8, NPU_I16, NPU_I32};
  switch (dtype) {
  case NPU_F32:
    return floats;
  case NPU_I64:
    return integers;
  case NPU_I32:
    return ArrayRef(integers).drop_back();
  default:
    return {};
  }
}

/// As a row of elements.
std::optional<npu_tensor_desc> WeightTable::storeNarrow(int32_t dtype,
                                                        ArrayRef<char> bytes) {
  // Of less there is nothing to gain: a page of memory each.
  constexpr size_t least = 4096;
  if (bytes.size() < least)
    return std::nullopt;
  for (int32_t narrower : narrowerTypes(dtype)) {
    std::optional<std::vector<char>> kept = narrowed(dtype, narrower, bytes);
    if (!kept)
      continue;
    const int64_t count =
        static_cast<int64_t>(bytes.size()) / kernels::dtypeBytes(dtype);
    npu_tensor_desc row = kernels::makeTensor(narrower, &count, 1);
    row.weights_offset = appendOwned(std::move(*kept));
    return row;
  }
  return std::nullopt;
}

std::optional<WeightTable::Place> WeightTable::addNarrow(int32_t dtype,
                                                         ArrayRef<char> bytes) {
  std::optional<npu_tensor_desc> narrow = storeNarrow(dtype, bytes);
  if (!narrow)
    return std::nullopt;
  kernels::Problem cast = castProblem(narrow->dtype, dtype, narrow->dims[0]);
  cast.inputs[0].weights_offset = narrow->weights_offset;
  return make(std::move(cast));
}

WeightTable::Place WeightTable::addWinograd(ConstantOp constant) {
  ElementsAttr taps = *constant.getTaps();
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(taps, storage);
  npu_tensor_desc source =
      describeTensor(cast<RankedTensorType>(taps.getType()));
  if (std::optional<npu_tensor_desc> narrow =
          storeNarrow(source.dtype, bytes)) {
    source.dtype = narrow->dtype;
    source.weights_offset = narrow->weights_offset;
  } else {
    source.weights_offset =
        storage.empty() ? append(bytes) : appendOwned(std::move(storage));
  }
  kernels::Problem transform;
  transform.op = NPU_OP_WINOGRAD_WEIGHT;
  transform.attrs.winograd.tile = *constant.getTile();
  transform.inputs = {source};
  transform.outputs = {describeTensor(tensorType(constant.getResult()))};
  return make(std::move(transform));
}

WeightTable::Place WeightTable::make(kernels::Problem maker) {
  std::string key =
      kernels::keyOf(maker) + std::to_string(maker.inputs[0].weights_offset);
  auto [found, isNew] = made.try_emplace(key, madeBytes);
  if (isNew) {
    auto alignedBytes = [](const npu_tensor_desc &tensor) {
      return static_cast<int64_t>(
          llvm::alignTo(static_cast<uint64_t>(kernels::storedBytes(tensor)),
                        NPU_VALUE_ALIGNMENT));
    };
    if (sources.insert(maker.inputs[0].weights_offset).second)
      sourceBytes += alignedBytes(maker.inputs[0]);
    maker.outputs[0].weights_offset = madeBytes;
    madeBytes += alignedBytes(maker.outputs[0]);
    making.push_back(std::move(maker));
  }
  return {found->second, true};
}

int64_t WeightTable::madeBegin() const {
  return static_cast<int64_t>(
      llvm::alignTo(static_cast<uint64_t>(size), NPU_WEIGHTS_ALIGNMENT));
}

std::vector<kernels::Problem> WeightTable::makers() const {
  std::vector<kernels::Problem> placed = making;
  for (kernels::Problem &maker : placed)
    maker.outputs[0].weights_offset += madeBegin();
  return placed;
}

int64_t WeightTable::add(StringRef bytes) {
  return appendOwned({bytes.begin(), bytes.end()});
}

int64_t WeightTable::appendOwned(std::vector<char> bytes) {
  owned.push_back(std::move(bytes));
  const size_t before = stored.size();
  const int64_t offset = append(owned.back());
  if (stored.size() == before)
    owned.pop_back();
  return offset;
}

int64_t WeightTable::append(ArrayRef<char> bytes) {
  const uint64_t hash =
      llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size()));
  auto [first, last] = stored.equal_range(hash);
  for (auto same = first; same != last; ++same)
    if (same->second.bytes == bytes)
      return same->second.offset;
  int64_t offset = size;
  stored.insert({hash, {bytes, offset}});
  chunks.push_back(bytes);
  size += bytes.size();
  if (int64_t padding = -size & (NPU_VALUE_ALIGNMENT - 1)) {
    chunks.push_back(ArrayRef<char>(zeros, padding));
    size += padding;
  }
  return offset;
}
