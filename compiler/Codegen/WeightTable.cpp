// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/WeightTable.h"

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

FailureOr<WeightTable::Place> WeightTable::place(ConstantOp constant) {
  if (constant.getTaps())
    return addWinograd(constant);
  RankedTensorType type = tensorType(constant.getResult());
  npu_tensor_desc target = describeTensor(type);
  LayoutAttr layout = getLayout(type);
  std::vector<char> logical, storage;
  ArrayRef<char> elements = elementBytes(constant.getValue(), logical);
  ArrayRef<char> bytes = elements;
  if (layout && !layout.isRowMajor(type.getShape())) {
    FailureOr<std::vector<char>> relaid =
        relay(constant.getLoc(), elements, target);
    if (failed(relaid))
      return failure();
    storage = std::move(*relaid);
    bytes = storage;
  } else {
    storage = std::move(logical);
  }
  if (std::optional<Place> smaller = addSmaller(target, bytes))
    return *smaller;
  FailureOr<std::optional<Place>> scaled =
      addScaled(constant.getLoc(), elements, target);
  if (failed(scaled))
    return failure();
  if (*scaled)
    return **scaled;
  return Place{storage.empty() ? append(bytes)
                               : appendOwned(std::move(storage))};
}

/// Of `count` elements one behind the other, all of them so many times.
static kernels::Problem castProblem(int32_t from, int32_t to, int64_t count,
                                    int64_t times = 1) {
  kernels::Problem cast;
  cast.op = NPU_OP_ELTWISE;
  const int64_t extents[] = {times, count};
  const int rank = times == 1 ? 1 : 2;
  cast.inputs = {kernels::makeTensor(from, &count, 1)};
  cast.outputs = {kernels::makeTensor(to, extents + 2 - rank, rank)};
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

/// How often the bytes repeat the first of them: what is the same for all
/// indices of the outermost dimensions.
static int64_t timesRepeated(const npu_tensor_desc &tensor,
                             ArrayRef<char> bytes) {
  int64_t times = 1, repeated = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) {
    times *= tensor.dims[tensor.order[i]];
    const size_t part = bytes.size() / static_cast<size_t>(times);
    if (bytes.size() % static_cast<size_t>(times) != 0 ||
        bytes.drop_front(part) != bytes.drop_back(part))
      break;
    repeated = times;
  }
  return repeated;
}

/// Two bytes of each, the first in its lower half.
static kernels::Problem halvesProblem(int64_t count) {
  kernels::Problem halves;
  halves.op = NPU_OP_ELTWISE;
  const int64_t pairs[] = {count / 2, 1}, two[] = {1, 2}, one[] = {1, 1},
                all[] = {count / 2, 2};
  halves.inputs = {kernels::makeTensor(NPU_I8, pairs, 2),
                   kernels::makeTensor(NPU_I32, two, 2),
                   kernels::makeTensor(NPU_I32, one, 2)};
  halves.outputs = {kernels::makeTensor(NPU_I8, all, 2)};
  // Up, so that the half's sign is the number's, and down again.
  halves.instrs = {{NPU_INSTR_cast, 0, -1, -1, 0, 0, NPU_I32, 0},
                   {NPU_INSTR_shift_left, 3, 1, -1, 0, 0, NPU_I32, 0},
                   {NPU_INSTR_shift_right, 4, 2, -1, 0, 0, NPU_I32, 0},
                   {NPU_INSTR_cast, 5, -1, -1, 0, 0, NPU_I8, 0}};
  return halves;
}

std::optional<WeightTable::Place> WeightTable::addHalves(ArrayRef<char> bytes) {
  auto isHalf = [](char byte) { return byte >= -8 && byte <= 7; };
  if (bytes.size() % 2 != 0 || !llvm::all_of(bytes, isHalf))
    return std::nullopt;
  std::vector<char> pairs(bytes.size() / 2);
  for (size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = static_cast<char>((bytes[2 * i] & 15) | bytes[2 * i + 1] << 4);
  kernels::Problem halves = halvesProblem(static_cast<int64_t>(bytes.size()));
  const int32_t up[] = {28, 24}, down[] = {28};
  halves.inputs[0].weights_offset = appendOwned(std::move(pairs));
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
  const int64_t times = timesRepeated(target, bytes);
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
      castProblem(source->dtype, target.dtype, source->dims[0], times);
  cast.inputs[0].weights_offset = source->weights_offset;
  return make(std::move(cast));
}

/// Numbers, perhaps with offsets, times scales; these differ along `dim` only.
static kernels::Problem scaleProblem(const npu_tensor_desc &numbers,
                                     const npu_tensor_desc &target, int64_t dim,
                                     bool hasOffsets) {
  kernels::Problem scale;
  scale.op = NPU_OP_ELTWISE;
  std::vector<int64_t> extents(static_cast<size_t>(target.rank), 1);
  extents[static_cast<size_t>(dim)] = target.dims[dim];
  const npu_tensor_desc each =
      kernels::makeTensor(NPU_F32, extents.data(), target.rank);
  scale.inputs = {numbers, each};
  if (hasOffsets)
    scale.inputs.push_back(each);
  scale.outputs = {target};
  auto next = static_cast<int16_t>(scale.inputs.size());
  scale.instrs = {{NPU_INSTR_cast, 0, -1, -1, 0, 0, NPU_F32, 0}};
  if (hasOffsets)
    scale.instrs.push_back({NPU_INSTR_add, next++, 2, -1, 0, 0, NPU_F32, 0});
  scale.instrs.push_back({NPU_INSTR_mul, next, 1, -1, 0, 0, NPU_F32, 0});
  return scale;
}

/// What is stored of the numbers, in row-major order.
static std::vector<char> storedNumbers(ScaledNumbers &found,
                                       ArrayRef<int64_t> shape) {
  size_t run = 1;
  for (int64_t extent : shape.drop_front(static_cast<size_t>(found.dim) + 1))
    run *= static_cast<size_t>(extent);
  if (!found.offsets.empty())
    for (auto [i, number] : llvm::enumerate(found.numbers))
      number -= found.offsets[i / run % found.offsets.size()];
  std::vector<char> stored(
      found.numbers.size() *
      static_cast<size_t>(kernels::dtypeBytes(found.dtype)));
  castElements(NPU_F32, found.dtype,
               reinterpret_cast<const char *>(found.numbers.data()),
               stored.data(), static_cast<int64_t>(found.numbers.size()));
  return stored;
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
      relay(location, storedNumbers(*found, shape), numbers);
  if (failed(relaid))
    return failure();
  std::optional<Place> smaller = addSmaller(numbers, *relaid);
  numbers.weights_offset =
      smaller ? smaller->offset : appendOwned(std::move(*relaid));
  kernels::Problem scale =
      scaleProblem(numbers, target, found->dim, !found->offsets.empty());
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
