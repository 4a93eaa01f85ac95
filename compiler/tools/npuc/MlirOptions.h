// SPDX-License-Identifier: Apache-2.0
//
// MLIR's own options on npuc's command line: what passes print, how long they
// take, their statistics, threads.
#ifndef NPU_COMPILER_TOOLS_NPUC_MLIROPTIONS_H
#define NPU_COMPILER_TOOLS_NPUC_MLIROPTIONS_H

#include "compiler/Pipeline/Compiler.h"

namespace npu {

class MlirOptions {
public:
  /// Takes the words that begin with --mlir- out of the command line. The exit
  /// code if the program ends here, -1 if it goes on.
  int take(int &argc, char **argv);

  bool isGiven() const { return areGiven; }

  /// Has a compilation do what they say. What is timed is printed when this
  /// object goes.
  void prepare(CompileOptions &options);

private:
  bool areGiven = false;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root;
};

} // namespace npu

#endif // NPU_COMPILER_TOOLS_NPUC_MLIROPTIONS_H
