// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/WeightTable.h"

#include "compiler/Codegen/Makers.h"
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ScaledNumbers.h"
#include "kernels/kernel.h"
#include "kernels/tensor.h"

#include "llvm/Support/xxhash.h"

#include <cstring>

using namespace npu;

static const char zeros[NPU_VALUE_ALIGNMENT] = {};

// Of less there is nothing to gain by making it: a page of memory each.
static constexpr size_t leastMade = 4096;

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

/// The elements as the type stores them; none where that is in rows, as they
/// lie in their attribute. `logical`: where they lie if that has no bytes of
/// its own.
static FailureOr<std::vector<char>>
storageOf(Location location, RankedTensorType type, ArrayRef<char> elements,
          const std::vector<char> &logical) {
  LayoutAttr layout = getLayout(type);
  if (layout && !layout.isRowMajor(type.getShape()))
    return relay(location, elements, describeTensor(type));
  return logical;
}

FailureOr<WeightTable::Place> WeightTable::place(ConstantOp constant) {
  if (constant.getTaps())
    return addWinograd(constant);
  RankedTensorType type = tensorType(constant.getResult());
  npu_tensor_desc target = describeTensor(type);
  std::vector<char> logical;
  ArrayRef<char> elements = elementBytes(constant.getValue(), logical);
  FailureOr<std::vector<char>> storage =
      storageOf(constant.getLoc(), type, elements, logical);
  if (failed(storage))
    return failure();
  ArrayRef<char> bytes = storage->empty() ? elements : ArrayRef(*storage);
  if (std::optional<Place> smaller = addSmaller(target, bytes))
    return *smaller;
  FailureOr<std::optional<Place>> scaled =
      addScaled(constant.getLoc(), elements, target);
  if (failed(scaled))
    return failure();
  if (*scaled)
    return **scaled;
  return Place{storage->empty() ? append(bytes)
                                : appendOwned(std::move(*storage))};
}

FailureOr<int64_t> WeightTable::add(Location location, RankedTensorType type,
                                    ElementsAttr elements) {
  std::vector<char> logical;
  ArrayRef<char> bytes = elementBytes(elements, logical);
  FailureOr<std::vector<char>> storage =
      storageOf(location, type, bytes, logical);
  if (failed(storage))
    return failure();
  return storage->empty() ? append(bytes) : appendOwned(std::move(*storage));
}

