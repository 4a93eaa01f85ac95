// SPDX-License-Identifier: Apache-2.0
//
// Complex numbers, each part a value of its own.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/Fourier.h"

using namespace npu;

/// The last dimension first, of which half of the spectrum is given.
LogicalResult npu::buildTfliteRfft2d(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Ints> lengths = node.numbers(1, "lengths");
  if (!x || failed(lengths))
    return failure();
  int64_t rank = rankOf(x);
  if (rank < 2 || lengths->size() != 2 || lengths->front() < 1 ||
      lengths->back() < 1)
    return node.error("transforms data " + shapes::text(shapeOf(x)) +
                      " with the lengths " + shapes::text(*lengths) +
                      ", expected two dimensions or more, and two lengths "
                      "above 0");
  Ints shape(shapeOf(x));
  int64_t rows = shape[rank - 2];
  shape.push_back(1);
  Value parts = fourierTransform(node, node.reshape(x, shape), rank - 1,
                                 {lengths->back(), false, true});
  if (parts && (rows != 1 || lengths->front() != 1))
    parts = fourierTransform(node, parts, rank - 2,
                             {lengths->front(), false, false});
  if (!parts)
    return failure();
  node.imaginaryMade = node.at(parts, rank, 1);
  return node.setResult(node.at(parts, rank, 0));
}

LogicalResult npu::buildTfliteReal(TfliteNode &node) {
  return node.setResult(node.input(0));
}

LogicalResult npu::buildTfliteImaginary(TfliteNode &node) {
  Value imaginary = node.imaginaryOf[0];
  return node.setResult(
      imaginary ? imaginary
                : node.filled(0, shapeOf(node.input(0)), node.f32()));
}

LogicalResult npu::buildTfliteComplexAbs(TfliteNode &node) {
  Value real = node.input(0), imaginary = node.imaginaryOf[0];
  if (!imaginary)
    return node.setResult(node.one(NPU_INSTR_abs, real));
  Value squares = node.two(NPU_INSTR_add, node.two(NPU_INSTR_mul, real, real),
                           node.two(NPU_INSTR_mul, imaginary, imaginary));
  return node.setResult(node.one(NPU_INSTR_sqrt, squares));
}
