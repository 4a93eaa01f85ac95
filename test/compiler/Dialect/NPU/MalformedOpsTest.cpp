// SPDX-License-Identifier: Apache-2.0
//
// Every op of the dialect, malformed in every way that the generic form can
// write: an error or a module, never a crash.
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Frontend/Support/ModuleFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"

#include <gtest/gtest.h>

#include <random>

using namespace npu;

namespace {

/// What operands and results may be.
const char *const types[] = {
    "tensor<f32>",
    "tensor<4xf32>",
    "tensor<2x3xf32>",
    "tensor<1x4x6x6xf32>",
    "tensor<1x4x6x6xf32, #npu.layout<acdb>>",
    "tensor<1x4x6x6xf32, #npu.layout<ab>>",
    "tensor<0x4xi64>",
    "tensor<4xi1>",
    "tensor<4xsi8>",
    "tensor<9223372036854775807x4xf32>",
    "tensor<1x1x1x1x1x1x1x1x1x1xf32>",
    "tensor<?x4xf32>",
    "tensor<*xf32>",
    "tensor<2xtensor<2xf32>>",
    "memref<4xf32>",
    "i64",
    "none",
};

/// What attributes may be: right and wrong.
const char *const attributes[] = {
    "1 : i64",
    "0 : i64",
    "-1 : i64",
    "9223372036854775807 : i64",
    "-9223372036854775808 : i64",
    "77 : i32",
    "true",
    "unit",
    "\"constant\"",
    "\"\"",
    "0.5 : f32",
    "0x7FC00000 : f32",
    "-1.0 : f64",
    "[]",
    "[1, 1]",
    "[1, 1, 1, 1]",
    "[0, -9223372036854775808]",
    "[9223372036854775807, 9223372036854775807]",
    "[3, 2, 1, 0]",
    "[1.0, \"a\", unit]",
    "[1.0, 2.0, 0.0, -1.0]",
    "dense<1.0> : tensor<4xf32>",
    "dense<[1, 2]> : tensor<2xi64>",
    "sparse<[[0]], [1.0]> : tensor<4xf32>",
    "dense_resource<missing> : tensor<4xf32>",
    "array<i64: 1, 1>",
    "#npu.layout<abcd>",
    "tensor<4xf32>",
    "@main",
    "{}",
};

/// How a body may end, behind a value %q of the type T.
const char *const endings[] = {
    "",
    R"("npu.yield"(%q) : (T) -> ())",
    R"("npu.yield"() : () -> ())",
    R"("npu.yield"(%q, %q) : (T, T) -> ())",
    R"(%z = "npu.yield"(%q) : (T) -> T)",
    R"("func.return"() : () -> ())",
    R"("npu.yield"(%q) : (T) -> () ^bb1: "npu.yield"() : () -> ())",
};

std::string replaceAll(std::string text, const std::string &what,
                       const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;
       at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

class Malformed {
public:
  Malformed(mlir::RegisteredOperationName op, std::mt19937 &random)
      : op(op), random(random) {}

  /// A module with the op by itself, or inside npu.fused.
  std::string text(size_t operands, size_t results, bool isInside) {
    usual = pick(types);
    Lists given = arguments(operands, "%a");
    std::string line = one(given, results, "%y");
    if (isInside) {
      Lists outer = arguments(operands, "%b");
      line = "%f = \"npu.fused\"(" + llvm::join(outer.names, ", ") + ") ({ " +
             "^bb0(" + llvm::join(given.declared, ", ") + "): " + line + " " +
             ending(results ? "%y#0" : "%a0") + "}) : (" +
             llvm::join(outer.types, ", ") + ") -> " + usual;
      given = outer;
    }
    return "func.func @main(" + llvm::join(given.declared, ", ") + ") {\n  " +
           line + "\n  return\n}\n";
  }

private:
  struct Lists {
    std::vector<std::string> names, types, declared;
  };

  template <size_t N>
  std::string pick(const char *const (&list)[N]) {
    return list[random() % N];
  }
  /// One type for most, or the first check of all would end each case.
  std::string type() { return random() % 4 ? usual : pick(types); }

  Lists arguments(size_t count, const std::string &prefix) {
    Lists lists;
    for (size_t i = 0; i < count; ++i) {
      lists.names.push_back(prefix + std::to_string(i));
      lists.types.push_back(type());
      lists.declared.push_back(lists.names[i] + ": " + lists.types[i]);
    }
    return lists;
  }

  std::string properties() {
    std::vector<std::string> entries;
    for (mlir::StringAttr name : op.getAttributeNames())
      if (random() % 8 != 0)
        entries.push_back(name.str() + " = " + pick(attributes));
    return entries.empty() ? "" : "<{" + llvm::join(entries, ", ") + "}>";
  }

  std::string ending(const std::string &value) {
    return replaceAll(replaceAll(pick(endings), "%q", value), "T", usual);
  }

  /// A body with a right op, or none.
  std::string region(size_t operands) {
    Lists lists = arguments(operands, "%r");
    std::string relu = R"(%q = "npu.eltwise"(%r0) <{kind = 1 : i32, )"
                       R"(alpha = 0.0 : f32, beta = 0.0 : f32}> : (T) -> T )";
    std::string body = random() % 4 && operands
                           ? replaceAll(relu, "T", usual) + ending("%q")
                           : ending("%r0");
    return "{ ^bb0(" + llvm::join(lists.declared, ", ") + "): " + body + " }";
  }

  std::string one(const Lists &given, size_t results, const char *name) {
    std::vector<std::string> resultTypes;
    for (size_t i = 0; i < results; ++i)
      resultTypes.push_back(type());
    std::string line;
    if (results > 0)
      line = std::string(name) + ":" + std::to_string(results) + " = ";
    line += "\"" + op.getStringRef().str() + "\"(" +
            llvm::join(given.names, ", ") + ") " + properties();
    bool hasBody = op.getStringRef() == FusedOp::getOperationName();
    size_t regions = random() % 8 ? hasBody : random() % 3;
    std::vector<std::string> bodies;
    for (size_t i = 0; i < regions; ++i)
      bodies.push_back(random() % 8 ? region(given.names.size()) : "{}");
    if (!bodies.empty())
      line += " (" + llvm::join(bodies, ", ") + ")";
    return line + " : (" + llvm::join(given.types, ", ") + ") -> (" +
           llvm::join(resultTypes, ", ") + ")";
  }

  mlir::RegisteredOperationName op;
  std::mt19937 &random;
  std::string usual;
};

/// Reads it; what does not verify has at least one error.
void read(MLIRContext &context, const std::string &text) {
  llvm::PrettyStackTraceString onCrash(text.c_str());
  int errors = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &one) {
    errors += one.getSeverity() == mlir::DiagnosticSeverity::Error;
    return success();
  });
  auto module = parseModule(context, text, "model.mlir");
  EXPECT_NE(bool(module), errors > 0) << text;
}

TEST(MalformedOps, GiveErrors) {
  llvm::sys::PrintStackTraceOnErrorSignal("");
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
  std::mt19937 random(1);
  auto ops = context.getRegisteredOperationsByDialect("npu");
  ASSERT_FALSE(ops.empty());
  for (const mlir::RegisteredOperationName &op : ops) {
    Malformed malformed(op, random);
    for (size_t operands = 0; operands < 5; ++operands)
      for (size_t results = 0; results < 3; ++results)
        for (bool isInside : {false, true})
          for (int repeat = 0; repeat < 30; ++repeat)
            read(context, malformed.text(operands, results, isInside));
  }
}

} // namespace
