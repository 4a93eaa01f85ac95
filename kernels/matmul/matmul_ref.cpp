// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/quantized_rows.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"
#include "kernels/validate.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace npu::kernels {

namespace {

class MatmulReference : public ArithmeticReference {
public:
  explicit MatmulReference(const Problem &p)
      : ArithmeticReference(p, properInputs(p)) {
    const npu_tensor_desc &y = p.outputs[0];
    rows = y.dims[y.rank - 2];
    columns = y.dims[y.rank - 1];
    depth = p.inputs[0].dims[p.inputs[0].rank - 1];
  }

protected:
  void compute(const float *const *inputs, float *result) const override {
    if (!hasPackedWeights(problem))
      return run(inputs, result);
    if (problem.attrs.matmul.quantize == NPU_QUANTIZE_BY_RANGE)
      return multiplyByRange(inputs, result);
    std::vector<float> numbers = unpacked(inputs), rounded;
    const float *data = inputs[0];
    if (problem.attrs.matmul.quantize) {
      const auto count = static_cast<size_t>(elementCount(problem.inputs[0]));
      rounded.resize(count);
      for (size_t at = 0; at < count; at += static_cast<size_t>(depth))
        roundRow(inputs[0] + at, depth, problem.attrs.matmul.quantize,
                 rounded.data() + at);
      data = rounded.data();
    }
    const float *const operands[2] = {data, numbers.data()};
    run(operands, result);
  }
  void compute(const int64_t *const *inputs, int64_t *result) const override {
    run(inputs, result);
  }

private:
  /// As the definition of DynamicQuantizeLinear and the ops behind it say.
  void multiplyByRange(const float *const *inputs, float *result) const {
    const auto count = static_cast<size_t>(elementCount(problem.inputs[0]));
    std::vector<float> data(inputs[0], inputs[0] + count);
    float least = 0, most = 0;
    for (float x : data) {
      least = x < least || std::isnan(x) ? x : least;
      most = x > most || std::isnan(x) ? x : most;
    }
    auto asByte = [](float x) { return x > 0 ? std::min(x, 255.0f) : 0.0f; };
    const float range = most - least, scale = range == 0 ? 1 : range / 255;
    const float zero = asByte(std::nearbyint((0 - least) / scale));
    for (float &x : data)
      x = asByte(std::nearbyint(x / scale) + zero) - zero;
    const float *const operands[2] = {data.data(), inputs[1]};
    run(operands, result);
    const int64_t across = problem.inputs[2].dims[1],
                  results = elementCount(problem.outputs[0]);
    for (int64_t i = 0; i < results; ++i)
      result[i] *= scale * inputs[2][across == 1 ? 0 : i % columns];
  }

  /// What packed numbers stand for, as a matrix of depth x columns.
  std::vector<float> unpacked(const float *const *inputs) const {
    const npu_matmul_attrs &attrs = problem.attrs.matmul;
    const int64_t perByte = attrs.bits ? 8 / attrs.bits : 1;
    auto parameter = [&](size_t input, int64_t k, int64_t n) {
      int64_t across = problem.inputs[input].dims[1];
      return inputs[input][k / attrs.block * across + (across == 1 ? 0 : n)];
    };
    std::vector<float> numbers;
    numbers.reserve(static_cast<size_t>(depth * columns));
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t n = 0; n < columns; ++n) {
        float number = inputs[1][k / perByte * columns + n];
        if (attrs.bits)
          number = static_cast<float>(static_cast<int>(number) >>
                                          k % perByte * attrs.bits &
                                      ((1 << attrs.bits) - 1));
        number -= attrs.has_zero_points ? parameter(3, k, n)
                                        : static_cast<float>(attrs.zero_point);
        numbers.push_back(attrs.block ? number * parameter(2, k, n) : number);
      }
    return numbers;
  }

  template <typename T>
  void run(const T *const *inputs, T *result) const {
    const npu_tensor_desc &y = problem.outputs[0];
    // The batch dimensions of the operands, broadcast to the result's.
    int64_t one[2] = {1, 1};
    npu_tensor_desc batch = makeTensor(NPU_F32, y.dims, y.rank - 2);
    Walk walk({batch.dims, batch.dims + batch.rank});
    for (int i = 0; i < 2; ++i) {
      const npu_tensor_desc &x = problem.inputs[static_cast<size_t>(i)];
      walk.add(broadcastMaps(x.rank > 2
                                 ? makeTensor(NPU_F32, x.dims, x.rank - 2)
                                 : makeTensor(NPU_F32, one, 0),
                             batch));
    }
    for (int64_t b = 0; b < walk.size(); ++b, result += rows * columns) {
      int64_t first, second;
      walk.offsets(0, b, 1, &first);
      walk.offsets(1, b, 1, &second);
      multiply(inputs[0] + first * rows * depth,
               inputs[1] + second * depth * columns, result);
    }
  }

  template <typename T>
  void multiply(const T *a, const T *b, T *result) const {
    using Sum = std::conditional_t<std::is_same_v<T, float>, double, T>;
    std::vector<Sum> sums(static_cast<size_t>(columns));
    for (int64_t m = 0; m < rows; ++m) {
      std::fill(sums.begin(), sums.end(), Sum{});
      for (int64_t k = 0; k < depth; ++k) {
        Sum factor = a[m * depth + k];
        for (int64_t n = 0; n < columns; ++n)
          sums[static_cast<size_t>(n)] += factor * b[k * columns + n];
      }
      std::copy(sums.begin(), sums.end(), result + m * columns);
    }
  }

  int64_t rows, columns, depth;
};

} // namespace

std::unique_ptr<Kernel> createMatmulReference(const Problem &problem,
                                              std::string &) {
  return std::make_unique<MatmulReference>(problem);
}

} // namespace npu::kernels
