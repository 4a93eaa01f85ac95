// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/movement.h"

#include "kernels/conv/window.h"
#include "kernels/resize/resize.h"
#include "kernels/support/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace npu::kernels {

namespace {
/// Source index of each of `extent` result indices: start + i * step, or a
/// list.
struct Indices {
  Indices(int64_t start = 0, int64_t step = 1) : start(start), step(step) {}
  int64_t start, step;
  std::vector<int64_t> list;
};
} // namespace

/// Adds one loop of `extent` to a piece: result dimension `toDim` at `there`,
/// input dimension `fromDim` at `indices`.
static void addLoop(Piece &piece, const npu_tensor_desc &target, int toDim,
                    const Indices &there, const npu_tensor_desc &source,
                    int fromDim, const Indices &indices, int64_t extent) {
  auto pick = [&](const npu_tensor_desc &tensor, int dim, const Indices &where,
                  int64_t &base) {
    DimMap map = dimMap(tensor, dim, tensor.dims[dim]);
    if (map.isLinear() && where.list.empty()) {
      base += where.start * map.stride;
      map.stride *= where.step;
      return map;
    }
    DimMap picked;
    picked.table.resize(static_cast<size_t>(extent));
    for (int64_t i = 0; i < extent; ++i) {
      auto k = static_cast<size_t>(i);
      int64_t index =
          where.list.empty() ? where.start + i * where.step : where.list[k];
      picked.table[k] = map.at(index);
    }
    return picked;
  };
  piece.extents.push_back(extent);
  piece.to.push_back(pick(target, toDim, there, piece.toBase));
  if (piece.input >= 0)
    piece.from.push_back(pick(source, fromDim, indices, piece.fromBase));
}

/// One piece for the whole result: dimension d comes from dimension from[d] of
/// input 0 at indices[d].
static Piece wholePiece(const Problem &problem, const npu_tensor_desc &target,
                        const std::vector<int> &from,
                        const std::vector<Indices> &indices) {
  Piece piece;
  piece.input = 0;
  for (int d = 0; d < target.rank; ++d) {
    auto k = static_cast<size_t>(d);
    addLoop(piece, target, d, {}, problem.inputs[0], from[k], indices[k],
            target.dims[d]);
  }
  return piece;
}

static std::vector<int> identity(int rank) {
  std::vector<int> dims(static_cast<size_t>(rank));
  for (int d = 0; d < rank; ++d)
    dims[static_cast<size_t>(d)] = d;
  return dims;
}

static std::vector<Piece> transposePieces(const Problem &problem,
                                          const npu_tensor_desc &target) {
  std::vector<int> from = identity(target.rank);
  if (problem.op == NPU_OP_TRANSPOSE)
    for (int d = 0; d < target.rank; ++d)
      from[static_cast<size_t>(d)] =
          static_cast<int>(problem.attrs.transpose.permutation[d]);
  std::vector<Indices> all(from.size());
  return {wholePiece(problem, target, from, all)};
}

static std::vector<Piece> slicePieces(const Problem &problem,
                                      const npu_tensor_desc &target) {
  std::vector<Indices> indices(static_cast<size_t>(target.rank));
  for (int d = 0; d < target.rank; ++d) {
    indices[static_cast<size_t>(d)].start = problem.attrs.slice.starts[d];
    indices[static_cast<size_t>(d)].step = problem.attrs.slice.steps[d];
  }
  return {wholePiece(problem, target, identity(target.rank), indices)};
}

static std::vector<Piece> resizePieces(const Problem &problem,
                                       const npu_tensor_desc &target) {
  std::vector<Indices> indices(static_cast<size_t>(target.rank));
  for (int d = 0; d < target.rank; ++d)
    if (target.dims[d] != problem.inputs[0].dims[d] ||
        problem.attrs.resize.scales[d] != 1.0)
      indices[static_cast<size_t>(d)].list = nearestIndices(
          problem.attrs.resize, d, problem.inputs[0].dims[d], target.dims[d]);
  return {wholePiece(problem, target, identity(target.rank), indices)};
}

