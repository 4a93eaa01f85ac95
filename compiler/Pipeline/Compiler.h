// SPDX-License-Identifier: Apache-2.0
//
// From a model file to a .npu file: the stages in their order, and what they
// report. The only place where the order stands.
#ifndef NPU_COMPILER_PIPELINE_COMPILER_H
#define NPU_COMPILER_PIPELINE_COMPILER_H

#include "compiler/Frontend/Support/ImportOptions.h"
#include "compiler/Fusion/Precision.h"
#include "compiler/Layout/Explain/LayoutBudget.h"
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Pipeline/Placement.h"
#include "compiler/Pipeline/Quantized.h"
#include "compiler/Target/TargetSpec.h"
#include "cost/chip_figures.h"
#include "files/output_files.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace npu {

/// Where a compilation may stop, in order.
enum class Stage {
  Imported, // the model's ops, as it has them
  Fused,    // groups of ops that one kernel runs
  Layout,   // every value has its layout, relayouts stand where needed
  Planned,  // every kernel has its place in memory, tiles and time
  Program   // written to options.output
};

enum class EmitKind { Npu, Mlir, Llvm, Asm, Obj, Html };

struct CompileOptions {
  std::string model;  // .onnx, .tflite, or .mlir in TOSA or the npu dialect
  std::string output; // for text, files::standardOutput, too
  std::string target = "npu-nhwc";
  /// Libraries beside those that the target's file names.
  std::vector<std::string> plugins;
  /// Those, too, though the caller has not named them.
  bool allowTargetPlugins = false;
  /// Of the target that runs what that one lacks; empty: as it says; "none".
  std::string fallback;
  std::string mcpu = "native";
  LayoutOptions layout;
  ImportOptions import;
  /// Inputs and outputs take the quantized numbers that they stand for.
  bool quantizedIo = false;
  /// What products of f32 are made of.
  Precision precision = Precision::F32;
  int threads = 1; // that the kernel library is asked for
  /// Write the chip's program (docs/chip-program.md) into the file, too.
  bool chipProgram = false;
  EmitKind emit = EmitKind::Npu;
  /// Of EmitKind::Mlir: after which stage the module is written.
  Stage emitAfter = Stage::Layout;
  /// Pipelines of passes that run after a stage up to Layout, in MLIR's
  /// spelling, within the module.
  std::vector<std::pair<Stage, std::string>> passes;
  /// Try for each relayout which change would remove it (takes time).
  bool findFixes = false;
  /// Write the layouts down as a plan's file.
  bool writePlan = false;
  LayoutBudget budget;
  /// Of ops that the fallback runs.
  std::optional<int64_t> maxFallbackOps;
  /// Try every strategy, for the report.
  bool compareStrategies = false;
  /// Called as each stage begins, for progress.
  std::function<void(StringRef stage)> onStage;
  /// What a caller wants of the pass managers (printing, statistics), and whose
  /// timer the stages are under.
  std::function<LogicalResult(mlir::PassManager &)> preparePasses;
  mlir::TimingScope *timing = nullptr;
};

struct ReportedPlugin {
  std::string name, version, path;
};

/// A value that stays on the chip: which kernel makes it, its address, stored
/// bytes, and the first and last kernel during which it lies there.
struct ReportedResident {
  std::string kernel, node;
  int64_t offset = 0, bytes = 0;
  size_t first = 0, last = 0;
};

/// What a run leaves for the next one, and how it is stored.
struct ReportedState {
  std::string name, type, layout;
  std::vector<int64_t> shape;
  int64_t bytes = 0; // stored
  bool beginsAsConstant = false;
};

/// One kernel of the program, for the report.
struct ReportedKernel {
  std::string name, op, implementation, node;
  std::vector<std::string> layouts;
  bool slow = false;
  int64_t adapterBytes = 0;
  bool relayout = false; // only moves bytes because of layout
  cost::ChipFigures chip;
};

struct CompileReport {
  std::string target, strategy;
  std::vector<ReportedPlugin> plugins; // that the compilation had
  cost::Machine machine;               // the target's
  /// Of a real machine's target: where its numbers were measured, the file that
  /// they are from, and what a user should know about that.
  std::optional<Measured> measured;
  std::string targetFile, targetNote;
  Objective objective = Objective::Time;
  std::optional<SearchOutcome> search;
  /// Every strategy on the same network, if it was asked for.
  std::vector<StrategyResult> strategies;
  std::vector<ReportedQuantized> quantizedIo;
  Precision precision = Precision::F32;
  int64_t narrowProducts = 0;               // that are made of it
  std::vector<ReportedPlacement> placement; // what the fallback runs
  std::string fallback;                     // its target; empty: none
  RelayoutReport layout;
  std::string layoutPlan; // a plan's file, where options.writePlan
  std::string costTable;  // of the program's kernels, to be filled in
  bool isPlanned = false; // else nothing is known of kernels and memory
  std::vector<ReportedKernel> kernels;
  std::vector<ReportedResident> residents;
  std::vector<ReportedState> states;
  int64_t arenaBytes = 0, arenaLowerBoundBytes = 0, weightBytes = 0;
  std::vector<std::pair<std::string, double>> seconds; // by stage, in order
};

enum class CompileStatus {
  Ok,
  BadModel,    // it cannot be compiled for this target with these options
  Unsupported, // it asks for something that npuc does not do
  BadOptions,  // no such target, strategy, processor or input; an output that
               // would replace an input
  BadInput,    // a target's file, a plugin or an array cannot be used
  CannotWrite, // options.output
  OverBudget   // more relayouts, or ops beside the chip, than allowed
};

/// "imported", ...: by the enum's number.
ArrayRef<StringRef> stageNames();

/// A compilation that goes on stage by stage. What it is made of outlives it.
class StagedCompilation {
public:
  StagedCompilation(MLIRContext &context, const CompileOptions &options,
                    CompileReport &report, files::OutputFiles &files);
  ~StagedCompilation();

  /// Whether the options, and what they name, can be used; instead of run().
  CompileStatus check();
  /// Runs the stages up to this one that have not run yet. Program leaves out
  /// those that options.emit does not need. Failure leaves diagnostics; from
  /// then on it is the answer.
  CompileStatus run(Stage last);
  /// After the last stage that ran; null before the first.
  mlir::ModuleOp module() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Compiles; options.output is one of `files`, which the caller commits. What
/// is read beside the model is declared there. Failure leaves diagnostics.
CompileStatus compileModel(MLIRContext &context, const CompileOptions &options,
                           CompileReport &report, files::OutputFiles &files);

/// All dialects that a compilation may load.
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_COMPILER_H
