// SPDX-License-Identifier: Apache-2.0
//
// What tests of the layout stage start from: functions read from text, and
// targets.
#ifndef NPU_TEST_COMPILER_LAYOUT_LAYOUTFIXTURE_H
#define NPU_TEST_COMPILER_LAYOUT_LAYOUTFIXTURE_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Target/TargetSpec.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace npu {

class LayoutFixture : public ::testing::Test {
protected:
  LayoutFixture() {
    context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
  }

  /// The first function of `source`; it lives as long as the test.
  mlir::func::FuncOp parse(StringRef source) {
    modules.push_back(
        mlir::parseSourceString<mlir::ModuleOp>(source, &context));
    EXPECT_TRUE(modules.back()) << source.str();
    return *modules.back()->getOps<mlir::func::FuncOp>().begin();
  }

  static TargetSpec load(StringRef name) {
    std::string error;
    std::optional<TargetSpec> spec = loadTarget(name, error);
    EXPECT_TRUE(spec) << error;
    return *spec;
  }

  MLIRContext context;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};

} // namespace npu

#endif // NPU_TEST_COMPILER_LAYOUT_LAYOUTFIXTURE_H
