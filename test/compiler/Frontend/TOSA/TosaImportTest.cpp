// SPDX-License-Identifier: Apache-2.0
//
// TOSA files and what importing them gives, or why it is refused.
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Frontend/Support/ModuleFile.h"
#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Frontend/TOSA/TosaImporter.h"

#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

namespace {

struct Imported {
  std::string text;   // of the module
  std::string errors; // one a line
};

Imported import(const std::string &source,
                const npu::ImportOptions &options = {}) {
  mlir::DialectRegistry registry;
  registry.insert<npu::NPUDialect>();
  npu::registerTosaDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  Imported result;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        result.errors += npu::describeLocation(diagnostic.getLocation()) +
                         ": " + diagnostic.str() + "\n";
        return mlir::success();
      });
  auto module = npu::parseModule(context, source, "m.mlir");
  if (!module) {
    EXPECT_NE(result.errors, "") << source;
    return result;
  }
  auto imported = npu::importTosa(*module, "m.mlir", options);
  if (mlir::succeeded(imported)) {
    llvm::raw_string_ostream stream(result.text);
    (*imported)->print(stream);
  } else {
    EXPECT_NE(result.errors, "") << source;
  }
  return result;
}

/// A function of these lines, one to a line of the file.
std::string function(const std::string &arguments, const std::string &lines,
                     const std::string &result, const std::string &type) {
  return "func.func @main(" + arguments + ") -> " + type + " {\n" + lines +
         "\nreturn " + result + " : " + type + "\n}\n";
}

void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n in \n" << text;
}

void expectError(const std::string &source, const std::string &part,
                 const npu::ImportOptions &options = {}) {
  Imported result = import(source, options);
  expectContains(result.errors, part);
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1)
      << result.errors;
}

std::string tanhOf(const std::string &argument, const std::string &type) {
  return function("%x: " + argument,
                  "%y = tosa.tanh %x : (" + type + ") -> " + type, "%y", type);
}

TEST(TosaImport, NamesOfArgumentsAndResults) {
  std::string plain = import(tanhOf("tensor<4xf32>", "tensor<4xf32>")).text;
  expectContains(plain, "npu.name = \"input0\"");
  expectContains(plain, "npu.name = \"output0\"");
  std::string named = import(tanhOf("tensor<4xf32> {tosa.tensor_name = \"in\"}",
                                    "tensor<4xf32>"))
                          .text;
  expectContains(named, "npu.name = \"in\"");
  std::string listed =
      import("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes "
             "{tf.entry_function = {inputs = \"a\", outputs = \"b\"}} {\n"
             "%y = tosa.tanh %x : (tensor<4xf32>) -> tensor<4xf32>\n"
             "return %y : tensor<4xf32>\n}\n")
          .text;
  expectContains(listed, "npu.name = \"a\"");
  expectContains(listed, "npu.name = \"b\"");
}

TEST(TosaImport, OpenSizesAreBound) {
  std::string source = tanhOf("tensor<?x4xf32>", "tensor<?x4xf32>");
  npu::ImportOptions options;
  options.batch = 3;
  expectContains(import(source, options).text, "tensor<3x4xf32>");
  expectError(source, "inputs of unknown size: 'input0' (?,4)");
  options.batch = 0;
  expectError(source, "is set to 0, expected 1 or more", options);
  options.batch.reset();
  options.inputShapes["input0"] = {2, 5};
  expectError(source, "dimension 1 of input 'input0' is 4 in the model",
              options);
}

TEST(TosaImport, ConvolutionStandsBetweenTransposes) {
  std::string source = function(
      "%x: tensor<1x5x6x3xf32>",
      "%w = \"tosa.const\"() {values = dense<1.0> : tensor<4x2x2x3xf32>} : () "
      "-> tensor<4x2x2x3xf32>\n"
      "%b = \"tosa.const\"() {values = dense<1.0> : tensor<4xf32>} : () -> "
      "tensor<4xf32>\n"
      "%z = \"tosa.const\"() {values = dense<0.0> : tensor<1xf32>} : () -> "
      "tensor<1xf32>\n"
      "%y = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: "
      "1, 0, 0, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : "
      "(tensor<1x5x6x3xf32>, tensor<4x2x2x3xf32>, tensor<4xf32>, "
      "tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x6x4xf32>",
      "%y", "tensor<1x5x6x4xf32>");
  std::string text = import(source).text;
  expectContains(text, "permutation = [0, 3, 1, 2]");
  expectContains(text, "pads = [1, 0, 0, 1]");
  expectContains(text, "permutation = [0, 2, 3, 1]");
}

