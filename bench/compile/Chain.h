// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_BENCH_COMPILE_CHAIN_H
#define NPU_BENCH_COMPILE_CHAIN_H

#include <string>

namespace npu::bench {

/// A function in the npu dialect with about so many ops, each of which reads
/// the one before: a 1x1 convolution, a sigmoid, and the sum with what the
/// convolution has read.
std::string residualChain(int ops);

/// The same of elementwise functions alone; npuc fuses some tens of them into a
/// kernel.
std::string eltwiseChain(int ops);

/// residualChain() as the bytes of an ONNX model, whose weight is a constant.
std::string onnxChain(int ops);

} // namespace npu::bench

#endif // NPU_BENCH_COMPILE_CHAIN_H
