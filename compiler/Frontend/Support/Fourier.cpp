// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/Fourier.h"

#include "compiler/Frontend/Support/NodeBudget.h"

#include <cmath>

using namespace npu;

static constexpr double pi = 3.14159265358979323846;

/// The matrix from `from` numbers of `parts` components to `to` pairs: row
/// (n, component), column (k, component).
static Value fourierMatrix(Emitter &node, const Fourier &transform,
                           int64_t from, int64_t parts, int64_t to) {
  double sign = transform.isInverse ? 1 : -1;
  double scale = transform.isInverse ? 1.0 / double(transform.length) : 1;
  SmallVector<double> numbers;
  for (int64_t n = 0; n < from; ++n)
    for (int64_t part = 0; part < parts; ++part)
      for (int64_t k = 0; k < to; ++k) {
        double angle = 2 * pi * double(n * k % transform.length) /
                       double(transform.length);
        double real = scale * std::cos(angle);
        double imaginary = scale * sign * std::sin(angle);
        // (a + ib) (c + is): a gives c, s; b gives -s, c.
        numbers.push_back(part == 0 ? real : -imaginary);
        numbers.push_back(part == 0 ? imaginary : real);
      }
  return node.floats(numbers, {from * parts, 2 * to});
}

/// From half a spectrum to a real signal: the other half mirrors the first.
static Value mirroredMatrix(Emitter &node, const Fourier &transform,
                            int64_t from) {
  int64_t length = transform.length;
  SmallVector<double> numbers;
  for (int64_t k = 0; k < from; ++k)
    for (bool isImaginary : {false, true})
      for (int64_t n = 0; n < length; ++n) {
        double angle = 2 * pi * double(n * k % length) / double(length);
        double part = isImaginary ? -std::sin(angle) : std::cos(angle);
        bool isTwice = k > 0 && 2 * k < length;
        numbers.push_back((isTwice ? 2 : 1) * part / double(length));
      }
  return node.floats(numbers, {from * 2, length});
}

Value npu::fourierTransform(Emitter &node, Value x, int64_t axis,
                            const Fourier &transform) {
  Type element = elementOf(x);
  int64_t rank = rankOf(x), parts = shapeOf(x)[rank - 1];
  bool isReal = transform.isInverse && transform.isOneSided;
  int64_t half = transform.length / 2 + 1;
  int64_t used = isReal ? half : transform.length;
  int64_t given = std::min(shapeOf(x)[axis], used);
  // Numbers behind the length are left out; missing ones are zeros, so that
  // their rows of the matrix are.
  Ints starts(rank, 0), steps(rank, 1), extents(shapeOf(x));
  extents[axis] = given;
  x = node.slice(x, starts, steps, extents);
  Ints order = countFrom(0, rank - 1);
  order.erase(order.begin() + axis);
  order.append({axis, rank - 1});
  Value moved =
      node.transpose(node.cast(x, node.getBuilder().getF32Type()), order);
  if (!moved)
    return moved;
  Ints rows(shapeOf(moved));
  rows.pop_back();
  rows.back() = given * parts;
  int64_t bins = transform.isOneSided ? half : transform.length;
  double columns = isReal ? double(transform.length) : 2 * double(bins);
  double matrixRows = double(given) * (isReal ? 2 : double(parts));
  if (failed(takeNumbers(node, matrixRows * columns)))
    return {};
  Value matrix = isReal ? mirroredMatrix(node, transform, given)
                        : fourierMatrix(node, transform, given, parts, bins);
  bool isVector = rows.size() == 1;
  if (isVector)
    rows.insert(rows.begin(), 1);
  Value product = node.matmul(node.reshape(moved, rows), matrix);
  if (isVector)
    rows.erase(rows.begin());
  rows.back() = isReal ? transform.length : bins;
  rows.push_back(isReal ? 1 : 2);
  Ints back(rank);
  for (int64_t i = 0; i < rank; ++i)
    back[order[i]] = i;
  return node.cast(node.transpose(node.reshape(product, rows), back), element);
}
