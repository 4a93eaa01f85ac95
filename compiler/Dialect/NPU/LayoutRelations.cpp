// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutRelations.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace npu;
using namespace npu::relations;
using llvm::ArrayRef;

using Dims = LayoutRelation::Dims;

static RelatedDim newDim(LayoutRelation &relation) {
  return {relation.groups++};
}

/// One new group for each dimension.
static Dims newDims(LayoutRelation &relation, Shape shape) {
  Dims dims;
  for (size_t i = 0; i < shape.size(); ++i)
    dims.push_back(newDim(relation));
  return dims;
}

static int64_t product(Shape shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

static void addOperand(LayoutRelation &relation, Dims dims, bool independent) {
  relation.operands.push_back(std::move(dims));
  relation.independent.push_back(independent);
}

LayoutRelation relations::samePlaces(ArrayRef<Shape> operands, Shape result) {
  LayoutRelation relation;
  Dims dims = newDims(relation, result);
  for (size_t i = 0; i < operands.size(); ++i)
    addOperand(relation, dims, /*independent=*/false);
  relation.results.push_back(dims);
  return relation;
}

void relations::addBroadcastOperand(LayoutRelation &relation, Shape operand,
                                    Shape result) {
  const Dims &all = relation.results.front();
  Dims dims(all.end() - operand.size(), all.end());
  addOperand(relation, dims, product(operand) < product(result));
}

void relations::addUnrelatedOperand(LayoutRelation &relation, Shape operand) {
  addOperand(relation, newDims(relation, operand), /*independent=*/true);
}

LayoutRelation relations::broadcast(ArrayRef<Shape> operands, Shape result) {
  LayoutRelation relation;
  relation.results.push_back(newDims(relation, result));
  for (Shape operand : operands)
    addBroadcastOperand(relation, operand, result);
  return relation;
}

LayoutRelation relations::conv(ArrayRef<Shape> operands, Shape result) {
  LayoutRelation relation;
  Dims image = newDims(relation, result);
  addOperand(relation, image, /*independent=*/false);
  for (Shape other : operands.drop_front())
    addOperand(relation, newDims(relation, other), /*independent=*/true);
  relation.results.push_back(image);
  return relation;
}

LayoutRelation relations::matmul(Shape a, Shape b, Shape result) {
  LayoutRelation relation;
  Dims all = newDims(relation, result);
  RelatedDim k = newDim(relation);
  Dims aDims(all.end() - a.size(), all.end());
  aDims.back() = k;
  Dims bDims(all.end() - b.size(), all.end());
  // Several numbers of packed weights lie in one element.
  bool isPacked = b[b.size() - 2] != a.back();
  bDims[b.size() - 2] = isPacked ? newDim(relation) : k;
  // One matrix for all rows of a leaves their order to the result. Of a matrix
  // each, rows, columns and batch lie in one order in each of the three.
  int64_t matrices = 1;
  for (int64_t extent : b.drop_back(2))
    matrices *= extent;
  addOperand(relation, aDims, /*independent=*/matrices > 1);
  addOperand(relation, bDims, /*independent=*/matrices > 1 || isPacked);
  relation.results.push_back(all);
  return relation;
}

LayoutRelation relations::attention(ArrayRef<Shape> operands, Shape result) {
  LayoutRelation relation;
  Dims all = newDims(relation, result);
  RelatedDim keys = newDim(relation), size = newDim(relation);
  Dims query = all, key = all, value = all;
  query.back() = key.back() = size;
  key[key.size() - 2] = value[value.size() - 2] = keys;
  // A head of keys that serves several of queries is another dimension.
  for (size_t dim = 0; dim + 2 < result.size(); ++dim)
    if (operands[1][dim] != result[dim])
      key[dim] = value[dim] = newDim(relation);
  for (const Dims &dims : {query, key, value})
    addOperand(relation, dims, /*independent=*/true);
  for (Shape mask : operands.drop_front(3))
    addUnrelatedOperand(relation, mask);
  relation.results.push_back(all);
  return relation;
}

LayoutRelation relations::transpose(Shape operand,
                                    ArrayRef<int64_t> permutation) {
  LayoutRelation relation;
  Dims from = newDims(relation, operand), to;
  for (int64_t dim : permutation)
    to.push_back(from[dim]);
  addOperand(relation, from, /*independent=*/false);
  relation.results.push_back(to);
  return relation;
}

namespace {
/// Walks two shapes of equal product at once and cuts both into the least parts
/// of equal products.
class ReshapeGroups {
public:
  ReshapeGroups(Shape from, Shape to)
      : from(from), to(to), fromDims(from.size(), {RelatedDim::nowhere}),
        toDims(to.size(), {RelatedDim::nowhere}) {}

  LayoutRelation build() {
    while (i < from.size() || j < to.size())
      step();
    addOperand(relation, fromDims, /*independent=*/false);
    relation.results.push_back(toDims);
    return std::move(relation);
  }

private:
  /// Cuts off the part [i, iEnd) x [j, jEnd) of the least equal products.
  void step() {
    if (i < from.size() && j < to.size() && from[i] == to[j]) {
      fromDims[i++] = toDims[j++] = newDim(relation);
      return;
    }
    if (i < from.size() && from[i] == 1) {
      ++i;
      return;
    }
    if (j < to.size() && to[j] == 1) {
      ++j;
      return;
    }
    size_t iEnd = i + 1, jEnd = j + 1;
    int64_t a = from[i], b = to[j];
    while (a != b) {
      if (a < b)
        a *= from[iEnd++];
      else
        b *= to[jEnd++];
    }
    int group = relation.groups++;
    placeInGroup(from, i, iEnd, group, fromDims);
    placeInGroup(to, j, jEnd, group, toDims);
    i = iEnd;
    j = jEnd;
  }

  static void placeInGroup(Shape shape, size_t begin, size_t end, int group,
                           Dims &dims) {
    int64_t place = 1, whole = product(shape.slice(begin, end - begin));
    for (size_t dim = end; dim-- > begin; place *= shape[dim])
      if (shape[dim] != 1)
        dims[dim] = {group, place, shape[dim] == whole};
  }

  Shape from, to;
  Dims fromDims, toDims;
  LayoutRelation relation;
  size_t i = 0, j = 0;
};
} // namespace

LayoutRelation relations::reshape(Shape operand, Shape result) {
  if (product(operand) == 0) { // nothing is stored: any order will do
    LayoutRelation relation;
    addOperand(relation, newDims(relation, operand), /*independent=*/true);
    relation.results.push_back(newDims(relation, result));
    return relation;
  }
  return ReshapeGroups(operand, result).build();
}

LayoutRelation relations::reduce(Shape operand, ArrayRef<int64_t> axes,
                                 bool keepDims) {
  LayoutRelation relation;
  Dims from = newDims(relation, operand), to;
  for (size_t dim = 0; dim < operand.size(); ++dim)
    if (keepDims || !llvm::is_contained(axes, static_cast<int64_t>(dim)))
      to.push_back(from[dim]);
  addOperand(relation, from, /*independent=*/false);
  relation.results.push_back(to);
  return relation;
}

LayoutRelation relations::gather(Shape data, Shape indices, int64_t axis) {
  LayoutRelation relation;
  Dims from = newDims(relation, data);
  Dims index = newDims(relation, indices);
  Dims to(from.begin(), from.begin() + axis);
  if (indices.size() == 1)
    to.push_back(from[axis]);
  else
    to.append(index.begin(), index.end());
  to.append(from.begin() + axis + 1, from.end());
  addOperand(relation, from, /*independent=*/false);
  addOperand(relation, index, /*independent=*/true);
  relation.results.push_back(to);
  return relation;
}

LayoutRelation relations::gatherNd(Shape data, Shape indices,
                                   int64_t batchDims) {
  LayoutRelation relation;
  Dims from = newDims(relation, data);
  Dims index = newDims(relation, indices);
  int64_t picked = batchDims + indices.back();
  Dims to(from.begin(), from.begin() + batchDims);
  to.append(index.begin() + batchDims, index.end() - 1);
  to.append(from.begin() + picked, from.end());
  addOperand(relation, from, /*independent=*/false);
  addOperand(relation, index, /*independent=*/true);
  relation.results.push_back(to);
  return relation;
}

LayoutRelation relations::unrelated(ArrayRef<Shape> operands, Shape result) {
  LayoutRelation relation;
  for (Shape operand : operands)
    addOperand(relation, newDims(relation, operand), /*independent=*/true);
  relation.results.push_back(newDims(relation, result));
  return relation;
}

LayoutRelation relations::relayout(Shape shape) {
  LayoutRelation relation;
  Dims dims = newDims(relation, shape);
  addOperand(relation, dims, /*independent=*/true);
  relation.results.push_back(dims);
  return relation;
}
