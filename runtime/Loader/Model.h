// SPDX-License-Identifier: Apache-2.0
//
// A loaded program: its image, its kernels with packed weights, its signature.
#ifndef NPU_RUNTIME_LOADER_MODEL_H
#define NPU_RUNTIME_LOADER_MODEL_H

#include "chip/program.h"
#include "cost/chip_figures.h"
#include "format/manifest.h"
#include "kernels/kernel.h"
#include "kernels/packed.h"
#include "npu/npu.h"
#include "plugin/Plugin.h"
#include "runtime/Executor/Executor.h"
#include "runtime/Loader/Constants.h"
#include "runtime/Loader/Image.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace npu::runtime {

struct ModelKernel {
  std::unique_ptr<kernels::Kernel> kernel; ///< null: generated
  std::string implementation;
  std::string layouts;
  cost::ChipFigures chip;
  npu_kernel_info info; ///< points into this struct and the manifest
};

/// What a run leaves for the next one of its context.
struct ModelState {
  npu_tensor_info info; ///< points into the manifest
  /// In stored order, what it holds before the first run; empty: zeros.
  std::vector<uint8_t> first;
};

/// Immutable once made.
class Model {
public:
  /// Opens, verifies, makes kernels, packs weights. Where only the chip's time
  /// is asked for, the manifest says it, and nothing of the ELF part is mapped.
  /// Throws Failure.
  Model(const Source &source, const npu_load_options &options);

  /// Throws Failure where only the chip's time was asked for.
  const npu_program &program() const;
  const std::vector<ModelKernel> &kernels() const { return modelKernels; }
  /// What runs execute instead of kernels; null: kernels.
  const chip::ProgramT *chipProgram() const { return ofChip.get(); }
  /// What the file has, whatever runs execute. Throws Failure where there is
  /// none, or a damaged one.
  std::unique_ptr<chip::ProgramT> readChipProgram() const;
  /// Whether such runs keep who wrote what.
  bool checksChip() const { return checksRuns; }
  /// Of a model that can run.
  const Constants &constants() const { return *given; }
  const std::vector<npu_tensor_info> &inputs() const { return inputInfos; }
  const std::vector<npu_tensor_info> &outputs() const { return outputInfos; }
  /// Of a model that was loaded for the chip's time alone without what they
  /// begin as.
  const std::vector<ModelState> &states() const { return modelStates; }
  /// Throws Failure where there is none of this name.
  size_t stateNamed(const char *name) const;
  /// Whether a kernel may lose NaN (kernel.h); those that do not in their
  /// place, null for all others. Made, with weights of their own, when the
  /// first run asks: on the executor's thread.
  bool losesNan() const { return mayLoseNan; }
  const std::vector<std::unique_ptr<kernels::Kernel>> &kernelsKeepingNan();
  const std::string &manifestText() const { return text; }
  const std::vector<std::string> &warnings() const { return warningTexts; }
  const npu_load_stats &stats() const { return loadStats; }
  /// Valid as long as the model.
  npu_chip_info chip() const;
  /// Throws Failure where kernels were not made.
  Executor &executor();

  /// Moves a tensor between layouts on the executor.
  void convert(const npu_tensor_desc &from, const void *source,
               const npu_tensor_desc &to, void *target);

private:
  void loadPlugins(const npu_load_options &options);
  void choosePlugins(const std::string &path);
  void readManifest(const std::string &path);
  void prepareChip(int32_t execute);
  void makeChipConstants();
  void loadImage(const std::string &path);
  void checkMachine(const std::string &path);
  void checkThreads();
  void describeSignature(const std::string &path);
  void copyFirstStates();
  void makeKernels();
  void makeKernel(uint32_t index);
  uint64_t packConstants(const npu_kernel_desc &row, kernels::Kernel &kernel);
  void warnOfSlowKernels();
  void describeKernel(uint32_t index, std::string implementation);

  Image image;
  uint64_t elfBytes = 0;
  std::string text;
  format::Manifest manifest;
  const plugin::Use *plugins = nullptr; ///< that the program has
  std::vector<npu_tensor_info> inputInfos;
  std::vector<npu_tensor_info> outputInfos;
  std::vector<ModelState> modelStates;
  std::vector<std::string> warningTexts;
  npu_load_stats loadStats = {};
  std::unique_ptr<Executor> runner;
  std::unique_ptr<Constants> given;
  kernels::PackedConstants packed;
  std::vector<ModelKernel> modelKernels;
  std::string chipTable; ///< of the file
  std::unique_ptr<chip::ProgramT> ofChip;
  bool checksRuns = true;
  bool mayLoseNan = false;
  std::once_flag madeKeepingNan;
  std::vector<std::unique_ptr<kernels::Kernel>> keepingNan;
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_LOADER_MODEL_H
