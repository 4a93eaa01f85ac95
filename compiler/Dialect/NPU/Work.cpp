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

const cost::Product *Work::extents() const {
  if (products.size() == 1)
    return products.data();
  return products.empty() && streamed ? &*streamed : nullptr;
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

/// Rows that windows one below the other share, of those that any window takes:
/// with a stride of 10, dilated ones of 10 leave nine of ten out.
static int64_t sharedRows(int64_t kernel, int64_t dilation, int64_t stride) {
  dilation = std::max<int64_t>(1, dilation);
  int64_t step = std::gcd(dilation, stride);
  return std::max<int64_t>(0,
                           (kernel - 1) * dilation / step + 1 - stride / step);
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
  auto rank = static_cast<int64_t>(result.size());
  bool grouped = groups > 1 && !channelwise;
  char data = channelwise ? 'n' : grouped ? 'K' : 'k';
  return {{product},
          0,
          !channelwise && groups == 1 ? Depth::Channels : Depth::AsItIs,
          sharedRows(weight[2], conv.dilations[0], conv.strides[0]),
          {imageDims(rank, data, true),
           weightDims(rank, grouped ? 'N' : 'n', 'k'),
           imageDims(rank, grouped ? 'N' : 'n', true)}};
}

/// Weight (O, C / groups, spatial): each pixel of the data gives a patch. Rows
/// of the result are whole where as many rows of data as patches share are read
/// for both parts; no patch is multiplied twice.
static Work convTransposeWork(Operation *op, const npu_conv_attrs &conv) {
  ArrayRef<int64_t> data = tensorType(op->getOperand(0)).getShape();
  ArrayRef<int64_t> weight = tensorType(op->getOperand(1)).getShape();
  ArrayRef<int64_t> result = tensorType(op->getResult(0)).getShape();
  int64_t groups = std::max<int64_t>(1, conv.groups);
  int64_t pixels = data[0] * extent(data, 2), taps = extent(weight, 2);
  bool channelwise = isChannelwise(op, groups);
  bool grouped = groups > 1 && !channelwise;
  auto rank = static_cast<int64_t>(data.size());
  char k = channelwise ? 'n' : grouped ? 'K' : 'k', n = grouped ? 'N' : 'n';
  Work work;
  work.products = {
      {pixels, data[1] / groups, weight[0] / groups * taps, groups}};
  if (channelwise)
    work.products = {{pixels, taps, result[1], 1, true}};
  work.products[0].row = extent(data, 3);
  if (groups == 1)
    work.depth = Depth::Channels;
  work.haloRows = (weight[2] - 1) * std::max<int64_t>(1, conv.dilations[0]) /
                  std::max<int64_t>(1, conv.strides[0]);
  work.dims = {imageDims(rank, k, true),
               weightDims(rank, n, channelwise ? '.' : 'k'),
               imageDims(rank, n, true)};
  work.countsDataPixels = true;
  return work;
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
          Depth::AsItIs,
          0,
          {data, other, weightDims(rank, other[1], 'm')}};
}

/// Vector operations on a line of a tile, a multiplication with its addition as
/// one: to its points (4 or 6), or from there to 2 or 4 results. They are those
/// of kernels/conv_winograd/transforms.h.
static int64_t lineSteps(int64_t tile) { return tile == 2 ? 4 : 12; }

Work npu::winogradWork(ArrayRef<int64_t> result, int64_t channels,
                       int64_t tile) {
  auto across = [&](int64_t extent) { return (extent + tile - 1) / tile; };
  int64_t tiles = result[0] * across(result[2]) * across(result[3]);
  // All columns, then all rows; on the way back the rows of the results only.
  int64_t side = tile + 2, there = 2 * side, back = side + tile;
  Work work;
  cost::Product product = {tiles, channels, result[1], side * side};
  product.row = across(result[3]);
  auto steps = static_cast<double>(lineSteps(tile) * tiles);
  product.toPoints = steps * static_cast<double>(there * channels);
  work.products = {product};
  work.elements = steps * static_cast<double>(back * result[1]);
  work.depth = Depth::Channels;
  work.haloRows = 2; // that patches one below the other share
  work.dims = {imageDims(4, 'k', true), "", imageDims(4, 'n', true)};
  return work;
}

