// SPDX-License-Identifier: Apache-2.0

#include "kernels/index/scatter.h"

#include "kernels/support/movement.h"
#include "kernels/support/wrapping.h"
#include "kernels/tensor.h"

namespace npu::kernels {

namespace {
/// How an update joins an element of type T.
template <typename T>
struct Replace {
  using Type = T;
  static T join(T, T update) { return update; }
};
template <typename T>
struct Add {
  using Type = T;
  static T join(T old, T update) { return plus(old, update); }
};
template <typename T>
struct Multiply {
  using Type = T;
  static T join(T old, T update) { return times(old, update); }
};
/// Of NaN and a number it is NaN.
template <typename T>
struct Largest {
  using Type = T;
  static T join(T old, T update) {
    return update > old || update != update ? update : old;
  }
};
template <typename T>
struct Smallest {
  using Type = T;
  static T join(T old, T update) {
    return update < old || update != update ? update : old;
  }
};

template <typename How>
void joinStretch(void *elements, int64_t place, const void *updates,
                 int64_t from, int64_t length) {
  using T = typename How::Type;
  T *to = static_cast<T *>(elements) + place;
  const T *update = static_cast<const T *>(updates) + from;
  for (int64_t k = 0; k < length; ++k)
    to[k] = How::join(to[k], update[k]);
}

template <typename How>
void joinEach(void *elements, const int64_t *places, const void *updates,
              const int64_t *from, int count) {
  using T = typename How::Type;
  T *to = static_cast<T *>(elements);
  const T *update = static_cast<const T *>(updates);
  for (int i = 0; i < count; ++i)
    to[places[i]] = How::join(to[places[i]], update[from[i]]);
}

template <typename How>
constexpr Join joinBy() {
  return {joinStretch<How>, joinEach<How>};
}

template <typename T>
Join reducingJoin(int32_t reduction) {
  switch (reduction) {
  case NPU_SCATTER_ADD:
    return joinBy<Add<T>>();
  case NPU_SCATTER_MUL:
    return joinBy<Multiply<T>>();
  case NPU_SCATTER_MAX:
    return joinBy<Largest<T>>();
  default:
    return joinBy<Smallest<T>>();
  }
}

Join replacingJoin(int64_t bytes) {
  switch (bytes) {
  case 1:
    return joinBy<Replace<uint8_t>>();
  case 2:
    return joinBy<Replace<uint16_t>>();
  case 4:
    return joinBy<Replace<uint32_t>>();
  default:
    return joinBy<Replace<uint64_t>>();
  }
}
} // namespace

Join joinOf(const Problem &problem) {
  const int32_t reduction = problem.attrs.index.reduction,
                type = problem.outputs[0].dtype;
  if (reduction == NPU_SCATTER_NONE)
    return replacingJoin(dtypeBytes(type));
  switch (type) {
  case NPU_F32:
    return reducingJoin<float>(reduction);
  case NPU_I8:
    return reducingJoin<int8_t>(reduction);
  case NPU_U8:
    return reducingJoin<uint8_t>(reduction);
  case NPU_I16:
    return reducingJoin<int16_t>(reduction);
  case NPU_U16:
    return reducingJoin<uint16_t>(reduction);
  case NPU_I32:
    return reducingJoin<int32_t>(reduction);
  case NPU_U32:
    return reducingJoin<uint32_t>(reduction);
  default:
    return reducingJoin<int64_t>(reduction);
  }
}

std::string whyNotScatter(const Problem &problem) {
  int32_t type = problem.inputs[0].dtype;
  bool reduces = problem.attrs.index.reduction != NPU_SCATTER_NONE;
  if (std::string why = whyNotAsStored(problem); !why.empty())
    return why;
  if (reduces && (type == NPU_F16 || type == NPU_BF16 || type == NPU_BOOL))
    return std::string("a reduction of ") + dtypeName(type);
  return "";
}

} // namespace npu::kernels
