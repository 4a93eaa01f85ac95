// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Kernel/Evaluator.h"
#include "compiler/Layout/Apply/CheckElements.h"
#include "compiler/Layout/Apply/VerifyLayout.h"
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Problem/Replacement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "test/compiler/Layout/LayoutFixture.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <random>

using namespace npu;

namespace {

/// A function with one kernel, %y, on constants of random elements.
class AlternativesTest : public LayoutFixture {
protected:
  mlir::func::FuncOp parse(const std::string &body,
                           const std::string &arguments,
                           const std::string &result) {
    std::string text = "func.func @f(" + arguments + ") -> " + result + " {\n" +
                       body + "\n return %y : " + result + "\n}";
    return LayoutFixture::parse(text);
  }

  /// A 3x3 convolution of `shape` (NCHW) to 6 channels, with changed
  /// attributes or weight where the test asks for it.
  mlir::func::FuncOp convolution(
      const std::string &shape = "2x5x7x8", const std::string &to = "2x6x7x8",
      const std::string &attributes = "dilations = [1, 1], groups = 1, pads = "
                                      "[1, 1, 1, 1], strides = [1, 1]",
      const std::string &weight = "6x5x3x3", const std::string &type = "f32") {
    auto tensor = [&](const std::string &dims) {
      return "tensor<" + dims + "x" + type + ">";
    };
    return parse("%w = npu.constant dense<0.5> : " + tensor(weight) + " -> " +
                     tensor(weight) + "\n%y = npu.conv2d(%x, %w) {" +
                     attributes + "} : (" + tensor(shape) + ", " +
                     tensor(weight) + ") -> " + tensor(to),
                 "%x: " + tensor(shape), tensor(to));
  }

  /// The operation that gives the function's result.
  static Operation *kernelOf(mlir::func::FuncOp function) {
    return function.getBody()
        .front()
        .getTerminator()
        ->getOperand(0)
        .getDefiningOp();
  }

  ElementsAttr random(RankedTensorType type) {
    std::normal_distribution<float> normal;
    std::vector<char> bytes(type.getNumElements() * sizeof(float));
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      float value = normal(engine);
      std::memcpy(&bytes[i * sizeof(float)], &value, sizeof(float));
    }
    return makeElements(withLayout(type, LayoutAttr()), std::move(bytes));
  }