static std::vector<Piece> broadcastPieces(const Problem &problem,
                                          const npu_tensor_desc &target) {
  Piece piece;
  piece.input = 0;
  piece.extents.assign(target.dims, target.dims + target.rank);
  piece.from = broadcastMaps(problem.inputs[0], target);
  piece.to = dimMaps(target);
  return {piece};
}

static std::vector<Piece> concatPieces(const Problem &problem,
                                       const npu_tensor_desc &target) {
  std::vector<Piece> pieces;
  int64_t first = 0;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    Piece piece;
    piece.input = static_cast<int>(i);
    const npu_tensor_desc &input = problem.inputs[i];
    for (int d = 0; d < target.rank; ++d)
      addLoop(piece, target, d, {d == problem.attrs.axis.axis ? first : 0},
              input, d, {}, input.dims[d]);
    first += input.dims[problem.attrs.axis.axis];
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

/// The bytes of `value` as an element of `dtype`.
static uint64_t elementOf(int32_t dtype, double value) {
  uint64_t bits = 0;
  int64_t zero = 0;
  if (dtype == NPU_F64) {
    store(dtype, &bits, Walk::Run::Contiguous, &zero, 1, &value);
    return bits;
  }
  if (isFloat(dtype)) {
    auto rounded = static_cast<float>(value);
    store(dtype, &bits, Walk::Run::Contiguous, &zero, 1, &rounded);
    return bits;
  }
  int32_t whole = dtype == NPU_BOOL || dtype == NPU_U64 ? dtype : NPU_I64;
  int64_t integer = floatToInteger(whole, value);
  store(dtype, &bits, Walk::Run::Contiguous, &zero, 1, &integer);
  return bits;
}

/// Source index of position `i` (may be outside [0, n)) by pad mode.
static int64_t paddedIndex(int64_t mode, int64_t i, int64_t n) {
  if (mode == NPU_PAD_EDGE)
    return std::min(std::max<int64_t>(i, 0), n - 1);
  if (mode == NPU_PAD_WRAP)
    return ((i % n) + n) % n;
  int64_t period = 2 * (n - 1);
  if (period == 0)
    return 0;
  int64_t rest = ((i % period) + period) % period;
  return rest < n ? rest : period - rest;
}

/// Constant padding: the middle, and for each dimension the slabs before and
/// behind it (over the middle of earlier dimensions, all of later ones).
static std::vector<Piece> constantPadPieces(const Problem &problem,
                                            const npu_tensor_desc &target) {
  const npu_pad_attrs &pad = problem.attrs.pad;
  const npu_tensor_desc &input = problem.inputs[0];
  int rank = target.rank;
  int64_t begin[NPU_MAX_RANK], end[NPU_MAX_RANK]; // middle, in result indices
  for (int d = 0; d < rank; ++d) {
    begin[d] = std::min(std::max<int64_t>(pad.begin[d], 0), target.dims[d]);
    end[d] = std::max(std::min(pad.begin[d] + input.dims[d], target.dims[d]),
                      begin[d]);
  }
  std::vector<Piece> pieces;
  Piece middle;
  middle.input = 0;
  for (int d = 0; d < rank; ++d) {
    Indices indices;
    indices.start = begin[d] - pad.begin[d];
    addLoop(middle, target, d, {begin[d]}, input, d, indices,
            end[d] - begin[d]);
  }
  pieces.push_back(std::move(middle));
  for (int d = 0; d < rank; ++d)
    for (bool before : {true, false}) {
      Piece slab;
      slab.value = elementOf(target.dtype, pad.value);
      int64_t first = before ? 0 : end[d];
      int64_t extent = before ? begin[d] : target.dims[d] - end[d];
      if (extent == 0)
        continue;
      for (int e = 0; e < rank; ++e) {
        int64_t from = e < d ? begin[e] : e == d ? first : 0;
        int64_t size = e < d    ? end[e] - begin[e]
                       : e == d ? extent
                                : target.dims[e];
        addLoop(slab, target, e, {from}, input, e, {}, size);
      }
      pieces.push_back(std::move(slab));
    }
  return pieces;
}

static std::vector<Piece> padPieces(const Problem &problem,
                                    const npu_tensor_desc &target) {
  const npu_pad_attrs &pad = problem.attrs.pad;
  if (pad.mode == NPU_PAD_CONSTANT)
    return constantPadPieces(problem, target);
  std::vector<Indices> indices(static_cast<size_t>(target.rank));
  for (int d = 0; d < target.rank; ++d) {
    int64_t n = problem.inputs[0].dims[d];
    if (pad.begin[d] == 0 && pad.end[d] == 0)
      continue;
    auto &list = indices[static_cast<size_t>(d)].list;
    for (int64_t i = 0; i < target.dims[d]; ++i)
      list.push_back(paddedIndex(pad.mode, i - pad.begin[d], n));
  }
  return {wholePiece(problem, target, identity(target.rank), indices)};
}

/// Adds a piece unless it is empty.
static void addPiece(std::vector<Piece> &pieces, Piece piece) {
  if (std::find(piece.extents.begin(), piece.extents.end(), 0) ==
      piece.extents.end())
    pieces.push_back(std::move(piece));
}

/// One tap of IMG2COL: every `taps`-th channel of the result. Its data, and for
/// each spatial dimension the slabs of padding before and behind.
static void addTap(const Problem &problem, const npu_tensor_desc &target,
                   int64_t taps, int64_t tap, std::vector<Piece> &pieces) {
  const npu_pool_attrs &a = problem.attrs.pool;
  const npu_tensor_desc &input = problem.inputs[0];
  int64_t begin[NPU_MAX_RANK], end[NPU_MAX_RANK], shift[NPU_MAX_RANK];
  for (int64_t d = target.rank - 1, rest = tap; d >= 2; --d) {
    int64_t i = d - 2;
    shift[d] = rest % a.kernel[i] * a.dilations[i] - a.pads_begin[i];
    rest /= a.kernel[i];
    validRange(target.dims[d], input.dims[d], a.strides[i], shift[d], begin[d],
               end[d]);
    begin[d] = std::min(begin[d], target.dims[d]);
    end[d] = std::max(begin[d], end[d]);
  }
  auto start = [&](int from) {
    Piece piece;
    piece.input = from;
    addLoop(piece, target, 0, {}, input, 0, {}, input.dims[0]);
    addLoop(piece, target, 1, {tap, taps}, input, 1, {}, input.dims[1]);
    return piece;
  };
  Piece middle = start(0);
  for (int d = 2; d < target.rank; ++d) {
    int64_t stride = a.strides[d - 2];
    addLoop(middle, target, d, {begin[d]}, input, d,
            {begin[d] * stride + shift[d], stride}, end[d] - begin[d]);
  }
  addPiece(pieces, std::move(middle));
  for (int d = 2; d < target.rank; ++d)
    for (bool before : {true, false}) {
      Piece slab = start(-1);
      for (int e = 2; e < target.rank; ++e) {
        int64_t first = e < d ? begin[e] : e == d && !before ? end[e] : 0;
        int64_t last = e < d              ? end[e]
                       : e == d && before ? begin[e]
                                          : target.dims[e];
        addLoop(slab, target, e, {first}, input, e, {}, last - first);
      }
      addPiece(pieces, std::move(slab));
    }
}

static std::vector<Piece> img2colPieces(const Problem &problem,
                                        const npu_tensor_desc &target) {
  int64_t taps = target.dims[1] / problem.inputs[0].dims[1];
  std::vector<Piece> pieces;
  for (int64_t tap = 0; tap < taps; ++tap)
    addTap(problem, target, taps, tap, pieces);
  return pieces;
}

/// UNPOOL: the data at every kernel-th place; for each spatial dimension and
/// each other place in its window zeros, over the data's places in earlier
/// dimensions and all of later ones.
static std::vector<Piece> unpoolPieces(const Problem &problem,
                                       const npu_tensor_desc &target) {
  const npu_tensor_desc &input = problem.inputs[0];
  auto stepOf = [&](int d) {
    return d < 2 ? 1 : problem.attrs.pool.kernel[d - 2];
  };
  std::vector<Piece> pieces(1);
  pieces[0].input = 0;
  for (int d = 0; d < target.rank; ++d)
    addLoop(pieces[0], target, d, {0, stepOf(d)}, input, d, {}, input.dims[d]);
  for (int d = 2; d < target.rank; ++d)
    for (int64_t place = 1; place < stepOf(d); ++place) {
      Piece zeros;
      for (int e = 0; e < target.rank; ++e) {
        bool isDone = e <= d;
        addLoop(zeros, target, e, {e == d ? place : 0, isDone ? stepOf(e) : 1},
                input, e, {}, isDone ? input.dims[e] : target.dims[e]);
      }
      pieces.push_back(std::move(zeros));
    }
  return pieces;
}

/// A quarter turn reads the second axis backwards along the first one, three
/// turns the first axis backwards along the second one.
static std::vector<Piece> rotatePieces(const Problem &problem,
                                       const npu_tensor_desc &target) {
  const npu_rotate_attrs &a = problem.attrs.rotate;
  std::vector<int> from = identity(target.rank);
  std::vector<Indices> indices(from.size());
  auto first = static_cast<size_t>(a.axes[0]),
       second = static_cast<size_t>(a.axes[1]);
  if (a.turns != 2)
    std::swap(from[first], from[second]);
  auto reverse = [&](size_t axis) {
    indices[axis] = {target.dims[axis] - 1, -1};
  };
  if (a.turns != 3)
    reverse(first);
  if (a.turns != 1)
    reverse(second);
  return {wholePiece(problem, target, from, indices)};
}

namespace {
/// Takes `factor` off the inner end of a dimension that has `rest` left.
struct Factoring {
  const npu_tensor_desc &tensor;
  int dim;
  int64_t rest = 1, inner = 1;
  bool whole = false; // nothing was taken off the dimension yet

  explicit Factoring(const npu_tensor_desc &t) : tensor(t), dim(t.rank) {}
  void skipDone() {
    while (rest == 1 && dim > 0) {
      --dim;
      rest = tensor.dims[dim];
      inner = 1;
      whole = true;
    }
  }
  /// The map of the next `factor` elements, or false where blocks forbid it.
  bool take(int64_t factor, DimMap &map) {
    if (blockOf(tensor, dim) == 1)
      map.stride = dimMap(tensor, dim, tensor.dims[dim]).stride * inner;
    else if (whole && factor == tensor.dims[dim])
      map = dimMap(tensor, dim, factor);
    else
      return false;
    whole = false;
    inner *= factor;
    rest /= factor;
    return true;
  }
};
} // namespace

static std::vector<Piece> reshapePieces(const Problem &problem,
                                        const npu_tensor_desc &target,
                                        std::string &whyNot) {
  Piece piece;
  piece.input = 0;
  Factoring from(problem.inputs[0]), to(target);
  while (true) {
    from.skipDone();
    to.skipDone();
    if (from.rest == 1 && to.rest == 1)
      break;
    int64_t factor = std::min(from.rest, to.rest);
    DimMap source, result;
    if (from.rest % factor || to.rest % factor || !from.take(factor, source) ||
        !to.take(factor, result)) {
      whyNot = "reshape whose stored dimensions have no common factors";
      return {};
    }
    piece.extents.insert(piece.extents.begin(), factor);
    piece.from.insert(piece.from.begin(), std::move(source));
    piece.to.insert(piece.to.begin(), std::move(result));
  }
  return {piece};
}

std::vector<Piece> makePieces(const Problem &problem,
                              const npu_tensor_desc &target,
                              std::string &whyNot) {
  if (elementCount(target) == 0)
    return {};
  switch (problem.op) {
  case NPU_OP_RELAYOUT:
  case NPU_OP_TRANSPOSE:
    return transposePieces(problem, target);
  case NPU_OP_RESHAPE:
    return reshapePieces(problem, target, whyNot);
  case NPU_OP_BROADCAST:
    return broadcastPieces(problem, target);
  case NPU_OP_SLICE:
    return slicePieces(problem, target);
  case NPU_OP_PAD:
    return padPieces(problem, target);
  case NPU_OP_CONCAT:
    return concatPieces(problem, target);
  case NPU_OP_RESIZE:
    return resizePieces(problem, target);
  case NPU_OP_IMG2COL:
    return img2colPieces(problem, target);
  case NPU_OP_UNPOOL:
    return unpoolPieces(problem, target);
  case NPU_OP_ROTATE:
    return rotatePieces(problem, target);
  default:
    whyNot = "not a movement";
    return {};
  }
}

/// Behind the last element of dimension `dim`; over the padding of later
/// dimensions too, but not of earlier ones, so that boxes are disjoint.
static Piece paddingOf(const npu_tensor_desc &tensor, int dim) {
  npu_tensor_desc padded = tensor;
  Piece piece;
  for (int d = 0; d < tensor.rank; ++d) {
    int64_t block = blockOf(tensor, d);
    padded.dims[d] = (tensor.dims[d] + block - 1) / block * block;
  }
  for (int place = 0; place < tensor.rank; ++place) {
    int d = tensor.order[place];
    int64_t extent = d < dim ? tensor.dims[d] : padded.dims[d];
    DimMap map = dimMap(padded, d, extent);
    if (d == dim) {
      map.table.erase(map.table.begin(), map.table.begin() + tensor.dims[d]);
      extent -= tensor.dims[d];
    }
    piece.extents.push_back(extent);
    piece.to.push_back(std::move(map));
  }
  return piece;
}

std::vector<Piece> paddingPieces(const npu_tensor_desc &tensor) {
  std::vector<Piece> pieces;
  if (storedElements(tensor) != elementCount(tensor))
    for (int d = 0; d < tensor.rank; ++d)
      if (tensor.dims[d] % blockOf(tensor, d) != 0)
        pieces.push_back(paddingOf(tensor, d));
  return pieces;
}

void zeroPadding(const npu_tensor_desc &tensor, void *data) {
  for (const Piece &piece : paddingPieces(tensor))
    movePlainly(piece, dtypeBytes(tensor.dtype), nullptr, data);
}

template <typename T>
static void moveAs(const Piece &piece, const Walk &walk, const T *from, T *to) {
  constexpr int chunk = 256;
  int64_t source[chunk], target[chunk];
  T value;
  std::memcpy(&value, &piece.value, sizeof value);
  for (int64_t start = 0; start < walk.size(); start += chunk) {
    int n = static_cast<int>(std::min<int64_t>(chunk, walk.size() - start));
    Walk::Run toRun = walk.offsets(0, start, n, target);
    if (toRun != Walk::Run::Listed)
      for (int i = 1; i < n; ++i)
        target[i] = target[0] + (toRun == Walk::Run::Contiguous ? i : 0);
    if (piece.input < 0) {
      for (int i = 0; i < n; ++i)
        to[target[i]] = value;
      continue;
    }
    Walk::Run fromRun = walk.offsets(1, start, n, source);
    if (fromRun != Walk::Run::Listed)
      for (int i = 1; i < n; ++i)
        source[i] = source[0] + (fromRun == Walk::Run::Contiguous ? i : 0);
    for (int i = 0; i < n; ++i)
      to[target[i]] = from[source[i]];
  }
}

void movePlainly(const Piece &piece, int64_t elementBytes, const void *from,
                 void *to) {
  Walk walk(piece.extents);
  walk.add(piece.to);
  if (piece.input >= 0)
    walk.add(piece.from);
  walk.coalesce();
  auto move = [&](auto type) {
    using T = decltype(type);
    moveAs(piece, walk, static_cast<const T *>(from) + piece.fromBase,
           static_cast<T *>(to) + piece.toBase);
  };
  switch (elementBytes) {
  case 1:
    return move(uint8_t{});
  case 2:
    return move(uint16_t{});
  case 4:
    return move(uint32_t{});
  default:
    return move(uint64_t{});
  }
}

std::string whyNotAsStored(const Problem &problem) {
  if (!problem.instrs.empty())
    return "fused instructions";
  if (problem.outputs[0].dtype != problem.inputs[0].dtype)
    return "a result of another type";
  return "";
}

} // namespace npu::kernels
