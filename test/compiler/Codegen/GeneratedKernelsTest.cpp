// SPDX-License-Identifier: Apache-2.0
//
// Every elementwise function as generated code, written to a .npu file, loaded
// and run, against the kernel library's reference.
#include "compiler/Codegen/Manifest.h"
#include "compiler/Codegen/NativeCode.h"
#include "compiler/Codegen/ProgramEmitter.h"
#include "compiler/Codegen/ProgramWriter.h"
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Kernel/KernelProblem.h"
#include "kernels/support/convert.h"
#include "kernels/tensor.h"
#include "npu/npu.hpp"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace {

/// A program of one function, compiled and loaded.
class CompiledProgram {
public:
  explicit CompiledProgram(const std::string &text) {
    mlir::DialectRegistry registry;
    registry.insert<npu::NPUDialect>();
    npu::registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    auto planned = npu::planProgram(function, 1);
    EXPECT_TRUE(mlir::succeeded(planned));
    plan = std::move(*planned);
    write();
    model = std::make_unique<npu::Model>(path.str().str());
  }
  ~CompiledProgram() { llvm::sys::fs::remove(path); }

  npu::ProgramPlan plan;
  std::unique_ptr<npu::Model> model;

private:
  void write() {
    std::string error;
    auto machine = npu::makeTargetMachine("native", error);
    ASSERT_TRUE(machine) << error;
    auto emitted = npu::emitProgram(&context, plan);
    ASSERT_TRUE(mlir::succeeded(emitted));
    auto code = npu::translateProgram(*emitted->module, llvmContext, *machine);
    ASSERT_TRUE(code);
    npu::addProgramRun(*code, plan, *emitted);
    npu::addProgramRoot(*code, plan);
    auto object = npu::emitMachineCode(*code, *machine, false);
    ASSERT_TRUE(mlir::succeeded(object));
    std::vector<std::string> names(plan.inputs.size() + plan.outputs.size());
    npu::format::Manifest manifest = npu::makeManifest(plan, names);
    manifest.targetName = "test";
    manifest.layoutStrategy = "none";
    for (const std::string &feature : npu::requiredFeatures(*machine))
      manifest.cpuFeatures.push_back(feature);
    llvm::sys::fs::createTemporaryFile("generated", "npu", path);
    npu::files::OutputFiles files;
    ASSERT_EQ(llvm::toString(npu::writeProgram(path.str().str(), *object, plan,
                                               manifest, "", files.add())),
              "");
    ASSERT_EQ(files.commit(), "");
  }

  mlir::MLIRContext context;
  llvm::LLVMContext llvmContext;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallString<128> path;
};

/// Fills a stored tensor with values that every function is defined on; padding
/// lanes stay zero because only logical elements are written.
void fillRandom(const npu_tensor_desc &tensor, void *data,
                std::mt19937 &random) {
  npu::kernels::Strides strides = npu::kernels::stridesOf(tensor);
  int64_t count = npu::kernels::elementCount(tensor);
  std::uniform_real_distribution<float> real(0.1f, 3.0f);
  for (int64_t linear = 0; linear < count; ++linear) {
    int64_t index[NPU_MAX_RANK] = {};
    int64_t rest = linear;
    for (int dim = tensor.rank; dim-- > 0;) {
      index[dim] = rest % tensor.dims[dim];
      rest /= tensor.dims[dim];
    }
    int64_t at = npu::kernels::offsetOf(tensor, strides, index);
    float value = real(random) * (random() % 2 ? 1.0f : -1.0f);
    switch (tensor.dtype) {
    case NPU_F32:
      static_cast<float *>(data)[at] = value;
      break;
    case NPU_F16:
      static_cast<uint16_t *>(data)[at] = npu::kernels::floatToHalf(value);
      break;
    case NPU_BF16:
      static_cast<uint16_t *>(data)[at] = npu::kernels::floatToBfloat(value);
      break;
    case NPU_I8:
    case NPU_U8: // all bits
      static_cast<uint8_t *>(data)[at] = static_cast<uint8_t>(random());
      break;
    case NPU_I16: // all bits
    case NPU_U16:
      static_cast<uint16_t *>(data)[at] = static_cast<uint16_t>(random());
      break;
    case NPU_U32: // all bits
      static_cast<uint32_t *>(data)[at] = static_cast<uint32_t>(random());
      break;
    case NPU_U64: // all bits
      static_cast<uint64_t *>(data)[at] = uint64_t{random()} << 32 | random();
      break;
    case NPU_F64:
      static_cast<double *>(data)[at] = double{value} / 3;
      break;
    case NPU_I32:
      static_cast<int32_t *>(data)[at] = static_cast<int32_t>(value * 10);
      break;
    case NPU_I64:
      static_cast<int64_t *>(data)[at] = static_cast<int64_t>(value * 10);
      break;
    case NPU_BOOL:
      static_cast<uint8_t *>(data)[at] = value > 0;
      break;
    default:
      FAIL() << "no random values for this type";
    }
  }
}