  static std::vector<float> floats(ElementsAttr elements) {
    std::vector<char> storage;
    ArrayRef<char> bytes = elementBytes(elements, storage);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  /// Gives every constant of the function random elements.
  void randomise(mlir::func::FuncOp function) {
    function.walk([&](ConstantOp constant) {
      constant.setValueAttr(random(tensorType(constant.getResult())));
    });
  }

  std::vector<float> compute(Operation *op, ArrayRef<ElementsAttr> data) {
    SmallVector<ElementsAttr> operands;
    size_t next = 0;
    for (Value operand : op->getOperands()) {
      ElementsAttr constant = constantOf(operand);
      operands.push_back(constant ? constant : data[next++]);
    }
    auto values = evaluate(op, operands);
    EXPECT_TRUE(succeeded(values));
    return floats(values->front());
  }

  /// Replaces the kernel; the reference kernels of both must agree.
  Operation *replaceAndCompare(mlir::func::FuncOp function) {
    randomise(function);
    Operation *op = kernelOf(function);
    EXPECT_TRUE(row->applies(op));
    SmallVector<ElementsAttr> data;
    for (Value operand : op->getOperands())
      if (!constantOf(operand))
        data.push_back(random(tensorType(operand)));
    std::vector<float> want = compute(op, data);
    double macs = row->work(op).macs();
    int64_t weightBytes = row->weightBytes(op);
    OpBuilder builder(&context);
    Operation *made = row->replace(builder, op);
    EXPECT_TRUE(made);
    EXPECT_TRUE(succeeded(mlir::verify(function)));
    EXPECT_EQ(kernelOf(function), made);
    EXPECT_EQ(workOf(made).macs(), macs);
    EXPECT_EQ(storedBytes(tensorType(made->getOperand(1))), weightBytes);
    EXPECT_FALSE(replacementOf(made->getOperand(1).getDefiningOp()));
    std::vector<float> have = compute(made, data);
    EXPECT_EQ(have.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(have[i], want[i], 1e-4) << i;
    return made;
  }

  /// What a set of ops gives of the op's operands.
  std::vector<float> computeSet(const Replacement &set,
                                ArrayRef<ElementsAttr> data) {
    llvm::DenseMap<Value, ElementsAttr> known;
    mlir::func::FuncOp function = set.function;
    Block &block = function.getBody().front();
    for (auto [argument, operand] :
         llvm::zip(block.getArguments(), set.operands))
      known[argument] = data[operand];
    for (Operation &one : block.without_terminator()) {
      SmallVector<ElementsAttr> operands;
      for (Value operand : one.getOperands())
        operands.push_back(known.lookup(operand));
      if (auto constant = dyn_cast<ConstantOp>(one)) {
        known[constant.getResult()] = constant.getValue();
        continue;
      }
      auto values = evaluate(&one, operands);
      EXPECT_TRUE(succeeded(values));
      known[one.getResult(0)] = values->front();
    }
    return floats(known.lookup(block.getTerminator()->getOperand(0)));
  }

  const Alternative *row = findAlternative("winograd4x4");
  std::mt19937 engine{7};
};

const char *const fused = R"(
  %w = npu.constant dense<0.5> : tensor<6x5x3x3xf32> -> tensor<6x5x3x3xf32>
  %b = npu.constant dense<0.5> : tensor<6xf32> -> tensor<6xf32>
  %y = npu.fused(%x, %w, %b, %r) : (tensor<1x5x9x6xf32>, tensor<6x5x3x3xf32>, tensor<6xf32>, tensor<1x6x9x6xf32>) -> tensor<1x6x9x6xf32> {
  ^bb0(%0: tensor<1x5x9x6xf32>, %1: tensor<6x5x3x3xf32>, %2: tensor<6xf32>, %3: tensor<1x6x9x6xf32>):
    %4 = npu.conv2d(%0, %1, %2) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x5x9x6xf32>, tensor<6x5x3x3xf32>, tensor<6xf32>) -> tensor<1x6x9x6xf32>
    %5 = npu.eltwise add(%4, %3) : (tensor<1x6x9x6xf32>, tensor<1x6x9x6xf32>) -> tensor<1x6x9x6xf32>
    %6 = npu.eltwise relu(%5) : (tensor<1x6x9x6xf32>) -> tensor<1x6x9x6xf32>
    npu.yield %6 : tensor<1x6x9x6xf32>
  })";
const char *const fusedArguments =
    "%x: tensor<1x5x9x6xf32>, %r: tensor<1x6x9x6xf32>";

} // namespace

TEST_F(AlternativesTest, TargetsKnowTheRowsOfTheTable) {
  llvm::SetVector<StringRef> families;
  for (const Alternative &one : alternatives()) {
    families.insert(one.family);
    EXPECT_EQ(findAlternative(one.name), &one);
  }
  // The last name is of a product that the fusion stage makes.
  EXPECT_EQ(families.getArrayRef(), algorithmVocabulary().drop_back());
  EXPECT_FALSE(findAlternative("winograd"));
}