/// As a row of elements.
std::optional<npu_tensor_desc> WeightTable::storeNarrow(int32_t dtype,
                                                        ArrayRef<char> bytes) {
  for (int32_t narrower : makers::narrowerTypes(dtype)) {
    std::optional<std::vector<char>> kept =
        makers::narrowed(dtype, narrower, bytes);
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

std::optional<WeightTable::Place> WeightTable::addHalves(ArrayRef<char> bytes) {
  std::optional<std::vector<char>> pairs = makers::pairsOfHalves(bytes);
  if (!pairs)
    return std::nullopt;
  kernels::Problem halves =
      makers::halvesProblem(static_cast<int64_t>(bytes.size()));
  const int32_t up[] = {28, 24}, down[] = {28};
  halves.inputs[0].weights_offset = appendOwned(std::move(*pairs));
  halves.inputs[1].weights_offset = add(ArrayRef(up));
  halves.inputs[2].weights_offset = add(ArrayRef(down));
  return make(std::move(halves));
}

std::optional<WeightTable::Place>
WeightTable::addSmaller(const npu_tensor_desc &target, ArrayRef<char> bytes) {
  if (bytes.size() < leastMade)
    return std::nullopt;
  if (target.dtype == NPU_I8)
    if (std::optional<Place> halves = addHalves(bytes))
      return halves;
  const int64_t times = makers::timesRepeated(target, bytes);
  ArrayRef<char> first =
      bytes.take_front(bytes.size() / static_cast<size_t>(times));
  std::optional<npu_tensor_desc> source = storeNarrow(target.dtype, first);
  if (!source && times == 1)
    return std::nullopt;
  if (!source) {
    const int64_t count =
        static_cast<int64_t>(first.size()) / kernels::dtypeBytes(target.dtype);
    source = kernels::makeTensor(target.dtype, &count, 1);
    source->weights_offset = appendOwned(first.vec());
  }
  kernels::Problem cast =
      makers::castProblem(source->dtype, target.dtype, source->dims[0], times);
  cast.inputs[0].weights_offset = source->weights_offset;
  return make(std::move(cast));
}

FailureOr<std::optional<WeightTable::Place>>
WeightTable::addScaled(Location location, ArrayRef<char> elements,
                       const npu_tensor_desc &target) {
  const bool isAligned =
      reinterpret_cast<uintptr_t>(elements.data()) % alignof(float) == 0;
  if (target.dtype != NPU_F32 || elements.size() < leastMade || !isAligned)
    return std::optional<Place>();
  ArrayRef values(reinterpret_cast<const float *>(elements.data()),
                  elements.size() / sizeof(float));
  ArrayRef<int64_t> shape(target.dims, static_cast<size_t>(target.rank));
  std::optional<ScaledNumbers> found = findScaledNumbers(values, shape);
  if (!found)
    return std::optional<Place>();
  npu_tensor_desc numbers = target;
  numbers.dtype = found->dtype;
  FailureOr<std::vector<char>> relaid =
      relay(location, makers::storedNumbers(*found, shape), numbers);
  if (failed(relaid))
    return failure();
  std::optional<Place> smaller = addSmaller(numbers, *relaid);
  numbers.weights_offset =
      smaller ? smaller->offset : appendOwned(std::move(*relaid));
  kernels::Problem scale = makers::scaleProblem(numbers, target, found->dim,
                                                !found->offsets.empty());
  scale.inputs[1].weights_offset = add(ArrayRef(found->scales));
  if (!found->offsets.empty())
    scale.inputs[2].weights_offset = add(ArrayRef(found->offsets));
  return std::optional<Place>(make(std::move(scale), smaller.has_value()));
}

FailureOr<WeightTable::Place> WeightTable::addWinograd(ConstantOp constant) {
  ElementsAttr taps = *constant.getTaps();
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(taps, storage);
  npu_tensor_desc source =
      describeTensor(cast<RankedTensorType>(taps.getType()));
  bool isOfMade = false;
  if (std::optional<npu_tensor_desc> narrow =
          storeNarrow(source.dtype, bytes)) {
    source.dtype = narrow->dtype;
    source.weights_offset = narrow->weights_offset;
  } else {
    FailureOr<std::optional<Place>> scaled =
        addScaled(constant.getLoc(), bytes, source);
    if (failed(scaled))
      return failure();
    isOfMade = scaled->has_value();
    source.weights_offset = isOfMade          ? (*scaled)->offset
                            : storage.empty() ? append(bytes)
                                              : appendOwned(std::move(storage));
  }
  kernels::Problem transform;
  transform.op = NPU_OP_WINOGRAD_WEIGHT;
  transform.attrs.winograd.tile = *constant.getTile();
  transform.inputs = {source};
  transform.outputs = {describeTensor(tensorType(constant.getResult()))};
  return make(std::move(transform), isOfMade);
}

static int64_t alignedBytes(const npu_tensor_desc &tensor) {
  return static_cast<int64_t>(
      llvm::alignTo(static_cast<uint64_t>(kernels::storedBytes(tensor)),
                    NPU_VALUE_ALIGNMENT));
}

WeightTable::Place WeightTable::make(kernels::Problem maker, bool isOfMade) {
  std::string key = kernels::keyOf(maker) + (isOfMade ? "made" : "");
  for (const npu_tensor_desc &input : maker.inputs)
    key += " " + std::to_string(input.weights_offset);
  auto [found, isNew] = made.try_emplace(key, madeBytes);
  if (isNew) {
    for (auto [i, input] : llvm::enumerate(maker.inputs))
      if (sources.insert({isOfMade && i == 0, input.weights_offset}).second)
        sourceBytes += alignedBytes(input);
    maker.outputs[0].weights_offset = madeBytes;
    madeBytes += alignedBytes(maker.outputs[0]);
    making.push_back({std::move(maker), isOfMade});
  }
  return {found->second, true};
}

int64_t WeightTable::madeBegin() const {
  return static_cast<int64_t>(
      llvm::alignTo(static_cast<uint64_t>(size), NPU_WEIGHTS_ALIGNMENT));
}

std::vector<kernels::Problem> WeightTable::makers() const {
  std::vector<kernels::Problem> placed;
  for (const Maker &maker : making) {
    kernels::Problem &problem = placed.emplace_back(maker.problem);
    problem.outputs[0].weights_offset += madeBegin();
    if (maker.isOfMade)
      problem.inputs[0].weights_offset += madeBegin();
  }
  return placed;
}

int64_t WeightTable::add(StringRef bytes) {
  return appendOwned({bytes.begin(), bytes.end()});
}

template <class Number>
int64_t WeightTable::add(ArrayRef<Number> numbers) {
  const char *bytes = reinterpret_cast<const char *>(numbers.data());
  return appendOwned({bytes, bytes + numbers.size() * sizeof(Number)});
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
