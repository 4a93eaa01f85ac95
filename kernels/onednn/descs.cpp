// SPDX-License-Identifier: Apache-2.0

#include "kernels/onednn/onednn.h"

#include <cpuid.h>
#include <cstdlib>
#include <map>
#include <oneapi/dnnl/dnnl_debug.h>

namespace npu::kernels {

std::string libraryVersion() {
  const dnnl_version_t *v = dnnl_version();
  return std::string(oneDnn) + " " + std::to_string(v->major) + "." +
         std::to_string(v->minor) + "." + std::to_string(v->patch);
}

bool hasTiles() {
  onednn::engine(); // with its limit
  const auto has = static_cast<unsigned>(dnnl::get_effective_cpu_isa()),
             wanted = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_amx);
  return (has & wanted) == wanted;
}

} // namespace npu::kernels

namespace npu::kernels::onednn {

using dnnl::memory;

/// Virtual machines offer AMX whose host hides the leaf that describes its
/// tiles. oneDNN takes the number of the tile palette from there; 0 switches
/// the tiles off, and its first product ends in an illegal instruction.
static bool describesTiles() {
  constexpr unsigned tileInformation = 0x1d;
  unsigned palettes = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(tileInformation, 0, &palettes, &b, &c, &d) != 0 &&
         palettes > 0;
}

/// What the user sets in the environment goes first.
static void limitInstructions() {
  if (!describesTiles() && !std::getenv("ONEDNN_MAX_CPU_ISA"))
    dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_fp16);
}

const dnnl::engine &engine() {
  // Never destroyed: kernels in static objects may outlive any order of exit.
  static const auto *cpu = [] {
    limitInstructions(); // oneDNN takes it before its first primitive alone
    return new dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return *cpu;
}

bool addsInFull() {
  engine(); // with its limit
  switch (dnnl::get_effective_cpu_isa()) {
  case dnnl::cpu_isa::avx2_vnni:
  case dnnl::cpu_isa::avx2_vnni_2:
  case dnnl::cpu_isa::avx512_core_vnni:
  case dnnl::cpu_isa::avx512_core_bf16:
  case dnnl::cpu_isa::avx512_core_fp16:
  case dnnl::cpu_isa::avx512_core_amx:
  case dnnl::cpu_isa::avx512_core_amx_fp16:
    return true;
  default:
    return false;
  }
}

memory::data_type typeOf(int32_t dtype) {
  switch (dtype) {
  case NPU_F32:
    return memory::data_type::f32;
  case NPU_F16:
    return memory::data_type::f16;
  case NPU_BF16:
    return memory::data_type::bf16;
  case NPU_I8:
    return memory::data_type::s8;
  case NPU_U8:
    return memory::data_type::u8;
  case NPU_I32:
    return memory::data_type::s32;
  default:
    return memory::data_type::undef;
  }
}

npu_tensor_desc preferChannelsLast(const npu_tensor_desc &tensor) {
  if (tensor.rank < 3)
    return tensor;
  npu_tensor_desc last = channelsLast(tensor);
  return sameStorage(tensor, last) ? last : tensor;
}

/// oneDNN's tags by their letters, which are our layout strings.
static memory::format_tag tagOf(const std::string &letters) {
  static const auto *tags = [] {
    auto *map = new std::map<std::string, memory::format_tag>;
    for (int tag = dnnl_format_tag_any + 1; tag < dnnl_format_tag_last; ++tag)
      map->emplace(dnnl_fmt_tag2str(static_cast<dnnl_format_tag_t>(tag)),
                   static_cast<memory::format_tag>(tag));
    return map;
  }();
  auto it = tags->find(letters);
  return it == tags->end() ? memory::format_tag::undef : it->second;
}

bool describeTensor(const npu_tensor_desc &tensor, Desc &desc,
                    std::string &whyNot) {
  return describeAsStored(preferChannelsLast(tensor), desc, whyNot);
}

bool describeAsStored(const npu_tensor_desc &tensor, Desc &desc,
                      std::string &whyNot) {
  memory::data_type type = typeOf(tensor.dtype);
  if (type == memory::data_type::undef) {
    whyNot = std::string("no ") + dtypeName(tensor.dtype) + " in oneDNN";
    return false;
  }
  if (elementCount(tensor) == 0 || tensor.rank == 0) {
    whyNot = "empty or scalar tensor";
    return false;
  }
  memory::dims dims(tensor.dims, tensor.dims + tensor.rank);
  if (tensor.block_count == 0) {
    Strides strides = stridesOf(tensor);
    desc = Desc(dims, type,
                memory::dims(strides.outer, strides.outer + tensor.rank));
    return true;
  }
  std::string layout = layoutString(tensor);
  memory::format_tag tag = tagOf(layout);
  if (tag == memory::format_tag::undef) {
    whyNot = "layout " + layout + " is not in oneDNN";
    return false;
  }
  desc = Desc(dims, type, tag);
  return true;
}

Desc describeWeight(const npu_tensor_desc &tensor, const Strides &strides,
                    int64_t groups, bool isSwapped) {
  memory::dims dims(tensor.dims, tensor.dims + tensor.rank);
  memory::dims steps(strides.outer, strides.outer + tensor.rank);
  if (groups > 0)
    dims[0] /= groups;
  int64_t groupStep = steps[0] * dims[0];
  if (isSwapped) {
    std::swap(dims[0], dims[1]);
    std::swap(steps[0], steps[1]);
  }
  if (groups > 0) {
    dims.insert(dims.begin(), groups);
    steps.insert(steps.begin(), groupStep);
  }
  return Desc(dims, typeOf(tensor.dtype), steps);
}

} // namespace npu::kernels::onednn