/// One vector operation for each element of the largest operand or result.
static Work streamWork(Operation *op) {
  double largest = elementsOf(op->getResult(0));
  for (Value operand : op->getOperands())
    largest = std::max(largest, elementsOf(operand));
  return {{}, largest};
}

/// Windows over each channel by itself: cut as a depthwise convolution is.
static Work windowWork(Operation *op, const npu_pool_attrs &pool) {
  ArrayRef<int64_t> data = tensorType(op->getOperand(0)).getShape(),
                    result = tensorType(op->getResult(0)).getShape();
  auto rank = static_cast<int64_t>(result.size());
  auto window = std::accumulate(pool.kernel, pool.kernel + rank - 2, int64_t(1),
                                std::multiplies<>());
  Work work;
  work.elements = elementsOf(op->getResult(0)) * static_cast<double>(window);
  work.streamed = {result[0] * extent(result, 2), window, data[1], 1, true};
  work.streamed->row = extent(result, 3);
  work.haloRows =
      sharedRows(pool.kernel[0], pool.dilations[0], pool.strides[0]);
  work.dims = {imageDims(rank, 'n', true), "", imageDims(rank, 'n', true)};
  return work;
}

/// Rows (p / q of each for one of the result) that `taps` of them are read for:
/// how many more than its part a tile of whole rows reads, wherever it begins.
static int64_t resizedHalo(int64_t from, int64_t to, int64_t taps) {
  int64_t common = std::gcd(from, to), p = from / common, q = to / common;
  return std::max<int64_t>(0, (taps * q - p + q - 1 + q - 1) / q);
}

/// Each axis by itself, from one, two or four neighbours: rows of the result
/// with those of the data that they are made of.
static Work resizeWork(Operation *op, const npu_resize_attrs &resize) {
  ArrayRef<int64_t> data = tensorType(op->getOperand(0)).getShape(),
                    result = tensorType(op->getResult(0)).getShape();
  auto rank = static_cast<int64_t>(result.size());
  if (rank < 3 || data[0] != result[0] || data[1] != result[1])
    return streamWork(op);
  int64_t taps = resize.mode == NPU_RESIZE_NEAREST  ? 1
                 : resize.mode == NPU_RESIZE_LINEAR ? 2
                                                    : 4;
  int64_t axes = 0, window = 1;
  for (int64_t dim = 2; dim < rank; ++dim)
    if (data[dim] != result[dim]) {
      window *= taps;
      ++axes;
    }
  Work work;
  work.elements =
      elementsOf(op->getResult(0)) *
      static_cast<double>(taps == 1 ? 1 : std::max<int64_t>(1, taps * axes));
  work.streamed = {result[0] * extent(result, 2), window, data[1], 1, true};
  work.streamed->row = extent(result, 3);
  if (data[2] != result[2])
    work.haloRows = resizedHalo(data[2], result[2], taps);
  work.dims = {imageDims(rank, 'n', true), "", imageDims(rank, 'n', true)};
  return work;
}

/// Steps of a vector unit for each element of operand 0, rows of which lie
/// along `axes` (a bit each) and are gone over `passes` times if they do not
/// fit on the chip.
static Work rowsWork(Operation *op, double steps, int64_t axes, double passes) {
  ArrayRef<int64_t> data = tensorType(op->getOperand(0)).getShape(),
                    result = tensorType(op->getResult(0)).getShape();
  Work work;
  work.elements = steps * elementsOf(op->getOperand(0));
  work.depth = Depth::Padded;
  work.countsDataPixels = true;
  work.passes = passes;
  work.streamed = {1, 1, 1};
  for (auto [dim, size] : llvm::enumerate(data)) {
    bool isAlong = (axes >> dim & 1) != 0;
    (isAlong ? work.streamed->k : work.streamed->m) *= size;
    work.dims.data += isAlong ? 'k' : 'm';
    if (data.size() == result.size() || !isAlong)
      work.dims.result += isAlong ? 'k' : 'm';
  }
  return work;
}

