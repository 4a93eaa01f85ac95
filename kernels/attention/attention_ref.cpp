// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/reference.h"
#include "kernels/validate.h"

#include <algorithm>
#include <cmath>

namespace npu::kernels {

namespace {

class AttentionReference : public ArithmeticReference {
public:
  explicit AttentionReference(const Problem &p)
      : ArithmeticReference(p, properInputs(p)) {
    const npu_tensor_desc &q = p.inputs[0], &k = p.inputs[1], &v = p.inputs[2];
    rows = q.dims[q.rank - 2];
    size = q.dims[q.rank - 1];
    keys = k.dims[k.rank - 2];
    width = v.dims[v.rank - 1];
    for (int d = 0; d < q.rank - 2; ++d)
      heads *= q.dims[d];
    if (q.rank > 2 && k.dims[q.rank - 3] > 0)
      together = q.dims[q.rank - 3] / k.dims[q.rank - 3];
    int64_t scores[NPU_MAX_RANK];
    std::copy_n(q.dims, q.rank, scores);
    scores[q.rank - 1] = keys;
    if (p.attrs.attention.has_mask)
      mask =
          broadcastMaps(makeTensor(NPU_F32, p.inputs[3].dims, p.inputs[3].rank),
                        makeTensor(NPU_F32, scores, q.rank));
    extents.assign(scores, scores + q.rank);
  }

protected:
  void compute(const float *const *inputs, float *result) const override {
    Walk walk(extents);
    if (problem.attrs.attention.has_mask)
      walk.add(mask);
    std::vector<double> weights(static_cast<size_t>(keys));
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t row = 0; row < rows; ++row) {
        const float *query = inputs[0] + (head * rows + row) * size;
        const int64_t from = head / together * keys;
        for (int64_t key = 0; key < keys; ++key) {
          double sum = 0;
          for (int64_t i = 0; i < size; ++i)
            sum += static_cast<double>(query[i]) *
                   inputs[1][(from + key) * size + i];
          weights[static_cast<size_t>(key)] =
              scoreOf(sum, inputs, walk, (head * rows + row) * keys + key);
        }
        hideLater(row, weights);
        softmax(weights);
        for (int64_t i = 0; i < width; ++i) {
          double sum = 0;
          for (int64_t key = 0; key < keys; ++key)
            sum += weights[static_cast<size_t>(key)] *
                   inputs[2][(from + key) * width + i];
          result[(head * rows + row) * width + i] = static_cast<float>(sum);
        }
      }
  }
  void compute(const int64_t *const *, int64_t *) const override {}

private:
  double scoreOf(double sum, const float *const *inputs, const Walk &walk,
                 int64_t at) const {
    const npu_attention_attrs &a = problem.attrs.attention;
    sum *= a.scale;
    if (!a.has_mask)
      return sum;
    int64_t offset;
    walk.offsets(0, at, 1, &offset);
    const float with = inputs[3][offset];
    if (problem.inputs[3].dtype == NPU_BOOL)
      return with != 0 ? sum : a.fill;
    return sum + with;
  }

  void hideLater(int64_t row, std::vector<double> &weights) const {
    if (!problem.attrs.attention.causal)
      return;
    int64_t count = std::clamp<int64_t>(row + keys - rows + 1, 0, keys);
    std::fill(weights.begin() + count, weights.end(), -HUGE_VAL);
  }

  static void softmax(std::vector<double> &weights) {
    double largest = -HUGE_VAL, sum = 0;
    for (double weight : weights)
      largest = std::max(largest, weight);
    for (double &weight : weights)
      sum += weight = std::exp(weight - largest);
    for (double &weight : weights)
      weight /= sum;
  }

  int64_t rows, size, keys, width, heads = 1, together = 1;
  std::vector<int64_t> extents; // of the scores
  std::vector<DimMap> mask;
};

} // namespace

std::unique_ptr<Kernel> createAttentionReference(const Problem &problem,
                                                 std::string &) {
  return std::make_unique<AttentionReference>(problem);
}

} // namespace npu::kernels
