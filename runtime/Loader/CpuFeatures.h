// SPDX-License-Identifier: Apache-2.0
//
// Which processor features, by LLVM's names, this machine has.
#ifndef NPU_RUNTIME_LOADER_CPUFEATURES_H
#define NPU_RUNTIME_LOADER_CPUFEATURES_H

#include <string>
#include <vector>

namespace npu::runtime {

/// Those of `needed` that this machine lacks (processor or operating system),
/// names that this table does not know included, in order.
std::vector<std::string>
missingCpuFeatures(const std::vector<std::string> &needed);

} // namespace npu::runtime

#endif // NPU_RUNTIME_LOADER_CPUFEATURES_H
