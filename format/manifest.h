// SPDX-License-Identifier: Apache-2.0
//
// The manifest of a .npu file: what can be known without running it. Written by
// npuc, read by the runtime and npu-dump; docs/program-format.md explains it.
#ifndef NPU_FORMAT_MANIFEST_H
#define NPU_FORMAT_MANIFEST_H

#include "cost/kernel_time.h"

#include <cstdint>
#include <string>
#include <vector>

namespace npu::format {

/// A model input or output.
struct ManifestTensor {
  std::string name;
  std::string dtype;          ///< "f32", ...
  std::vector<int64_t> shape; ///< logical
  std::string layout;         ///< letters: "acdb"
  std::string layoutName;     ///< "NHWC"
  /// Of quantized numbers, which stand for (number - zeroPoint) * scale; a
  /// scale of 0: they are none.
  double scale = 0;
  int64_t zeroPoint = 0;
};

/// What a run leaves for the next one of its context: the last inputs and
/// outputs of the code, in pairs.
struct ManifestState : ManifestTensor {
  /// It begins as a constant of the file, not as zeros.
  bool beginsAsConstant = false;
};

struct ManifestKernel {
  std::string name;                 ///< unique in the file
  std::string op;                   ///< "npu.conv2d"
  std::string node;                 ///< the model's node
  std::vector<std::string> layouts; ///< letters, inputs then outputs
  uint64_t results = 1;             ///< how many of them are outputs'
  uint64_t bytes = 0;               ///< read and written in one run
  bool generated = false;
  bool relayout = false; ///< only moves bytes because of layout
  cost::KernelWork work; ///< what it does on the chip
  cost::Tiling tiling;   ///< and in which parts
  /// Of on-chip memory, all below the highest address of values that stay.
  uint64_t residentBytes = 0;
};

/// A value, or a copy of one in another layout, that stays on the chip: the
/// kernel that makes it, where it lies, and the last kernel that reads it.
struct ManifestResident {
  uint64_t kernel = 0, offset = 0, bytes = 0, last = 0;
};

/// What a kernel is called: "k7_matmul", "k8_acme_rope". `number`: its row
/// among the program's; `op`: with "npu." in front or without.
std::string kernelName(uint64_t number, const std::string &op);

/// A plugin whose kernels or ops the program has.
struct ManifestPlugin {
  std::string name, version;
};

struct Manifest {
  uint32_t formatVersion = 0;
  std::string npucVersion;
  std::string targetName;
  cost::Machine machine; ///< the chip's numbers
  /// With how many threads they were measured on this machine; 0: they were
  /// not.
  double measuredThreads = 0;
  std::string layoutStrategy;
  std::string onednnVersion; ///< kernels::libraryVersion() of the compiler
  std::vector<ManifestPlugin> plugins;
  std::vector<std::string> cpuFeatures; ///< LLVM's names: "avx512f", ...
  std::vector<ManifestTensor> inputs;
  std::vector<ManifestTensor> outputs;
  std::vector<ManifestState> states; ///< names differ
  std::vector<ManifestKernel> kernels;
  std::vector<ManifestResident> onChip; ///< by kernel
  uint64_t arenaBytes = 0;
  uint64_t arenaLowerBoundBytes = 0;
  uint64_t weightBytes = 0;
  std::string modelName;
};

/// Reads `text` into `out`. Returns an empty string, or one clause that says
/// which key is wrong, what was found and what was expected.
std::string parseManifest(const std::string &text, Manifest &out);

/// The inverse, indented for people.
std::string printManifest(const Manifest &manifest);

} // namespace npu::format

#endif // NPU_FORMAT_MANIFEST_H
