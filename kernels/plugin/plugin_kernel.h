// SPDX-License-Identifier: Apache-2.0
//
// A plugin's kernel as one of ours.
#ifndef NPU_KERNELS_PLUGIN_PLUGIN_KERNEL_H
#define NPU_KERNELS_PLUGIN_PLUGIN_KERNEL_H

#include "kernels/plugin/plugin_problem.h"

namespace npu::kernels {

/// What it answers to a problem; null where it refuses, with why. An answer
/// that no plugin may give is noted in the plugin, and a refusal.
std::unique_ptr<npu_plugin_answer> ask(const plugin::Plugin &plugin,
                                       const npu_plugin_kernel &kernel,
                                       const PluginProblem &problem,
                                       std::string &whyNot);

/// The kernel, if it takes the problem.
std::unique_ptr<Kernel> createOfPlugin(const plugin::Plugin &plugin,
                                       const npu_plugin_kernel &kernel,
                                       const Problem &problem,
                                       std::string &whyNot);

} // namespace npu::kernels

#endif // NPU_KERNELS_PLUGIN_PLUGIN_KERNEL_H
