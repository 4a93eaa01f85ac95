// SPDX-License-Identifier: Apache-2.0
//
// npu-requantize-integers on generated scales, offsets, bounds and numbers: a
// byte is the model's, or next to it where the exact result lies next to the
// middle between two.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/Passes.h"
#include "test/compiler/Support/Interpreter.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace npu;

namespace {

constexpr int channels = 4, places = 1024, count = channels * places;
/// A step of the result, of the numbers that floats and fixed points have.
constexpr double nearMiddle = 0x1p-7;

/// Numbers of one generated requantization.
struct Numbers {
  double scale[channels], offset[channels], otherScale, low, high;
  int zero;
  bool isUnsigned, isSum, isResidual;
};

Numbers randomNumbers(unsigned seed) {
  std::mt19937 random(seed);
  auto between = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  Numbers numbers = {};
  numbers.isUnsigned = seed % 2;
  numbers.isSum = seed % 3 != 0;
  numbers.isResidual = seed % 4 > 1;
  for (int c = 0; c < channels; ++c) {
    // Bytes by about 1, sums by next to nothing up to 1.
    numbers.scale[c] =
        numbers.isSum ? std::exp2(between(-14, 0)) : between(0.01, 2);
    numbers.offset[c] = seed % 5 == 0 ? 0 : between(-100, 100);
  }
  if (seed % 7 == 0) // ties are the rule
    for (double &scale : numbers.scale)
      scale = std::exp2(std::round(std::log2(scale)));
  numbers.otherScale = between(0.1, 2);
  numbers.low = seed % 6 == 1 ? between(-20, 0) : -INFINITY;
  numbers.high = seed % 6 < 2 ? between(10, 60) : INFINITY;
  numbers.zero = static_cast<int>(between(-10, 10));
  return numbers;
}

std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.9e", value);
  return text;
}

std::string listOf(const double (&values)[channels]) {
  std::string text;
  for (double value : values)
    text += (text.empty() ? "[[" : ", [") + number(value) +
            (text.empty() ? "]" : "]");
  return text + "]";
}

/// quantize(clip(a * scale + offset) + b * otherScale) of scale 1, as floats.
std::string textOf(const Numbers &n) {
  const std::string shape = "4x1024x", real = "tensor<4x1024xf32>";
  std::string from = "tensor<" + shape + (n.isSum ? "i32>" : "ui8>"),
              to = "tensor<" + shape + (n.isUnsigned ? "ui8>" : "i8>");
  std::string text = "func.func @f(%a: " + from + ", %b: tensor<" + shape +
                     "ui8>) -> " + real + " {\n";
  auto step = [&](const std::string &result, const std::string &call,
                  const std::string &types) {
    text += "  %" + result + " = npu.eltwise " + call + " : " + types + "\n";
  };
  std::string row = "tensor<4x1xf32>";
  text += "  %s = npu.constant dense<" + listOf(n.scale) + "> : " + row +
          " -> " + row + "\n  %o = npu.constant dense<" + listOf(n.offset) +
          "> : " + row + " -> " + row + "\n";
  std::string pair = "(" + real + ", " + row + ") -> " + real,
              one = "(" + real + ") -> " + real;
  step("x0", "cast(%a)", "(" + from + ") -> " + real);
  step("x1", "mul(%x0, %s)", pair);
  step("x2", "add(%x1, %o)", pair);
  bool isBounded = !std::isinf(n.high) && !n.isResidual;
  if (isBounded)
    step("x3",
         "clip(%x2) {alpha = " + number(std::isinf(n.low) ? -1e9 : n.low) +
             " : f32, beta = " + number(n.high) + " : f32}",
         one);
  std::string sum = isBounded ? "x3" : "x2";
  if (n.isResidual) {
    step("y0", "cast(%b)", "(tensor<" + shape + "ui8>) -> " + real);
    step("y1", "linear(%y0) {alpha = " + number(n.otherScale) + " : f32}", one);
    step("y2", "add(%" + sum + ", %y1)",
         "(" + real + ", " + real + ") -> " + real);
    sum = "y2";
  }
  text += "  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>\n"
          "  %zero = npu.constant dense<" +
          std::to_string(static_cast<int>(n.zero)) +
          "> : tensor<i32> -> tensor<i32>\n  %q = npu.quantize(%" + sum +
          ", %one, %zero) : (" + real + ", tensor<f32>, tensor<i32>) -> " + to +
          "\n";
  step("f", "cast(%q)", "(" + to + ") -> " + real);
  return text + "  return %f : " + real + "\n}\n";
}

