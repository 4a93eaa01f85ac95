// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/RandomHeads.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;
using shapes::Shape;

namespace {

/// Larger results would make the fuzzers slow.
constexpr int64_t mostElements = 768;

class Maker {
public:
  Maker(OpBuilder &builder, Location location, Value data)
      : builder(builder), location(location), data(data),
        shape(tensorType(data).getShape()) {}

  Value split(int64_t heads) {
    Shape split(shape);
    split.back() /= heads;
    split.insert(split.end() - 1, heads);
    return swapped(reshape(data, split), split.size() - 3);
  }

  Value attend(Value query) {
    size_t last = shape.size(); // of the split value
    Value key = swapped(query, last - 1);
    Value product = matmul(query, key);
    if (!product)
      return {};
    Value weights = SoftmaxOp::create(builder, location, product.getType(),
                                      product, last, /*log=*/false);
    return matmul(weights, query);
  }

  Value merge(Value heads) {
    return reshape(swapped(heads, shape.size() - 2), shape);
  }

private:
  Type typeOf(ArrayRef<int64_t> extents) {
    return RankedTensorType::get(extents, builder.getF32Type());
  }

  Value reshape(Value value, ArrayRef<int64_t> extents) {
    return ReshapeOp::create(builder, location, typeOf(extents), value);
  }

  /// Dimension `at` and the one behind it change places.
  Value swapped(Value value, size_t at) {
    Shape extents(tensorType(value).getShape());
    auto permutation = llvm::to_vector(
        llvm::seq<int64_t>(0, static_cast<int64_t>(extents.size())));
    std::swap(extents[at], extents[at + 1]);
    std::swap(permutation[at], permutation[at + 1]);
    return TransposeOp::create(builder, location, typeOf(extents), value,
                               builder.getI64ArrayAttr(permutation));
  }

  Value matmul(Value a, Value b) {
    std::string error;
    FailureOr<Shape> result = shapes::matmul(tensorType(a).getShape(),
                                             tensorType(b).getShape(), error);
    if (failed(result) || computeProduct(*result) > mostElements)
      return {};
    return MatmulOp::create(builder, location, typeOf(*result), a, b);
  }

  static int64_t computeProduct(ArrayRef<int64_t> extents) {
    int64_t count = 1;
    for (int64_t extent : extents)
      count *= extent;
    return count;
  }

  OpBuilder &builder;
  Location location;
  Value data;
  ArrayRef<int64_t> shape;
};

} // namespace

Value test::randomHeads(OpBuilder &builder, Location location,
                        llvm::function_ref<int64_t(int64_t)> pick, Value data,
                        bool attends) {
  ArrayRef<int64_t> shape = tensorType(data).getShape();
  if (shape.size() < 2 || shape.size() > 4 || shape.back() < 4)
    return {};
  int64_t heads = 2 + pick(3);
  while (shape.back() % heads)
    --heads;
  if (heads < 2 || !tensorType(data).getElementType().isF32())
    return {};
  Maker maker(builder, location, data);
  Value split = maker.split(heads);
  if (!attends)
    return split;
  Value attended = maker.attend(split);
  return attended ? maker.merge(attended) : split;
}