/// Mean and variance in one pass, then what is made of them.
static Work normWork(Operation *op, const npu_norm_attrs &norm) {
  Work work = rowsWork(op, normSteps, norm.axes_mask, 2);
  int64_t groups = std::max<int64_t>(1, norm.groups);
  if (groups == 1 || work.streamed->k % groups != 0)
    return work;
  work.streamed->k /= groups;
  work.streamed->count = groups;
  for (std::string *dims : {&work.dims.data, &work.dims.result})
    (*dims)[norm.group_axis] = 'K';
  return work;
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
          Depth::Padded,
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
          Depth::AsItIs,
          0,
          {batch + "mk", batch + "nk", batch + "mk"}};
}

/// One vector operation for each element of the result, of a table of which
/// `share` is read along some dimensions.
static Work tableWork(Operation *op, double share, int64_t firstDim,
                      int64_t lastDim) {
  Work work = streamWork(op);
  // What is not read is not computed either.
  work.elements = elementsOf(op->getResult(0));
  work.part = Part{share, {}, Part::Kind::RowsRead};
  for (int64_t dim = firstDim; dim <= lastDim; ++dim)
    work.part->together.push_back({dim, 1});
  return work;
}

/// The data are copied; then rows of the result are written once more, each
/// index of the dimensions a row of its own.
static Work scatterWork(Operation *op, int64_t firstDim, int64_t lastDim) {
  Work work = streamWork(op);
  work.part = Part{elementsOf(op->getOperand(2)) /
                       std::max(1.0, elementsOf(op->getResult(0))),
                   {},
                   Part::Kind::RowsWritten};
  for (int64_t dim = firstDim; dim <= lastDim; ++dim)
    work.part->together.push_back({dim, 1});
  return work;
}

/// How many elements there are of the result for each of operand 0.
static double resultShare(Operation *op) {
  return elementsOf(op->getResult(0)) /
         std::max(1.0, elementsOf(op->getOperand(0)));
}

static Work sliceWork(Operation *op, const npu_slice_attrs &slice) {
  Work work = streamWork(op);
  work.elements = elementsOf(op->getResult(0));
  work.part = Part{resultShare(op), {}, Part::Kind::Slice};
  ArrayRef<int64_t> data = tensorType(op->getOperand(0)).getShape(),
                    result = tensorType(op->getResult(0)).getShape();
  for (auto [dim, size] : llvm::enumerate(result))
    if (size != data[dim])
      work.part->together.push_back(
          {dim, std::abs(slice.steps[dim]) == 1 ? size : 1});
  return work;
}

