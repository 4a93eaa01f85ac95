// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/convert.h"
#include "kernels/support/reference.h"
#include "kernels/support/wrapping.h"
#include "kernels/validate.h"

#include <algorithm>
#include <type_traits>

namespace npu::kernels {

static bool isScatter(const Problem &problem) {
  return problem.op == NPU_OP_SCATTER_ELEMENTS ||
         problem.op == NPU_OP_SCATTER_ND;
}

static std::vector<int64_t> rowMajorSteps(const npu_tensor_desc &tensor) {
  std::vector<int64_t> steps(static_cast<size_t>(tensor.rank), 1);
  for (size_t d = steps.size(); d-- > 1;)
    steps[d - 1] = steps[d] * tensor.dims[d];
  return steps;
}

/// Counts a negative index from the end; false where it lies outside.
static bool normalize(int64_t &index, int64_t extent) {
  index += index < 0 ? extent : 0;
  return index >= 0 && index < extent;
}

namespace {

/// The element of the data, in row-major order, that each element of the other
/// tensor (gathered, or scattered from) belongs to.
class Places {
public:
  explicit Places(const Problem &p)
      : data(p.inputs[0]), indices(p.inputs[1]), attrs(p.attrs.index),
        steps(rowMajorSteps(data)),
        isNd(p.op == NPU_OP_GATHER_ND || p.op == NPU_OP_SCATTER_ND) {}

  /// Empty if an index lies outside of the data.
  bool find(const int64_t *list, std::vector<int64_t> &places) const {
    return isNd ? slices(list, places) : elements(list, places);
  }

private:
  bool elements(const int64_t *list, std::vector<int64_t> &places) const {
    Walk walk({indices.dims, indices.dims + indices.rank});
    std::vector<DimMap> maps(steps.size());
    for (size_t d = 0; d < steps.size(); ++d)
      maps[d].stride = static_cast<int64_t>(d) == attrs.axis ? 0 : steps[d];
    walk.add(maps);
    for (int64_t k = 0; k < walk.size(); ++k) {
      int64_t place, index = list[k];
      if (!normalize(index, data.dims[attrs.axis]))
        return false;
      walk.offsets(0, k, 1, &place);
      places.push_back(place + index * steps[static_cast<size_t>(attrs.axis)]);
    }
    return true;
  }

  bool slices(const int64_t *list, std::vector<int64_t> &places) const {
    auto batch = static_cast<int>(attrs.batch_dims);
    auto depth = static_cast<int>(indices.dims[indices.rank - 1]);
    Walk walk({indices.dims, indices.dims + indices.rank - 1});
    std::vector<DimMap> maps(static_cast<size_t>(indices.rank - 1));
    for (int d = 0; d < batch; ++d)
      maps[static_cast<size_t>(d)].stride = steps[static_cast<size_t>(d)];
    walk.add(maps);
    int64_t run = 1;
    for (int d = batch + depth; d < data.rank; ++d)
      run *= data.dims[d];
    for (int64_t k = 0; k < walk.size(); ++k) {
      int64_t place;
      walk.offsets(0, k, 1, &place);
      for (int j = 0; j < depth; ++j) {
        int64_t index = list[k * depth + j];
        if (!normalize(index, data.dims[batch + j]))
          return false;
        place += index * steps[static_cast<size_t>(batch + j)];
      }
      for (int64_t i = 0; i < run; ++i)
        places.push_back(place + i);
    }
    return true;
  }

  const npu_tensor_desc &data, &indices;
  const npu_index_attrs &attrs;
  std::vector<int64_t> steps;
  bool isNd;
};

class IndexReference : public ReferenceKernel {
public:
  explicit IndexReference(const Problem &p)
      : problem(p), result(resultTensor(p, properType(p))),
        epilogue(makeEpilogue(p, result)) {}

  size_t scratchBytes() const override {
    return epilogue.scratchBytes(problem.threads);
  }

  int run(void *const *operands, void *scratch) const override {
    return result.dtype == NPU_F32   ? runAs<float>(operands, scratch)
           : result.dtype == NPU_F64 ? runAs<double>(operands, scratch)
                                     : runAs<int64_t>(operands, scratch);
  }

private:
  template <typename T>
  std::vector<T> denseInput(void *const *operands, size_t input) const {
    const npu_tensor_desc &tensor = problem.inputs[input];
    std::vector<T> values(static_cast<size_t>(elementCount(tensor)));
    toDense(tensor, operands[input], values.data());
    return values;
  }

  template <typename T>
  int runAs(void *const *operands, void *scratch) const {
    std::vector<T> data = denseInput<T>(operands, 0), found;
    std::vector<int64_t> places;
    if (!Places(problem).find(denseInput<int64_t>(operands, 1).data(), places))
      return 1;
    if (isScatter(problem)) {
      combine(data, places, denseInput<T>(operands, 2));
      found = std::move(data);
    } else {
      for (int64_t place : places)
        found.push_back(data[static_cast<size_t>(place)]);
    }
    std::vector<const void *> values(operands,
                                     operands + problem.inputs.size());
    values.push_back(found.data());
    epilogue.run(values.data(), operands[problem.inputs.size()], scratch,
                 problem.threads);
    return 0;
  }

  template <typename T>
  void combine(std::vector<T> &data, const std::vector<int64_t> &places,
               const std::vector<T> &updates) const {
    for (size_t k = 0; k < places.size(); ++k) {
      T &to = data[static_cast<size_t>(places[k])];
      switch (problem.attrs.index.reduction) {
      case NPU_SCATTER_ADD:
        to = plus(to, updates[k]);
        break;
      case NPU_SCATTER_MUL:
        to = times(to, updates[k]);
        break;
      case NPU_SCATTER_MAX: // of NaN and a number it is NaN
        if (updates[k] > to || updates[k] != updates[k])
          to = updates[k];
        break;
      case NPU_SCATTER_MIN:
        if (updates[k] < to || updates[k] != updates[k])
          to = updates[k];
        break;
      default:
        to = updates[k];
        break;
      }
      if constexpr (std::is_integral_v<T>) // also where instructions follow
        to = wrapTo(problem.inputs[0].dtype, to);
    }
  }

  Problem problem;
  npu_tensor_desc result;
  Elementwise epilogue;
};

} // namespace

std::unique_ptr<Kernel> createIndexReference(const Problem &problem,
                                             std::string &) {
  return std::make_unique<IndexReference>(problem);
}

} // namespace npu::kernels
