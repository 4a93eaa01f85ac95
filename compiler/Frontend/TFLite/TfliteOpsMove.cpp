// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

/// The shape is an operand, or an option of old files; -1 takes what is left.
LogicalResult npu::buildTfliteReshape(TfliteNode &node) {
  Value x = node.input(0);
  if (!x)
    return node.hasFailed() ? failure() : node.error("has no data");
  Ints shape;
  const auto *options = node.op.options<tflite::ReshapeOptions>();
  if (node.input(1)) {
    FailureOr<Ints> numbers = node.numbers(1, "a shape");
    if (failed(numbers))
      return failure();
    shape = *numbers;
  } else if (options && options->new_shape()) {
    shape.append(options->new_shape()->begin(), options->new_shape()->end());
  }
  int64_t known = 1, open = 0;
  for (int64_t extent : shape) {
    if (extent < -1)
      return node.error("reshapes to " + shapes::text(shape) +
                        ", expected sizes from 0 on");
    open += extent == -1;
    known = extent == -1 ? known : std::min(known * extent, int64_t(1) << 40);
  }
  int64_t count = tensorType(x).getNumElements();
  if (open > 1 || (open == 1 && (known == 0 || count % known != 0)) ||
      (open == 0 && known != count))
    return node.error("cannot reshape " + shapes::text(shapeOf(x)) + " to " +
                      shapes::text(shape));
  for (int64_t &extent : shape)
    if (extent == -1)
      extent = count / known;
  return node.setResult(node.reshape(x, shape));
}