TEST_F(AlternativesTest, PartsOfAttentionComputeTheSame) {
  const Alternative *parts = findAlternative("attention_parts");
  const std::string matrices = "tensor<3x8x5xf32>";
  for (std::string mask : {"", "tensor<3x8x8xf32>", "tensor<8xi1>"}) {
    const bool has = !mask.empty();
    mlir::func::FuncOp function =
        parse("%y = npu.attention(%q, %k, %v" + std::string(has ? ", %m" : "") +
                  ") {fill = -2.0 : f64, scale = 0.25 : f64} : (" + matrices +
                  ", " + matrices + ", " + matrices + (has ? ", " + mask : "") +
                  ") -> " + matrices,
              "%q: " + matrices + ", %k: " + matrices + ", %v: " + matrices +
                  (has ? ", %m: " + mask : ""),
              matrices);
    Operation *op = kernelOf(function);
    ASSERT_TRUE(parts->applies(op));
    SmallVector<ElementsAttr> data;
    for (Value operand : op->getOperands()) {
      RankedTensorType type = tensorType(operand);
      data.push_back(
          type.getElementType().isF32()
              ? random(type)
              : makeElements(type, std::vector<char>{1, 0, 1, 1, 0, 1, 1, 0}));
    }
    auto set = makeReplacement(*parts, cast<LayoutOpInterface>(op), true);
    ASSERT_TRUE(succeeded(set) && *set);
    std::vector<float> want = compute(op, data), have = computeSet(**set, data);
    ASSERT_EQ(have.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(have[i], want[i], 1e-5) << mask << " " << i;
  }
}

TEST_F(AlternativesTest, OnlyForTargetsThatListThem) {
  Operation *op = kernelOf(convolution());
  TargetSpec target;
  EXPECT_TRUE(alternativesFor(op, target).empty());
  target.algorithms = {"winograd"};
  ASSERT_EQ(alternativesFor(op, target).size(), 2u);
  EXPECT_EQ(alternativesFor(op, target).back(), row);
}

TEST_F(AlternativesTest, WinogradAppliesToPlain3x3Only) {
  auto with = [](const char *dilation, const char *stride, const char *groups) {
    return std::string("dilations = [") + dilation + "], groups = " + groups +
           ", pads = [1, 1, 1, 1], strides = [" + stride + "]";
  };
  std::string plain = with("1, 1", "1, 1", "1");
  EXPECT_TRUE(row->applies(kernelOf(convolution())));
  const mlir::func::FuncOp others[] = {
      convolution("2x5x7x8", "2x6x7x4", with("1, 1", "1, 2", "1")),
      convolution("2x5x7x8", "2x6x5x8", with("2, 1", "1, 1", "1")),
      convolution("2x6x7x8", "2x6x7x8", with("1, 1", "1, 1", "2"), "6x3x3x3"),
      convolution("2x5x7x8", "2x6x9x6", plain, "6x5x1x5"),
      convolution("2x5x1x8", "2x6x1x8"),
      convolution("2x5x7x8", "2x6x7x8", plain, "6x5x3x3", "f16"),
      parse("%y = npu.eltwise relu(%x) : (tensor<4xf32>) -> tensor<4xf32>",
            "%x: tensor<4xf32>", "tensor<4xf32>"),
      parse("%y = npu.conv2d(%x, %w) {" + plain +
                "} : (tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) -> "
                "tensor<1x4x8x8xf32>",
            "%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>",
            "tensor<1x4x8x8xf32>"),
  };
  for (mlir::func::FuncOp other : others)
    EXPECT_FALSE(row->applies(kernelOf(other)));
}

TEST_F(AlternativesTest, WeightsThatWouldGrowTooLargeStay) {
  EXPECT_FALSE(row->applies(kernelOf(convolution(
      "1x1536x14x14", "1x1536x14x14",
      "dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]",
      "1536x1536x3x3"))));
}

TEST_F(AlternativesTest, WinogradFitsChannelsLast) {
  Operation *op = kernelOf(parse(fused, fusedArguments, "tensor<1x6x9x6xf32>"));
  auto layout = [&](StringRef text) {
    std::string error;
    return LayoutAttr::fromText(&context, text, error);
  };
  auto fits = [&](StringRef data, StringRef residual, StringRef result) {
    return row->fits(op, {layout(data), layout("abcd"), layout("a"),
                          layout(residual), layout(result)});
  };
  EXPECT_TRUE(fits("acdb", "acdb", "acdb"));
  EXPECT_TRUE(fits("cdba", "acdb", "acdb")) << "a unit dimension elsewhere";
  EXPECT_FALSE(fits("abcd", "acdb", "acdb"));
  EXPECT_FALSE(fits("acdb", "abcd", "acdb"));
  EXPECT_FALSE(fits("acdb", "acdb", "abcd"));
  EXPECT_FALSE(fits("aBcd16b", "acdb", "acdb"));
}

TEST_F(AlternativesTest, ReplacesAConvolution) {
  auto made = dyn_cast<Conv2dWinogradOp>(replaceAndCompare(convolution()));
  ASSERT_TRUE(made);
  EXPECT_EQ(made.getTile(), 4u);
  EXPECT_EQ(replacementOf(made), row);
  EXPECT_TRUE(constantOf(made.getWeight())) << "transformed at compile time";
}

TEST_F(AlternativesTest, TheOtherTileIsAnotherRow) {
  row = findAlternative("winograd2x2");
  auto made = dyn_cast<Conv2dWinogradOp>(
      replaceAndCompare(convolution("1x5x2x2", "1x6x2x2")));
  ASSERT_TRUE(made);
  EXPECT_EQ(made.getTile(), 2u);
  EXPECT_EQ(replacementOf(made), row);
}

TEST_F(AlternativesTest, ReplacesTheRootOfAFusedKernel) {
  auto made = dyn_cast<FusedOp>(
      replaceAndCompare(parse(fused, fusedArguments, "tensor<1x6x9x6xf32>")));
  ASSERT_TRUE(made);
  EXPECT_TRUE(isa<Conv2dWinogradOp>(made.getRoot()));
  EXPECT_EQ(made.getInputs().size(), 4u);
}

TEST_F(AlternativesTest, ReplacesWhereLayoutsAreSet) {
  for (const char *chip : {"npu-nhwc", "host"})
    for (const char *strategy : {"naive", "auto-nhwc"}) {
      std::string error;
      auto target = loadTarget(chip, error);
      ASSERT_TRUE(target) << error;
      mlir::func::FuncOp source =
          parse(fused, fusedArguments, "tensor<1x6x9x6xf32>");
      randomise(source);
      mlir::OwningOpRef<mlir::ModuleOp> copy(
          cast<mlir::ModuleOp>(source->getParentOp()->clone()));
      auto laidOut = *copy->getOps<mlir::func::FuncOp>().begin();
      LayoutOptions options;
      options.strategy = strategy;
      ASSERT_TRUE(succeeded(runLayoutStage(laidOut, *target, options)));
      FusedOp kernel = *laidOut.getOps<FusedOp>().begin();
      ASSERT_TRUE(row->applies(kernel));
      SmallVector<LayoutAttr> layouts;
      for (Value operand : kernel->getOperands())
        layouts.push_back(getLayout(operand));
      layouts.push_back(getLayout(kernel.getResult()));
      // Row-major stays row-major where a chip demands nothing.
      bool isChannelsLast =
          StringRef(chip) == "npu-nhwc" || StringRef(strategy) == "auto-nhwc";
      ASSERT_EQ(row->fits(kernel, layouts), isChannelsLast);
      if (!isChannelsLast)
        continue;
      OpBuilder builder(&context);
      EXPECT_EQ(row->replace(builder, kernel), kernel);
      EXPECT_TRUE(succeeded(mlir::verify(laidOut)));
      EXPECT_TRUE(succeeded(checkLayouts(laidOut, *target)));
      EXPECT_TRUE(succeeded(checkExactly(source, laidOut)));
    }
}

TEST_F(AlternativesTest, AWrongWeightIsFound) {
  mlir::func::FuncOp source =
      parse(fused, fusedArguments, "tensor<1x6x9x6xf32>");
  randomise(source);
  mlir::OwningOpRef<mlir::ModuleOp> copy(
      cast<mlir::ModuleOp>(source->getParentOp()->clone()));
  auto changed = *copy->getOps<mlir::func::FuncOp>().begin();
  OpBuilder builder(&context);
  row->replace(builder, kernelOf(changed));
  EXPECT_TRUE(succeeded(checkExactly(source, changed)));
  randomise(changed);
  context.getDiagEngine().registerHandler(
      [](mlir::Diagnostic &) { return success(); });
  EXPECT_TRUE(failed(checkExactly(source, changed)));
}

/// By hand: a multiplication at each point of each tile, for each channel and
/// filter, and the vector unit's steps there and back. A line of 4 to 4 points
/// takes 4, of 4 points to 2 results 4; of 6 to 6 points 12, of 6 to 4 12. Data
/// of 4x4 are 8 lines, of 6x6 12; results of 2x2 are 4 + 2, of 4x4 6 + 4.
TEST_F(AlternativesTest, WinogradIsWhatTheChipDoes) {
  Operation *op = kernelOf(convolution(
      "2x16x10x14", "2x32x10x14",
      "dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]",
      "32x16x3x3"));
  struct Case {
    const char *name;
    int64_t across, tiles, points;
    double there, back;
  };
  for (const Case &one : {Case{"winograd2x2", 7, 2 * 5 * 7, 16, 32, 24},
                          Case{"winograd4x4", 4, 2 * 3 * 4, 36, 144, 120}}) {
    Work work = findAlternative(one.name)->work(op);
    ASSERT_EQ(work.products.size(), 1u);
    const cost::Product &product = work.products[0];
    EXPECT_EQ(product.m, one.tiles);
    EXPECT_EQ(product.k, 16);
    EXPECT_EQ(product.n, 32);
    EXPECT_EQ(product.count, one.points);
    EXPECT_EQ(product.row, one.across);
    auto tiles = static_cast<double>(one.tiles);
    EXPECT_EQ(product.toPoints, tiles * 16 * one.there);
    EXPECT_EQ(work.elements, tiles * 32 * one.back);
    EXPECT_EQ(work.haloRows, 2);
  }
}