/// Each kind is named, so that the compiler finds one that is forgotten.
static Work kernelWork(KernelOpInterface op) {
  npu_attrs attributes = {};
  switch (op.getKernel(attributes)) {
  case NPU_OP_CONV:
    return convWork(op, attributes.conv);
  case NPU_OP_CONV_TRANSPOSE:
    return convTransposeWork(op, attributes.conv);
  case NPU_OP_CONV_BPW:
    return convBpwWork(op, attributes.conv.groups);
  case NPU_OP_TENSORNORM:
    return normWork(op, attributes.norm);
  case NPU_OP_CONV_WINOGRAD:
    return winogradWork(tensorType(op->getResult(0)).getShape(),
                        tensorType(op->getOperand(0)).getShape()[1],
                        attributes.winograd.tile);
  case NPU_OP_MAX_POOL:
  case NPU_OP_AVG_POOL:
  case NPU_OP_MAX_POOL_INDICES:
    return windowWork(op, attributes.pool);
  case NPU_OP_MATMUL:
    return matmulWork(op);
  case NPU_OP_ATTENTION:
    return attentionWork(op);
  case NPU_OP_SOFTMAX:
    // The maximum, the sum, and what is made of them.
    return rowsWork(op, softmaxSteps, int64_t(1) << attributes.axis.axis, 3);
  case NPU_OP_REDUCE:
    return rowsWork(op, 1, attributes.reduce.axes_mask, 1);
  case NPU_OP_TOP_K:
    return rowsWork(op, 1, int64_t(1) << attributes.top_k.axis, 1);
  case NPU_OP_CUMULATE:
    return rowsWork(op, 1, int64_t(1) << attributes.cumulate.axis, 1);
  case NPU_OP_GATHER:
    return tableWork(op, resultShare(op), attributes.axis.axis,
                     attributes.axis.axis);
  case NPU_OP_GATHER_ELEMENTS:
    return tableWork(op, resultShare(op), 0,
                     tensorType(op->getOperand(0)).getRank() - 1);
  case NPU_OP_GATHER_ND: {
    int64_t first = attributes.index.batch_dims,
            depth = tensorType(op->getOperand(1)).getShape().back();
    return tableWork(op, resultShare(op), first, first + depth - 1);
  }
  case NPU_OP_RESIZE:
    return resizeWork(op, attributes.resize);
  case NPU_OP_SCATTER_ELEMENTS:
    return scatterWork(op, 0, tensorType(op->getResult(0)).getRank() - 1);
  case NPU_OP_SCATTER_ND:
    return scatterWork(op, 0,
                       tensorType(op->getOperand(1)).getShape().back() - 1);
  case NPU_OP_SLICE:
    return sliceWork(op, attributes.slice);
  case NPU_OP_RELAYOUT:
  case NPU_OP_TRANSPOSE:
  case NPU_OP_RESHAPE:
    return {};
  case NPU_OP_ELTWISE:
  case NPU_OP_CONCAT:
  case NPU_OP_PAD:
  case NPU_OP_BROADCAST:
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
  Block &body = fused.getBody().front();
  for (Operation &inner : body.without_terminator()) {
    Work part = workOf(&inner);
    llvm::append_range(total.products, part.products);
    if (!leaving.contains(&inner))
      total.elements += part.elements;
    if (part.depth != Depth::AsItIs)
      total.depth = part.depth;
    total.haloRows = std::max(total.haloRows, part.haloRows);
    // The op's first operand is the kernel's, too.
    bool readsFirst = inner.getNumOperands() > 0 &&
                      inner.getOperand(0) == body.getArgument(0);
    if (part.products.empty() && !readsFirst)
      continue;
    if (part.extents()) {
      total.dims = part.dims;
      total.countsDataPixels = part.countsDataPixels;
      total.streamed = part.streamed;
      total.passes = part.passes;
    }
    if (part.part)
      total.part = part.part;
  }
  return total;
}

/// Itself, or what a fused kernel is built around.
static bool isAttention(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    op = fused.getRoot();
  return llvm::isa_and_nonnull<AttentionOp>(op);
}

/// Which extents a tensor has of a kernel that the vector unit runs.
static cost::Role streamedRole(RankedTensorType type, StringRef dims,
                               bool isDepthwise, bool isFirst) {
  bool hasM = false, hasK = false, hasN = false;
  for (auto [dim, sign] : llvm::enumerate(dims)) {
    if (type.getDimSize(dim) == 1)
      continue;
    hasM |= sign == 'm' || sign == '.';
    hasK |= sign == 'k' || sign == 'K';
    hasN |= sign == 'n';
  }
  if (isDepthwise)
    return isFirst ? cost::Role::Data
           : hasM  ? cost::Role::Result
                   : cost::Role::Bias;
  if (hasK)
    return hasM ? cost::Role::Data : cost::Role::Weight;
  return hasM || hasN || isFirst ? cost::Role::Result : cost::Role::Bias;
}

static void assignStreamedRoles(Operation *op, const Work &work,
                                cost::KernelWork &transfers) {
  bool isDepthwise = work.streamed->depthwise;
  for (auto [index, read] : llvm::enumerate(transfers.reads)) {
    RankedTensorType type = tensorType(op->getOperand(index));
    StringRef dims = index == 0 ? work.dims.data : work.dims.result;
    size_t rank = type.getRank();
    if (rank <= dims.size())
      read.role =
          streamedRole(type, dims.take_back(rank), isDepthwise, index == 0);
  }
  transfers.reads[0].passes = work.passes;
  for (auto [index, write] : llvm::enumerate(transfers.writes)) {
    RankedTensorType type = tensorType(op->getResult(index));
    if (static_cast<size_t>(type.getRank()) == work.dims.result.size())
      write.role = streamedRole(type, work.dims.result, isDepthwise,
                                /*isFirst=*/false);
  }
  // What is one element, or a row of them.
  for (cost::Transfer &write : transfers.writes)
    if (write.role == cost::Role::Bias)
      write.role = cost::Role::Result;
}

/// Whether it is repeated along some dimension, and has but a few elements.
static bool isRepeated(Value operand, RankedTensorType result) {
  ArrayRef<int64_t> shape = tensorType(operand).getShape(),
                    all = result.getShape();
  if (shape.size() > all.size() ||
      elementsOf(operand) >= static_cast<double>(result.getNumElements()))
    return false;
  return llvm::all_of(llvm::zip(shape, all.take_back(shape.size())),
                      [](auto sizes) {
                        auto [size, there] = sizes;
                        return size == there || size == 1;
                      }) &&
         (all.empty() ||
          elementsOf(operand) <= static_cast<double>(*llvm::max_element(all)));
}

void npu::assignRoles(Operation *op, const Work &work,
                      cost::KernelWork &transfers) {
  std::vector<cost::Transfer> &reads = transfers.reads;
  if (reads.empty())
    return;
  ArrayRef<int64_t> shape = tensorType(op->getOperand(0)).getShape();
  if (work.haloRows > 0 && shape.size() > 2)
    reads[0].halo =
        reads[0].bytes * static_cast<double>(work.haloRows) /
        static_cast<double>(std::max<int64_t>(1, shape[0] * shape[2]));
  if (work.products.empty() && work.streamed)
    return assignStreamedRoles(op, work, transfers);
  if (work.products.empty()) {
    for (size_t index = 0; index < reads.size(); ++index)
      if (isRepeated(op->getOperand(index), tensorType(op->getResult(0))))
        reads[index].role = cost::Role::Bias;
    return;
  }
  if (reads.size() < 2)
    return;
  reads[0].role = cost::Role::Data;
  reads[1].role = cost::Role::Weight;
  const cost::Product &product = work.products.front();
  for (size_t index = 2; index < reads.size(); ++index)
    if (tensorType(op->getOperand(index)).getNumElements() <=
        product.n * product.count)
      reads[index].role = cost::Role::Bias;
  if (isAttention(op))
    reads[2].role = cost::Role::Weight;
}

Value npu::valueAt(Operation *op, size_t index) {
  const size_t operands = op->getNumOperands();
  return index < operands ? op->getOperand(index)
                          : op->getResult(index - operands);
}

StringRef npu::productDims(Operation *op, const Work &work, unsigned index) {
  if (!work.extents())
    return {};
  bool isOperand = index < op->getNumOperands();
  Value value = valueAt(op, index);
  bool isWeight =
      !work.products.empty() && (index == 1 || (index == 2 && isAttention(op)));
  StringRef dims = isOperand && index == 0 ? work.dims.data
                   : isOperand && isWeight ? work.dims.weight
                                           : work.dims.result;
  bool fits = dims.size() == static_cast<size_t>(tensorType(value).getRank());
  return fits ? dims : StringRef();
}
