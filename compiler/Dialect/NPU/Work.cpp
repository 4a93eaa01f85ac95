// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/Work.h"

#include "compiler/Dialect/NPU/CustomOp.h"

#include <numeric>

using namespace npu;

static double elementsOf(Value value) {
  return static_cast<double>(tensorType(value).getNumElements());
}

/// Vector operations for each element: exponential, sum and quotient.
static constexpr double softmaxSteps = 3;
/// Two sums, a multiplication and an addition.
static constexpr double normSteps = 4;

double Work::macs() const {
  double sum = 0;
  for (const cost::Product &product : products)
    sum += product.macs();
  return sum;
}

/// Product of the extents from `first` on.
static int64_t extent(ArrayRef<int64_t> shape, size_t first = 0) {
  return std::accumulate(shape.begin() + first, shape.end(), int64_t(1),
                         std::multiplies<>());
}

static bool isChannelwise(Operation *op, int64_t groups) {
  return groups > 1 && groups == tensorType(op->getOperand(0)).getShape()[1];
}

/// (N, C, spatial): pixels along M, but for those that no tile separates.
static std::string imageDims(int64_t rank, char channel, bool rowsStayWhole) {
  std::string dims(rank, 'm');
  dims[1] = channel;
  for (int64_t dim = 3; rowsStayWhole && dim < rank; ++dim)
    dims[dim] = '.';
  return dims;
}

/// Two leading dimensions of a weight.
static std::string weightDims(int64_t rank, char first, char second) {
  std::string dims(rank, '.');
  dims[0] = first;
  dims[1] = second;
  return dims;
}

/// Weight (O, C / groups, spatial).
static Work convWork(Operation *op, const npu_conv_attrs &conv) {
  ArrayRef<int64_t> result = tensorType(op->getResult(0)).getShape();
  ArrayRef<int64_t> weight = tensorType(op->getOperand(1)).getShape();
  int64_t groups = std::max<int64_t>(1, conv.groups);
  int64_t pixels = result[0] * extent(result, 2);
  bool channelwise = isChannelwise(op, groups);
  cost::Product product = {pixels, extent(weight, 1), weight[0] / groups,
                           groups};
  if (channelwise)
    product = {pixels, extent(weight, 1), result[1], 1, true};
  product.row = extent(result, 3);
  product.window = extent(weight, 2);
  int64_t window = (weight[2] - 1) * conv.dilations[0] + 1;
  auto rank = static_cast<int64_t>(result.size());
  bool grouped = groups > 1 && !channelwise;
  char data = channelwise ? 'n' : grouped ? 'K' : 'k';
  return {{product},
          0,
          !channelwise && groups == 1,
          std::max<int64_t>(0, window - conv.strides[0]),
          {imageDims(rank, data, true),
           weightDims(rank, grouped ? 'N' : 'n', 'k'),
           imageDims(rank, grouped ? 'N' : 'n', true)}};
}

/// Weight (C, O / groups, spatial): each pixel of the data gives a patch.
static Work convTransposeWork(Operation *op, int64_t groups) {
  ArrayRef<int64_t> data = tensorType(op->getOperand(0)).getShape();
  ArrayRef<int64_t> weight = tensorType(op->getOperand(1)).getShape();
  int64_t pixels = data[0] * extent(data, 2);
  auto rank = static_cast<int64_t>(data.size());
  if (isChannelwise(op, groups))
    return {{{pixels, extent(weight, 1), data[1], 1, true}},
            0,
            false,
            0,
            {imageDims(rank, 'n', false), weightDims(rank, 'n', '.'),
             imageDims(rank, 'n', false)}};
  char k = groups > 1 ? 'K' : 'k', n = groups > 1 ? 'N' : 'n';
  return {{{pixels, data[1] / std::max<int64_t>(1, groups), extent(weight, 1),
            groups}},
          0,
          groups == 1,
          0,
          {imageDims(rank, k, false), weightDims(rank, k, 'n'),
           imageDims(rank, n, false)}};
}

/// Result (O, C / groups, spatial): for each weight a sum over the gradient's
/// pixels.
static Work convBpwWork(Operation *op, int64_t groups) {
  ArrayRef<int64_t> gradient = tensorType(op->getOperand(1)).getShape();
  ArrayRef<int64_t> result = tensorType(op->getResult(0)).getShape();
  int64_t pixels = gradient[0] * extent(gradient, 2);
  groups = std::max<int64_t>(1, groups);
  auto rank = static_cast<int64_t>(result.size());
  std::string data(rank, 'k'), other(rank, 'k');
  data[1] = 'm';
  other[1] = groups > 1 ? 'N' : 'n';
  return {{{extent(result, 1), pixels, result[0] / groups, groups}},
          0,
          false,
          0,
          {data, other, weightDims(rank, other[1], 'm')}};
}