TEST(TosaImport, ConstantsFold) {
  std::string source = function(
      "%x: tensor<2xi32>",
      "%a = \"tosa.const\"() {values = dense<[100, -100]> : tensor<2xi16>} : "
      "() -> tensor<2xi16>\n"
      "%c = tosa.cast %a : (tensor<2xi16>) -> tensor<2xi32>\n"
      "%y = tosa.add %x, %c : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>",
      "%y", "tensor<2xi32>");
  expectContains(import(source).text, "dense<[100, -100]> : tensor<2xi32>");
}

TEST(TosaImport, Boundary) {
  expectError(tanhOf("tensor<*xf32>", "tensor<*xf32>"), "(any rank)");
  expectError(
      function("%x: tensor<4xi48>",
               "%y = tosa.identity %x : (tensor<4xi48>) -> tensor<4xi48>", "%y",
               "tensor<4xi48>"),
      "input 'input0' is 'tensor<4xi48>', expected a tensor of f32");
  expectError("module {}", "holds no function, expected one");
  expectError("func.func @main() { return }", "has no outputs");
  expectError("func.func @a() { return }\nfunc.func @b() { return }",
              "holds 2 functions, expected one; split the file");
}

TEST(TosaImport, UnknownOps) {
  expectError(function("%x: tensor<1x4x4xf32>",
                       "%y, %z = tosa.rfft2d %x : (tensor<1x4x4xf32>) -> "
                       "(tensor<1x4x3xf32>, tensor<1x4x3xf32>)",
                       "%y", "tensor<1x4x3xf32>"),
              "not supported: tosa.rfft2d at 'line 2'; expected operators of "
              "the list in docs/tosa-ops.md");
}

/// Lines with %x: tensor<2x3x4xi32> and %b: tensor<2x3x4xi8>, and the error.
struct Refused {
  const char *lines, *type, *error;
};