/// Floats of all magnitudes, NaN and infinities among them.
void fillBits(const npu_tensor_desc &tensor, void *data, std::mt19937 &random) {
  const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                              0x7fc00000, 0x7f7fffff, 0xff7fffff, 1,
                              0x007fffff, 0x3f800000, 0xbf800000};
  auto *bits = static_cast<uint32_t *>(data);
  std::generate_n(bits, npu::kernels::elementCount(tensor),
                  [&] { return static_cast<uint32_t>(random()); });
  std::copy(std::begin(special), std::end(special), bits);
}

/// To the bit, but for those of NaN.
void expectSameBits(const npu_tensor_desc &tensor, const void *got,
                    const void *expected, const std::string &what) {
  for (int64_t i = 0; i < npu::kernels::elementCount(tensor); ++i) {
    float a = static_cast<const float *>(got)[i];
    float b = static_cast<const float *>(expected)[i];
    ASSERT_TRUE((std::isnan(a) && std::isnan(b)) ||
                std::memcmp(&a, &b, sizeof(a)) == 0)
        << what << ", element " << i << ": " << a << ", expected " << b;
  }
}

void expectSame(const npu_tensor_desc &tensor, const void *got,
                const void *expected, const std::string &what) {
  int64_t count = npu::kernels::storedElements(tensor);
  for (int64_t i = 0; i < count; ++i) {
    if (tensor.dtype != NPU_F32) {
      int64_t bytes = npu::kernels::dtypeBytes(tensor.dtype);
      ASSERT_EQ(std::memcmp(static_cast<const char *>(got) + i * bytes,
                            static_cast<const char *>(expected) + i * bytes,
                            bytes),
                0)
          << what << ", stored element " << i;
      continue;
    }
    float a = static_cast<const float *>(got)[i];
    float b = static_cast<const float *>(expected)[i];
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    ASSERT_NEAR(a, b, 1e-5f + 2e-5f * std::fabs(b))
        << what << ", stored element " << i;
  }
}