/// One channel of one tile taken to one point or back, and one transformed
/// weight read, in vector operations: fitted to the table in docs/kernels.md.
static constexpr double transformCost = 16, weightCost = 7.5;

Work npu::winogradWork(ArrayRef<int64_t> result, int64_t channels,
                       int64_t tile) {
  auto across = [&](int64_t extent) { return (extent + tile - 1) / tile; };
  int64_t tiles = result[0] * across(result[2]) * across(result[3]);
  int64_t points = (tile + 2) * (tile + 2);
  auto pairs = static_cast<double>(channels * result[1]);
  auto transformed = static_cast<double>(tiles * (channels + result[1]));
  return {{{tiles, channels, result[1], points}},
          static_cast<double>(points) *
              (transformCost * transformed + weightCost * pairs),
          true,
          2, // rows that patches one below the other share
          {imageDims(4, 'k', false), "", imageDims(4, 'n', false)}};
}

static Work poolWork(Operation *op, const npu_pool_attrs &pool) {
  int64_t spatial = tensorType(op->getResult(0)).getRank() - 2;
  double window = std::accumulate(pool.kernel, pool.kernel + spatial, 1.0,
                                  std::multiplies<>());
  return {{}, elementsOf(op->getResult(0)) * window};
}

/// Weights that the whole batch shares make one tall product.
static Work matmulWork(Operation *op) {
  ArrayRef<int64_t> result = tensorType(op->getResult(0)).getShape();
  ArrayRef<int64_t> b = tensorType(op->getOperand(1)).getShape();
  int64_t depth = tensorType(op->getOperand(0)).getShape().back();
  int64_t columns = result.back();
  int64_t batch = b.size() > 2 ? extent(b.drop_back(2)) : 1;
  int64_t rows = extent(result) / std::max<int64_t>(1, columns * batch);
  auto dims = [&](Value value, StringRef last) {
    size_t rank = tensorType(value).getRank();
    std::string leading(rank - std::min(rank, last.size()),
                        b.size() > 2 ? 'c' : 'm');
    return leading + last.take_back(rank).str();
  };
  return {{{rows, depth, columns, batch}},
          0,
          false,
          0,
          {dims(op->getOperand(0), "mk"), dims(op->getOperand(1), "kn"),
           dims(op->getResult(0), "mn")}};
}

/// One product of rows of queries with all keys, as deep as both that it stands
/// for: a tile is some rows of a head, and its scores never leave the chip.
static Work attentionWork(Operation *op) {
  ArrayRef<int64_t> query = tensorType(op->getOperand(0)).getShape(),
                    value = tensorType(op->getOperand(2)).getShape();
  size_t rank = query.size();
  int64_t rows = query[rank - 2], keys = value[rank - 2];
  int64_t heads = extent(query.drop_back(2));
  std::string batch(rank - 2, 'c');
  return {{{rows, query.back() + value.back(), keys, heads}},
          softmaxSteps * static_cast<double>(heads * rows * keys),
          false,
          0,
          {batch + "m.", batch + "n.", batch + "m."}};
}

/// One vector operation for each element of the largest operand or result.
static Work streamWork(Operation *op) {
  double largest = elementsOf(op->getResult(0));
  for (Value operand : op->getOperands())
    largest = std::max(largest, elementsOf(operand));
  return {{}, largest};
}