const Refused refused[] = {
    {"%s = tosa.const_shape {values = dense<[5, 5]> : tensor<2xindex>} : () -> "
     "!tosa.shape<2>\n"
     "%y = tosa.reshape %u, %s : (tensor<?x3x4xi32>, !tosa.shape<2>) -> "
     "tensor<5x5xi32>",
     "tensor<5x5xi32>", "cannot reshape 2x3x4 to 5x5: the number of elements"},
    {"%s = tosa.const_shape {values = dense<[-1, 7]> : tensor<2xindex>} : () "
     "-> !tosa.shape<2>\n"
     "%y = tosa.reshape %u, %s : (tensor<?x3x4xi32>, !tosa.shape<2>) -> "
     "tensor<?x7xi32>",
     "tensor<?x7xi32>", "cannot reshape 2x3x4 to -1x7"},
    {"%y = tosa.add %u, %v : (tensor<?x3x4xi32>, tensor<?x3x4xi32>) -> "
     "tensor<3x3x4xi32>",
     "tensor<3x3x4xi32>",
     "gives a result of shape 2x3x4, but the "
     "file says tensor<3x3x4xi32>"},
    {"%t = \"tosa.const\"() {values = dense<1> : tensor<100xi8>} : () -> "
     "tensor<100xi8>\n"
     "%y = tosa.table %b, %t : (tensor<2x3x4xi8>, tensor<100xi8>) -> "
     "tensor<2x3x4xi8>",
     "tensor<2x3x4xi8>", "found a table of shape 100, expected 256"},
    {"%a = tosa.const_shape {values = dense<[1, 0, 0]> : tensor<3xindex>} : () "
     "-> !tosa.shape<3>\n"
     "%n = tosa.const_shape {values = dense<[2, 3, 4]> : tensor<3xindex>} : () "
     "-> !tosa.shape<3>\n"
     "%y = tosa.slice %u, %a, %n : (tensor<?x3x4xi32>, !tosa.shape<3>, "
     "!tosa.shape<3>) -> tensor<2x3x4xi32>",
     "tensor<2x3x4xi32>",
     "slices 2 elements from 1 on of dimension 0, which has 2"},
    {"%p = tosa.const_shape {values = dense<0> : tensor<6xindex>} : () -> "
     "!tosa.shape<6>\n"
     "%c = \"tosa.const\"() {values = dense<1> : tensor<1xi32>} : () -> "
     "tensor<1xi32>\n"
     "%d = tosa.add %c, %k : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>\n"
     "%y = tosa.pad %x, %p, %d : (tensor<2x3x4xi32>, !tosa.shape<6>, "
     "tensor<1xi32>) -> tensor<2x3x4xi32>",
     "tensor<2x3x4xi32>", "the value to pad with must be one constant number"},
    {"%s = \"tosa.const\"() {values = dense<31> : tensor<4xi8>} : () -> "
     "tensor<4xi8>\n"
     "%z = \"tosa.const\"() {values = dense<0> : tensor<1xi32>} : () -> "
     "tensor<1xi32>\n"
     "%y = tosa.rescale %x, %q, %s, %z, %z {input_unsigned = false, "
     "output_unsigned = false, per_channel = true, rounding_mode = "
     "SINGLE_ROUND, scale32 = true} : (tensor<2x3x4xi32>, tensor<?xi32>, "
     "tensor<4xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3x4xi32>",
     "tensor<2x3x4xi32>", "found 2 multipliers or shifts, expected 4"},
};

TEST(TosaImport, RefusedOps) {
  npu::ImportOptions options;
  options.batch = 2;
  for (const Refused &row : refused) {
    std::string source = function(
        "%x: tensor<2x3x4xi32>, %b: tensor<2x3x4xi8>, %u: tensor<?x3x4xi32>, "
        "%v: tensor<?x3x4xi32>, %k: tensor<1xi32>, %q: tensor<?xi32>",
        row.lines, "%y", row.type);
    expectError(source, row.error, options);
  }
}

TEST(TosaImport, ErrorsNameTheOp) {
  std::string source =
      "#f = loc(\"m.tflite\":0:0)\n" +
      function("%b: tensor<2xi8>",
               "%t = \"tosa.const\"() {values = dense<1> : tensor<9xi8>} : () "
               "-> tensor<9xi8>\n"
               "%y = tosa.table %b, %t : (tensor<2xi8>, tensor<9xi8>) -> "
               "tensor<2xi8> loc(\"net/act;net/mul\"(#f))",
               "%y", "tensor<2xi8>");
  expectError(source, "m.mlir: table 'net/act': found a table");
}

TEST(TosaImport, ResourcesAreChecked) {
  std::string source =
      function("%x: tensor<4xf32>",
               "%c = \"tosa.const\"() {values = dense_resource<w> : "
               "tensor<4xf32>} : () -> tensor<4xf32>\n"
               "%y = tosa.add %x, %c : (tensor<4xf32>, tensor<4xf32>) -> "
               "tensor<4xf32>",
               "%y", "tensor<4xf32>") +
      "{-# dialect_resources: { builtin: { w: \"0x040000000000803F\" } } #-}\n";
  expectError(source, "has 4 bytes in resource 'w', expected 16");
}

// Found by fuzzing: MLIR's parser of tosa.rescale fails without a word.
TEST(TosaImport, SilentParserIsAnError) {
  std::string source =
      function("%x: tensor<2xi32>",
               "%y = tosa.rescale %x, %x, %x, %x, %x{1nt scale32 = true} : "
               "(tensor<2xi32>) -> tensor<2xi32>",
               "%y", "tensor<2xi32>");
  expectError(source, "m.mlir: is no module that MLIR can read");
}

} // namespace
