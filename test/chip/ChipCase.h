// SPDX-License-Identifier: Apache-2.0
//
// One kernel as a program of its own, run on the chip and beside it.
#ifndef NPU_TEST_CHIP_CHIPCASE_H
#define NPU_TEST_CHIP_CHIPCASE_H

#include "chip/emit.h"
#include "test/kernels/testing.h"

#include <string>
#include <vector>

namespace npu::chip::testing {

using Values = std::vector<std::vector<double>>;

/// A program of one kernel whose inputs are the network's, on a chip of so many
/// bytes; null, and why, where it does not fit.
std::unique_ptr<ProgramT> programOf(const kernels::Problem &problem,
                                    int64_t bytes, std::string &whyNot);

/// The result of a run of a program as programOf() makes it, with all checks;
/// an error is in `wrong`.
std::vector<double> runOnChip(const ProgramT &program,
                              const kernels::Problem &problem,
                              const Values &inputs, std::string &wrong);

/// Commands of one kind.
size_t countOf(const ProgramT &program, Command kind);

/// A 3x3 convolution with channels last whose tiles on 4 KiB have padding on
/// some sides.
kernels::Problem smallConv();

} // namespace npu::chip::testing

#endif // NPU_TEST_CHIP_CHIPCASE_H