std::string printed(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

/// Compiles the function, runs it on random inputs and compares every result
/// with the reference kernel on the same inputs.
void check(const std::string &text, bool allGenerated = true,
           bool hasAllBits = false) {
  CompiledProgram program(text);
  npu::Context context(*program.model);
  std::mt19937 random(1);
  std::vector<npu::Buffer> inputs, outputs;
  auto infos = program.model->inputs();
  for (const auto &kernel : program.plan.kernels)
    if (allGenerated)
      ASSERT_TRUE(kernel.generated) << kernel.name;
  for (size_t i = 0; i < infos.size(); ++i) {
    inputs.emplace_back(infos[i].bytes);
    (hasAllBits ? fillBits
                : fillRandom)(npu::describeTensor(program.plan.inputs[i]),
                              inputs.back().as<void>(), random);
  }
  for (const auto &info : program.model->outputs())
    outputs.emplace_back(info.bytes);
  context.run(inputs, outputs);
  for (const auto &kernel : program.plan.kernels) {
    npu::kernels::Problem problem = kernel.problem;
    problem.inPlaceInput = -1;
    npu::Buffer expected(npu::kernels::storedBytes(problem.outputs[0]));
    std::vector<void *> operands;
    for (size_t i = 0; i < problem.inputs.size(); ++i) {
      if (kernel.operands[i].place == npu::Storage::Weights) {
        operands.push_back(
            const_cast<char *>(program.plan.weights.parts()[0].data() +
                               kernel.operands[i].offset));
        continue;
      }
      ASSERT_EQ(kernel.operands[i].place, npu::Storage::Input);
      operands.push_back(inputs[kernel.operands[i].offset].as<void>());
    }
    operands.push_back(expected.as<void>());
    auto reference = npu::kernels::createReference(problem);
    ASSERT_TRUE(reference);
    std::vector<char> scratch(reference->scratchBytes() + 64);
    ASSERT_EQ(reference->run(operands.data(), scratch.data()), 0);
    const npu::Buffer &got = outputs[kernel.operands.back().offset];
    (hasAllBits ? expectSameBits
                : expectSame)(problem.outputs[0], got.as<void>(),
                              expected.as<void>(), printed(kernel.op));
  }
}

/// One function that applies each op text to the same operands. `%T` stands for
/// the result type in an op text.
std::string
functionOf(const std::vector<std::string> &operandTypes,
           const std::vector<std::pair<std::string, std::string>> &ops) {
  std::string arguments, types, results, values, body;
  for (size_t i = 0; i < operandTypes.size(); ++i) {
    std::string comma = i ? ", " : "";
    arguments += comma + "%x" + std::to_string(i) + ": " + operandTypes[i];
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    std::string comma = i ? ", " : "", name = "%y" + std::to_string(i);
    size_t arity = std::count(ops[i].first.begin(), ops[i].first.end(), '%');
    std::string inputs;
    for (size_t j = 0; j < arity; ++j)
      inputs += (j ? ", " : "") + operandTypes[j];
    body += "  " + name + " = npu.eltwise " + ops[i].first + " : (" + inputs +
            ") -> " + ops[i].second + "\n";
    results += comma + ops[i].second;
    values += comma + name;
  }
  return "func.func @main(" + arguments + ") -> (" + results + ") {\n" + body +
         "  return " + values + " : " + results + "\n}\n";
}

std::vector<std::pair<std::string, std::string>>
floatOps(const std::string &type) {
  std::vector<std::pair<std::string, std::string>> ops;
  for (const char *name :
       {"abs", "neg", "relu", "sigmoid", "tanh", "exp", "erf", "floor", "ceil",
        "round", "round_away", "softplus", "gelu_erf", "gelu_tanh", "sign",
        "reciprocal", "sin", "cos", "atan"})
    ops.emplace_back(std::string(name) + "(%x0)", type);
  for (const char *name : {"leaky_relu", "elu", "clip", "hard_sigmoid",
                           "hard_swish", "swish", "linear"})
    ops.emplace_back(std::string(name) +
                         "(%x0) {alpha = 0.25 : f32, beta = 0.5 : f32}",
                     type);
  for (const char *name : {"add", "sub", "mul", "div", "min", "max", "prelu"})
    ops.emplace_back(std::string(name) + "(%x0, %x1)", type);
  return ops;
}

TEST(GeneratedKernelsTest, FloatFunctionsOnEqualShapes) {
  std::string type = "tensor<3x7x11xf32>";
  check(functionOf({type, type}, floatOps(type)));
}

/// Constants are folded by the reference: it must not matter.
TEST(GeneratedKernelsTest, FloatsHaveTheSameBits) {
  std::string type = "tensor<3x20000xf32>";
  auto ops = floatOps(type);
  for (const char *name : {"log", "sqrt", "rsqrt", "asin", "acos", "tan"})
    ops.emplace_back(std::string(name) + "(%x0)", type);
  check(functionOf({type, type}, ops), true, true);
}

TEST(GeneratedKernelsTest, BroadcastChannelInChannelsLast) {
  std::string type = "tensor<2x20x3x5xf32, #npu.layout<acdb>>";
  check(functionOf({type, "tensor<20x1x1xf32, #npu.layout<abc>>"},
                   floatOps(type)));
}

TEST(GeneratedKernelsTest, BlockedLayoutKeepsPaddingZero) {
  std::string type = "tensor<2x20x3x5xf32, #npu.layout<aBcd16b>>";
  // exp(0) and sigmoid(0) are not zero: the padding lanes must be.
  check(functionOf({type, "tensor<20x1x1xf32, #npu.layout<abc>>"},
                   floatOps(type)));
  check(functionOf({type, type}, floatOps(type)));
}

/// Blocks of an operand that end beyond the result: outside of the inner loop,
/// in it, in both, beside a scalar of each row, and where the result has blocks
/// of its own.
TEST(GeneratedKernelsTest, BlocksOfOperandsNeedNotDivideTheResult) {
  const std::vector<std::pair<std::string, std::string>> add = {
      {"add(%x0, %x1)", "tensor<20x40x3xf32>"},
      {"mul(%x0, %x1)", "tensor<20x40x3xf32>"}};
  for (const char *first : {"tensor<20x40x1xf32, #npu.layout<ABc2a2b16a16b>>",
                            "tensor<20x40x1xf32, #npu.layout<bAc16a>>",
                            "tensor<20x40x3xf32, #npu.layout<aCB2c16b>>"})
    for (const char *second : {"tensor<20x40x3xf32>", "tensor<20x1x3xf32>",
                               "tensor<20x40x3xf32, #npu.layout<aBc32b>>"})
      // Where most rows would not be there, a reference runs.
      check(functionOf({first, second}, add), /*allGenerated=*/false);
  for (const char *second : {"tensor<f32>", "tensor<20x40x1xf32>"})
    check(functionOf({"tensor<20x40x3xf32, #npu.layout<aCB2c16b>>", second},
                     add));
  std::string blocks = "tensor<2x44x3x5xf32, #npu.layout<aBcd16b>>";
  check(functionOf({"tensor<2x44x3x5xf32, #npu.layout<aBcd32b>>", blocks},
                   floatOps(blocks)));
}

TEST(GeneratedKernelsTest, BroadcastInnermostAndScalar) {
  std::string type = "tensor<4x6x33xf32>";
  check(functionOf({type, "tensor<4x6x1xf32>"}, floatOps(type)));
  check(functionOf({type, "tensor<f32>"}, floatOps(type)));
}

TEST(GeneratedKernelsTest, OperandInAnotherOrderIsReadByStrides) {
  std::string type = "tensor<1x6x33xf32>";
  check(functionOf({type, "tensor<1x6x33xf32, #npu.layout<acb>>"},
                   {{"add(%x0, %x1)", type}}));
}

TEST(GeneratedKernelsTest, IntegersAndBooleans) {
  for (std::string element :
       {"i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"}) {
    std::string type = "tensor<5x19x" + element + ">";
    std::string boolean = "tensor<5x19xi1>";
    std::vector<std::pair<std::string, std::string>> ops;
    for (const char *name :
         {"add", "sub", "mul", "div", "mod", "min", "max", "bit_and", "bit_or",
          "bit_xor", "shift_left", "shift_right"})
      ops.emplace_back(std::string(name) + "(%x0, %x1)", type);
    ops.emplace_back("mod(%x0, %x1) {alpha = 1.0 : f32}", type);
    for (const char *name :
         {"equal", "less", "less_equal", "greater", "greater_equal"})
      ops.emplace_back(std::string(name) + "(%x0, %x1)", boolean);
    ops.emplace_back("cast(%x0)", "tensor<5x19xf32>");
    ops.emplace_back("abs(%x0)", type);
    for (const char *name : {"neg", "clz", "bit_not", "relu", "sign"})
      ops.emplace_back(std::string(name) + "(%x0)", type);
    ops.emplace_back("clip(%x0) {alpha = -6.5 : f32, beta = 9.0 : f32}", type);
    ops.emplace_back("clip(%x0) {alpha = -1.0e30 : f32, beta = 4.0 : f32}",
                     type);
    check(functionOf({type, type}, ops));
    check(functionOf({type, type, type},
                     {{"mul_shift(%x0, %x1, %x2)", type},
                      {"mul_shift(%x0, %x1, %x2) {alpha = 1.0 : f32}", type}}));
  }
}

TEST(GeneratedKernelsTest, LogicAndSelect) {
  std::string boolean = "tensor<7x9xi1>", type = "tensor<7x9xf32>";
  check(functionOf({boolean, boolean}, {{"logical_and(%x0, %x1)", boolean},
                                        {"logical_or(%x0, %x1)", boolean},
                                        {"logical_xor(%x0, %x1)", boolean},
                                        {"logical_not(%x0)", boolean}}));
  check(functionOf({boolean, type, type}, {{"select(%x0, %x1, %x2)", type}}));
}

TEST(GeneratedKernelsTest, CastsFromFloat) {
  check(functionOf({"tensor<7x9xf32>"}, {{"cast(%x0)", "tensor<7x9xi32>"},
                                         {"cast(%x0)", "tensor<7x9xi64>"},
                                         {"cast(%x0)", "tensor<7x9xi1>"},
                                         {"cast(%x0)", "tensor<7x9xbf16>"}}));
}

/// By zero, and the least number by -1, where the processor would stop: among
/// so many pairs of bytes are all that there are.
TEST(GeneratedKernelsTest, DivisorsThatHaveNoQuotient) {
  std::string type = "tensor<300x2000xi8>";
  check(
      functionOf({type, type}, {{"div(%x0, %x1)", type},
                                {"mod(%x0, %x1)", type},
                                {"mod(%x0, %x1) {alpha = 1.0 : f32}", type}}));
}

TEST(GeneratedKernelsTest, CastsBetweenAllTypes) {
  const std::string elements[] = {"f32", "f16",  "bf16", "f64", "i8",
                                  "ui8", "i16",  "ui16", "i32", "ui32",
                                  "i64", "ui64", "i1"};
  for (const std::string &from : elements) {
    std::vector<std::pair<std::string, std::string>> ops;
    for (const std::string &to : elements)
      ops.emplace_back("cast(%x0)", "tensor<7x9x" + to + ">");
    check(functionOf({"tensor<7x9x" + from + ">"}, ops));
  }
}

TEST(GeneratedKernelsTest, Doubles) {
  std::string type = "tensor<5x19xf64>", boolean = "tensor<5x19xi1>";
  std::vector<std::pair<std::string, std::string>> ops;
  for (const char *name : {"add", "sub", "mul", "div", "min", "max"})
    ops.emplace_back(std::string(name) + "(%x0, %x1)", type);
  for (const char *name :
       {"equal", "less", "less_equal", "greater", "greater_equal"})
    ops.emplace_back(std::string(name) + "(%x0, %x1)", boolean);
  for (const char *name : {"abs", "neg", "relu", "sqrt", "reciprocal", "floor",
                           "ceil", "round", "round_away", "sign"})
    ops.emplace_back(std::string(name) + "(%x0)", type);
  ops.emplace_back("bitcast(%x0)", "tensor<5x19xi64>");
  check(functionOf({type, type}, ops));
  check(functionOf({boolean, type, type}, {{"select(%x0, %x1, %x2)", type}}));
}

TEST(GeneratedKernelsTest, BitsAreKept) {
  check(functionOf({"tensor<7x9xf32>"}, {{"bitcast(%x0)", "tensor<7x9xi32>"}}));
  check(
      functionOf({"tensor<7x9xf16>"}, {{"bitcast(%x0)", "tensor<7x9xbf16>"}}));
  check(
      functionOf({"tensor<7x9xbf16>"}, {{"bitcast(%x0)", "tensor<7x9xf16>"}}));
  check(functionOf({"tensor<7x9xi8>"}, {{"bitcast(%x0)", "tensor<7x9xui8>"}}));
}

TEST(GeneratedKernelsTest, CastsSaturate) {
  // Far outside 32 bits, and the NaN of a negative number's logarithm.
  std::string type = "tensor<7x9xf32>";
  check("func.func @main(%x: " + type +
        ") -> (tensor<7x9xi32>, tensor<7x9xi64>)"
        " {\n %c = npu.constant dense<1.0e20> : tensor<f32> -> tensor<f32>\n"
        " %i = npu.fused(%x, %c) : (" +
        type +
        ", tensor<f32>) -> tensor<7x9xi32> {\n"
        " ^bb0(%a: " +
        type +
        ", %b: tensor<f32>):\n"
        "  %m = npu.eltwise mul(%a, %b) : (" +
        type + ", tensor<f32>) -> " + type +
        "\n"
        "  %r = npu.eltwise cast(%m) : (" +
        type +
        ") -> tensor<7x9xi32>\n"
        "  npu.yield %r : tensor<7x9xi32>\n }\n"
        " %l = npu.fused(%x) : (" +
        type +
        ") -> tensor<7x9xi64> {\n"
        " ^bb0(%a: " +
        type +
        "):\n"
        "  %z = npu.eltwise log(%a) : (" +
        type + ") -> " + type +
        "\n"
        "  %r = npu.eltwise cast(%z) : (" +
        type +
        ") -> tensor<7x9xi64>\n"
        "  npu.yield %r : tensor<7x9xi64>\n }\n"
        " return %i, %l : tensor<7x9xi32>, tensor<7x9xi64>\n}\n");
}

TEST(GeneratedKernelsTest, Bfloat16RoundsOnce) {
  std::string type = "tensor<5x21xbf16>";
  check(functionOf({type, type},
                   {{"add(%x0, %x1)", type}, {"mul(%x0, %x1)", type}}));
}

TEST(GeneratedKernelsTest, FunctionsWithoutCodeRunInTheLibrary) {
  std::string type = "tensor<4x9xi32>";
  check(functionOf({type, type}, {{"pow(%x0, %x1)", type}}),
        /*allGenerated=*/false);
}

} // namespace
