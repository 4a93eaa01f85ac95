// SPDX-License-Identifier: Apache-2.0
//
// CompileReport as JSON (docs/report.schema.json) and as text.
#ifndef NPU_COMPILER_PIPELINE_REPORT_H
#define NPU_COMPILER_PIPELINE_REPORT_H

#include "compiler/Pipeline/Compiler.h"
#include "format/manifest.h"

#include "llvm/Support/JSON.h"

namespace npu {

llvm::json::Object reportJson(const CompileReport &report);

/// What quantized inputs and outputs mean, in the program's manifest.
void sayQuantized(const CompileReport &report, format::Manifest &manifest);

/// A summary of a few lines: kernels, relayouts, memory, warnings.
void printSummary(llvm::raw_ostream &stream, const CompileReport &report);

/// What stays on the chip and where, a line each; empty: nothing does.
std::string onChipText(const CompileReport &report);

/// One line on what the plan costs, what it costs at least, and what the other
/// strategies would: the head of --explain-layout.
std::string searchText(const CompileReport &report);

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_REPORT_H
