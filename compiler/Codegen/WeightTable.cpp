// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/WeightTable.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "kernels/kernel.h"
#include "kernels/tensor.h"

#include "llvm/Support/xxhash.h"

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

FailureOr<int64_t> WeightTable::add(Location location, ElementsAttr elements,
                                    RankedTensorType type) {
  npu_tensor_desc target = describeTensor(type);
  LayoutAttr layout = getLayout(type);
  bool rowMajor = !layout || layout.isRowMajor(type.getShape());
  auto key = std::make_pair(Attribute(elements),
                            rowMajor ? Attribute() : Attribute(layout));
  if (auto found = known.find(key); found != known.end())
    return found->second;
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(elements, storage);
  if (!rowMajor) {
    FailureOr<std::vector<char>> relaid = relay(location, bytes, target);
    if (failed(relaid))
      return failure();
    storage = std::move(*relaid);
    bytes = storage;
  }
  return known[key] =
             storage.empty() ? append(bytes) : appendOwned(std::move(storage));
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