/// Each kind is named, so that the compiler finds one that is forgotten.
static Work kernelWork(KernelOpInterface op) {
  npu_attrs attributes = {};
  switch (op.getKernel(attributes)) {
  case NPU_OP_CONV:
    return convWork(op, attributes.conv);
  case NPU_OP_CONV_TRANSPOSE:
    return convTransposeWork(op, attributes.conv.groups);
  case NPU_OP_CONV_BPW:
    return convBpwWork(op, attributes.conv.groups);
  case NPU_OP_TENSORNORM:
    return {{}, normSteps * elementsOf(op->getResult(0)), false};
  case NPU_OP_CONV_WINOGRAD:
    return winogradWork(tensorType(op->getResult(0)).getShape(),
                        tensorType(op->getOperand(0)).getShape()[1],
                        attributes.winograd.tile);
  case NPU_OP_MAX_POOL:
  case NPU_OP_AVG_POOL:
    return poolWork(op, attributes.pool);
  case NPU_OP_MATMUL:
    return matmulWork(op);
  case NPU_OP_ATTENTION:
    return attentionWork(op);
  case NPU_OP_SOFTMAX:
    return {{}, softmaxSteps * elementsOf(op->getResult(0))};
  case NPU_OP_RELAYOUT:
  case NPU_OP_TRANSPOSE:
  case NPU_OP_RESHAPE:
    return {};
  case NPU_OP_ELTWISE:
  case NPU_OP_CONCAT:
  case NPU_OP_PAD:
  case NPU_OP_SLICE:
  case NPU_OP_REDUCE:
  case NPU_OP_RESIZE:
  case NPU_OP_GATHER:
  case NPU_OP_BROADCAST:
  case NPU_OP_GATHER_ELEMENTS:
  case NPU_OP_GATHER_ND:
  case NPU_OP_SCATTER_ELEMENTS:
  case NPU_OP_SCATTER_ND:
  case NPU_OP_MAX_POOL_INDICES:
  case NPU_OP_TOP_K:
  case NPU_OP_CUMULATE:
  case NPU_OP_WINOGRAD_WEIGHT:
  case NPU_OP_IMG2COL:
  case NPU_OP_UNPOOL:
  case NPU_OP_MASKUNPOOL:
  case NPU_OP_ROTATE:
    return streamWork(op);
  case NPU_OP_CUSTOM:
    return customWork(cast<CustomOp>(op.getOperation()));
  case NPU_OP_COUNT:
    break;
  }
  llvm_unreachable("a kernel of no kind");
}

Work npu::workOf(Operation *op, OutputSteps stage) {
  auto fused = dyn_cast<FusedOp>(op);
  if (!fused) {
    auto kernel = dyn_cast<KernelOpInterface>(op);
    return kernel ? kernelWork(kernel) : Work();
  }
  Work total;
  // Only an array has such a stage.
  Operation *root = stage ? fused.getRoot() : nullptr;
  llvm::SmallPtrSet<Operation *, 8> leaving;
  if (root && !workOf(root).products.empty())
    leaving = opsInOutputStage(fused, stage);
  for (Operation &inner : fused.getBody().front().without_terminator()) {
    Work part = workOf(&inner);
    llvm::append_range(total.products, part.products);
    if (!leaving.contains(&inner))
      total.elements += part.elements;
    total.countsChannels |= part.countsChannels;
    total.haloRows = std::max(total.haloRows, part.haloRows);
    if (!part.products.empty())
      total.dims = part.dims;
  }
  return total;
}

/// Itself, or what a fused kernel is built around.
static bool isAttention(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    op = fused.getRoot();
  return llvm::isa_and_nonnull<AttentionOp>(op);
}

void npu::assignRoles(Operation *op, const Work &work,
                      std::vector<cost::Transfer> &reads) {
  if (work.products.empty() || reads.size() < 2)
    return;
  reads[0].role = cost::Role::Data;
  reads[1].role = cost::Role::Weight;
  ArrayRef<int64_t> shape = tensorType(op->getOperand(0)).getShape();
  if (work.haloRows > 0 && shape.size() > 2)
    reads[0].halo =
        reads[0].bytes * static_cast<double>(work.haloRows) /
        static_cast<double>(std::max<int64_t>(1, shape[0] * shape[2]));
  const cost::Product &product = work.products.front();
  for (size_t index = 2; index < reads.size(); ++index)
    if (tensorType(op->getOperand(index)).getNumElements() <=
        product.n * product.count)
      reads[index].role = cost::Role::Bias;
  if (isAttention(op))
    reads[2].role = cost::Role::Weight;
}

StringRef npu::productDims(Operation *op, const Work &work, unsigned index) {
  if (work.products.size() != 1)
    return {};
  bool isOperand = index < op->getNumOperands();
  Value value = isOperand ? op->getOperand(index)
                          : op->getResult(index - op->getNumOperands());
  bool isWeight = index == 1 || (index == 2 && isAttention(op));
  StringRef dims = isOperand && index == 0 ? work.dims.data
                   : isOperand && isWeight ? work.dims.weight
                                           : work.dims.result;
  bool fits = dims.size() == static_cast<size_t>(tensorType(value).getRank());
  return fits ? dims : StringRef();
}
