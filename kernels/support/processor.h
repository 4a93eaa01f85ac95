// SPDX-License-Identifier: Apache-2.0
//
// What of this processor our kernels use. One variable of the environment hides
// instructions from them and from oneDNN, ONEDNN_MAX_CPU_ISA; nothing else
// here asks the processor.
#ifndef NPU_KERNELS_SUPPORT_PROCESSOR_H
#define NPU_KERNELS_SUPPORT_PROCESSOR_H

namespace npu::kernels {

/// For which code is made: each has what those before it have.
enum class Generation {
  Any,    ///< x86-64
  Avx2,   ///< x86-64-v3: registers of 256 bits, fused multiply-add
  Avx512, ///< x86-64-v4: registers of 512 bits
};

struct Processor {
  Generation generation = Generation::Any;
  bool hasVnni = false;    ///< avx512vnni: products of bytes
  bool hasBfloats = false; ///< avx512bf16
};

/// Asked once; the variable is read then.
const Processor &processor();

/// Of a processor, what the variable's value leaves: one of oneDNN's names in
/// any case (SSE41, AVX, AVX2, AVX512_CORE, AVX512_CORE_VNNI, ...). Null and
/// what is none leave all, as with oneDNN.
Processor limited(Processor has, const char *most);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_PROCESSOR_H