/// Sums from small ones to those far beyond the bytes.
ElementsAttr randomIntegers(RankedTensorType type, unsigned seed) {
  std::mt19937 random(seed);
  bool isByte = type.getElementType().getIntOrFloatBitWidth() == 8;
  std::vector<char> bytes;
  for (int i = 0; i < count; ++i) {
    int32_t value = isByte ? static_cast<int32_t>(random() % 256)
                           : static_cast<int32_t>(random()) >> (random() % 28);
    const char *from = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), from, from + (isByte ? 1 : sizeof(value)));
  }
  return makeElements(type, bytes);
}

/// The model's result before it is rounded, exactly.
double exactAt(const Numbers &n, double a, double b, int channel) {
  double exact = a * static_cast<float>(n.scale[channel]) +
                 static_cast<float>(n.offset[channel]);
  if (n.isResidual)
    return exact + b * static_cast<float>(n.otherScale);
  return std::min(std::max(exact, n.low), n.high);
}

} // namespace

TEST(RequantizeIntegers, BytesAreTheModelsButNextToTheMiddle) {
  size_t different = 0;
  for (unsigned seed = 0; seed < 84; ++seed) {
    Numbers numbers = randomNumbers(seed);
    MLIRContext context;
    context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
    std::string text = textOf(numbers);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    SmallVector<ElementsAttr> inputs;
    for (Type type : function.getArgumentTypes())
      inputs.push_back(randomIntegers(cast<RankedTensorType>(type),
                                      seed * 2 + inputs.size()));
    auto want = test::interpret(function, inputs);
    ASSERT_TRUE(succeeded(requantizeIntegers(function)));
    ASSERT_TRUE(succeeded(mlir::verify(*module)));
    bool hasFloats = false;
    function.walk([&](QuantizeOp) { hasFloats = true; });
    ASSERT_FALSE(hasFloats) << "stayed on floats";
    auto have = test::interpret(function, inputs);
    ASSERT_EQ(have.size(), 1u);
    SmallVector<int64_t> a = elementInts(inputs[0]), b = elementInts(inputs[1]);
    for (int i = 0; i < count; ++i) {
      if (have[0][i] == want[0][i])
        continue;
      ++different;
      double exact = exactAt(numbers, static_cast<double>(a[i]),
                             static_cast<double>(b[i]), i / places);
      double fraction = exact - std::floor(exact);
      ASSERT_EQ(std::fabs(have[0][i] - want[0][i]), 1) << "element " << i;
      ASSERT_LE(std::fabs(fraction - 0.5), nearMiddle)
          << "element " << i << " of " << exact;
    }
  }
  // Ties go upwards here, and to even ones in the model.
  EXPECT_GT(different, 0u);
  EXPECT_LT(different, 84u * count / 20);
}

