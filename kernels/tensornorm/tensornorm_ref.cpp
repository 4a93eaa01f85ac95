// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/reference.h"

#include <cmath>
#include <vector>

namespace npu::kernels {

namespace {

class TensornormReference : public ArithmeticReference {
public:
  explicit TensornormReference(const Problem &p)
      : ArithmeticReference(p, p.attrs.norm.has_bias ? 3 : 2),
        walk(walkOver(p, sets)) {}

protected:
  void compute(const float *const *inputs, float *result) const override {
    const npu_norm_attrs &a = problem.attrs.norm;
    const auto count = static_cast<size_t>(walk.size());
    std::vector<double> mean(sets), variance(sets);
    const double each = static_cast<double>(count) / static_cast<double>(sets);
    for (size_t i = 0; a.centered && i < count; ++i)
      mean[at(0, i)] += inputs[0][i] / each;
    for (size_t i = 0; i < count; ++i) {
      double difference = inputs[0][i] - mean[at(0, i)];
      variance[at(0, i)] += difference * difference / each;
    }
    for (size_t i = 0; i < count; ++i) {
      size_t set = at(0, i);
      double normal =
          (inputs[0][i] - mean[set]) / std::sqrt(variance[set] + a.epsilon);
      double bias = a.has_bias ? inputs[2][at(2, i)] : 0;
      result[i] = static_cast<float>(normal * inputs[1][at(1, i)] + bias);
    }
  }
  void compute(const int64_t *const *, int64_t *) const override {}

private:
  size_t at(int operand, size_t element) const {
    int64_t offset;
    walk.offsets(operand, static_cast<int64_t>(element), 1, &offset);
    return static_cast<size_t>(offset);
  }

  /// For each element of the data: its set of numbers with one mean, and where
  /// scale and bias are.
  static Walk walkOver(const Problem &p, size_t &sets) {
    const npu_tensor_desc &x = p.inputs[0];
    const npu_norm_attrs &a = p.attrs.norm;
    Walk walk({x.dims, x.dims + x.rank});
    std::vector<DimMap> maps(static_cast<size_t>(x.rank));
    int64_t step = 1;
    for (int d = x.rank; d-- > 0;) {
      DimMap &map = maps[static_cast<size_t>(d)];
      if (!(a.axes_mask >> d & 1)) {
        map.stride = step;
        step *= x.dims[d];
      } else if (d == a.group_axis && a.groups > 1) {
        for (int64_t i = 0; i < x.dims[d]; ++i)
          map.table.push_back(i / (x.dims[d] / a.groups) * step);
        step *= a.groups;
      }
    }
    sets = static_cast<size_t>(step);
    walk.add(maps);
    for (size_t i = 1; i < (a.has_bias ? 3 : 2); ++i) {
      const npu_tensor_desc &parameter = p.inputs[i];
      walk.add(broadcastMaps(
          makeTensor(NPU_F32, parameter.dims, parameter.rank), x));
    }
    return walk;
  }

  size_t sets = 1;
  Walk walk;
};

} // namespace

std::unique_ptr<Kernel> createTensornormReference(const Problem &problem,
                                                  std::string &) {
  return std::make_unique<TensornormReference>(problem);
}

} // namespace npu::kernels