namespace {

/// An average of quantized numbers, padded and dilated in some way; as bytes,
/// or before it is rounded to one.
std::string averageOf(unsigned seed, bool isRounded) {
  std::mt19937 random(seed);
  auto upTo = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  const int64_t extent[2] = {5 + upTo(4), 5 + upTo(4)};
  int64_t kernel[2], strides[2], dilations[2], pads[4], result[2];
  for (int i = 0; i < 2; ++i) {
    kernel[i] = 1 + upTo(2);
    strides[i] = 1 + upTo(1);
    dilations[i] = 1 + upTo(1);
    pads[i] = upTo(kernel[i] - 1);
    pads[i + 2] = upTo(kernel[i] - 1);
    result[i] = (extent[i] + pads[i] + pads[i + 2] -
                 (kernel[i] - 1) * dilations[i] - 1) /
                    strides[i] +
                1;
  }
  auto shape = [](const int64_t (&dims)[2]) {
    return "tensor<1x3x" + std::to_string(dims[0]) + "x" +
           std::to_string(dims[1]) + "x";
  };
  auto list = [](const int64_t *numbers, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i ? ", " : "[") + std::to_string(numbers[i]);
    return text + "]";
  };
  std::string byte = seed % 2 ? "ui8>" : "i8>", in = shape(extent),
              out = shape(result), real = out + "f32>";
  std::string step = " : (" + in + "f32>, tensor<f32>) -> " + in + "f32>\n";
  std::string text =
      "func.func @f(%a: " + in + byte + ") -> " + real + " {\n" +
      "  %z = npu.constant dense<" +
      number(static_cast<double>(upTo(255)) - (seed % 2 ? 0 : 128)) +
      "> : tensor<f32> -> tensor<f32>\n" +
      "  %s = npu.constant dense<0.37> : tensor<f32> -> tensor<f32>\n" +
      "  %t = npu.constant dense<0.211> : tensor<f32> -> tensor<f32>\n" +
      "  %0 = npu.eltwise cast(%a) : (" + in + byte + ") -> " + in + "f32>\n" +
      "  %1 = npu.eltwise sub(%0, %z)" + step +
      "  %2 = npu.eltwise mul(%1, %s)" + step +
      "  %3 = npu.avg_pool(%2) {count_include_pad = " +
      (seed % 3 ? "true" : "false") + ", dilations = " + list(dilations, 2) +
      ", kernel = " + list(kernel, 2) + ", pads = " + list(pads, 4) +
      ", strides = " + list(strides, 2) + "} : (" + in + "f32>) -> " + real +
      "\n";
  std::string by = "(%3, %t) : (" + real + ", tensor<f32>) -> ";
  if (!isRounded)
    return text + "  %4 = npu.eltwise div" + by + real +
           "\n  return %4 : " + real + "\n}\n";
  return text + "  %6 = npu.quantize" + by + out +
         "i8>\n  %7 = npu.eltwise cast(%6) : (" + out + "i8>) -> " + real +
         "\n  return %7 : " + real + "\n}\n";
}

} // namespace

TEST(RequantizeIntegers, AveragesWithPaddingAreTheModelsBytes) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    MLIRContext context;
    context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
    std::string text = averageOf(seed, true);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    auto real = mlir::parseSourceString<mlir::ModuleOp>(averageOf(seed, false),
                                                        &context);
    ASSERT_TRUE(module && real);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    auto unrounded = *real->getOps<mlir::func::FuncOp>().begin();
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[0]);
    std::mt19937 random(seed);
    std::vector<char> bytes(static_cast<size_t>(type.getNumElements()));
    for (char &one : bytes)
      one = static_cast<char>(random());
    SmallVector<ElementsAttr> inputs = {makeElements(type, bytes)};
    auto want = test::interpret(function, inputs),
         exact = test::interpret(unrounded, inputs);
    ASSERT_TRUE(succeeded(requantizeIntegers(function)));
    ASSERT_TRUE(succeeded(mlir::verify(*module)));
    bool hasFloats = false;
    function.walk([&](AvgPoolOp) { hasFloats = true; });
    ASSERT_FALSE(hasFloats) << "stayed on floats";
    auto have = test::interpret(function, inputs);
    for (size_t i = 0; i < want[0].size(); ++i) {
      if (have[0][i] == want[0][i])
        continue;
      double fraction = exact[0][i] - std::floor(exact[0][i]);
      ASSERT_EQ(std::fabs(have[0][i] - want[0][i]), 1) << "element " << i;
      ASSERT_LE(std::fabs(fraction - 0.5), nearMiddle)
          << "element " << i << " of " << exact[0][i];
    }
  }
}
