// SPDX-License-Identifier: Apache-2.0
//
// Nodes that must be refused: quantized ops, and ops that address by index.
#include "test/compiler/Frontend/ONNX/BadNode.h"

#include <map>

using namespace npu::test;
using onnx::TensorProto;

namespace {

class ByteAndIndexErrors : public testing::TestWithParam<BadNode> {};

TEST_P(ByteAndIndexErrors, IsOneErrorThatNamesTheNode) {
  expectRefused(GetParam());
}

/// Quantized operands: q is u8 1x4x6x6, k i8 8x4x3x3, z and zi a u8 and i8
/// number, s, s4 and s8 scales.
void addQuantized(ModelBuilder &m) {
  m.input("q", {1, 4, 6, 6}, TensorProto::UINT8);
  m.input("k", {8, 4, 3, 3}, TensorProto::INT8);
  m.input("z", {}, TensorProto::UINT8).input("zi", {}, TensorProto::INT8);
  m.weight("s", {}, {0.5f}).weight("s4", {4}).weight("s8", {8});
}

const BadNode quantized[] = {
    {"QuantizeScaleShape",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.node("QuantizeLinear", {"x", "s8"}, {"y"});
     },
     "found a scale or zero point of shape 8, expected one number or 4"},
    {"QuantizeZeroShape",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.node("QuantizeLinear", {"x", "s4", "z"}, {"y"});
     },
     "found a scale of shape 4 and a zero point of shape scalar"},
    {"QuantizeScaleOfManyDims",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.weight("one", {1, 1, 1, 1}, {0.5f});
       m.node("QuantizeLinear", {"x", "one"}, {"y"});
     },
     "found a scale or zero point of shape 1x1x1x1, expected one number or 4"},
    {"QuantizeScalarByManyDims",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.weight("one", {1, 1, 1, 1}, {0.5f});
       m.node("QuantizeLinear", {"s", "one"}, {"y"});
     },
     "axis"},
    {"QuantizeZeroOfManyDims",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.input("z4", {1, 1, 1, 1}, TensorProto::UINT8);
       m.node("QuantizeLinear", {"s", "s", "z4"}, {"y"});
     },
     "found a scale of shape scalar and a zero point of shape 1x1x1x1"},
    {"QuantizeOutputType",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.node("QuantizeLinear", {"x", "s", "z"}, {"y"})
           .integer("output_dtype", TensorProto::INT8);
     },
     "attribute 'output_dtype' asks for i8, but the zero point is ui8", 21},
    {"QuantizeBlocks",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.node("QuantizeLinear", {"x", "s4"}, {"y"}).integer("block_size", 2);
     },
     "found a scale or zero point of shape 4, expected 1x2x6x6 for blocks of 2",
     21},
    {"QuantizeAxis",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.node("QuantizeLinear", {"x", "s4"}, {"y"}).integer("axis", 4);
     },
     "axis 4 is out of range"},
    {"QConvScale",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.node("QLinearConv", {"q", "s4", "z", "k", "s", "zi", "s", "z"}, {"y"});
     },
     "found a scale or zero point of shape 4, expected one number"},
    {"QConvWeightScale",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.node("QLinearConv", {"q", "s", "z", "k", "s4", "zi", "s", "z"}, {"y"});
     },
     "found a scale or zero point of shape 4, expected one number or 8"},
    {"ConvIntegerRank",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.node("ConvInteger", {"q", "z"}, {"y"});
     },
     "found a weight of shape scalar, expected 1 to 3 spatial dimensions"},
    {"MatMulIntegerZero",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.input("z5", {5}, TensorProto::UINT8);
       m.node("MatMulInteger", {"q", "q", "z5"}, {"y"});
     },
     "found a scale or zero point of shape 5, expected one number or 1x4x6x1"},
    {"MatMulIntegerScalar",
     [](ModelBuilder &m) {
       addQuantized(m);
       m.node("MatMulInteger", {"z", "q"}, {"y"});
     },
     "found a scalar operand"},
};

/// y = MatMulNBits(rows, packed) of 20 x 3 weights, 4 bits each, in blocks of
/// 16; `changed` are other attributes.
static void
addBlocks(ModelBuilder &m, const Names &inputs,
          const std::vector<std::pair<std::string, int64_t>> &changed = {}) {
  m.input("rows", {2, 20}).input("short", {2, 19});
  m.input("free", {3, 2, 8}, TensorProto::UINT8).input("s", {6});
  m.weight("scales", {6}).weight("few", {5}).weight("halves", {4});
  m.ints("flat", std::vector<int64_t>(48, 7)).ints("less", {7, 7});
  m.node("Cast", {"flat"}, {"packed"}).integer("to", TensorProto::UINT8);
  m.node("Cast", {"less"}, {"lessbytes"}).integer("to", TensorProto::UINT8);
  NodeBuilder node = m.node("MatMulNBits", inputs, {"y"});
  node->set_domain("com.microsoft");
  std::map<std::string, int64_t> attributes = {
      {"K", 20}, {"N", 3}, {"bits", 4}, {"block_size", 16}};
  for (const auto &[name, value] : changed)
    attributes[name] = value;
  for (const auto &[name, value] : attributes)
    node.integer(name, value);
}

const BadNode blocks[] = {
    {"Bits",
     [](ModelBuilder &m) {
       addBlocks(m, {"rows", "packed", "scales"}, {{"bits", 3}});
     },
     "found 3 bits, expected 2, 4 or 8"},
    {"BlockSize",
     [](ModelBuilder &m) {
       addBlocks(m, {"rows", "packed", "scales"}, {{"block_size", 24}});
     },
     "found the block size 24, expected a power of 2"},
    {"SmallBlock",
     [](ModelBuilder &m) {
       addBlocks(m, {"rows", "packed", "scales"}, {{"block_size", 8}});
     },
     "attribute 'block_size' is 8"},
    {"Depth",
     [](ModelBuilder &m) { addBlocks(m, {"short", "packed", "scales"}); },
     "found a first operand of shape 2x19, expected rows of K = 20"},
    {"Weights",
     [](ModelBuilder &m) { addBlocks(m, {"rows", "lessbytes", "scales"}); },
     "found 2 bytes of weights, expected 48"},
    {"RuntimeWeights",
     [](ModelBuilder &m) { addBlocks(m, {"rows", "free", "scales"}); },
     "unsupported: takes weights that depend on the model's data, expected "
     "constants"},
    {"Scales", [](ModelBuilder &m) { addBlocks(m, {"rows", "packed", "few"}); },
     "found 5 scales, expected 6"},
    {"RuntimeScales",
     [](ModelBuilder &m) { addBlocks(m, {"rows", "packed", "s"}); },
     "unsupported: takes scales that depend on the model's data, expected "
     "constants"},
    {"ZeroBytes",
     [](ModelBuilder &m) {
       addBlocks(m, {"rows", "packed", "scales", "lessbytes"});
     },
     "found 2 bytes of zero points, expected 3"},
    {"ZeroPoints",
     [](ModelBuilder &m) {
       addBlocks(m, {"rows", "packed", "scales", "halves"});
     },
     "found 4 zero points, expected 6"},
};

const BadNode indexed[] = {
    {"GatherElementsRank",
     [](ModelBuilder &m) { m.node("GatherElements", {"x", "v"}, {"y"}); },
     "indices 4 do not fit data 1x4x6x6"},
    {"GatherElementsIndex",
     [](ModelBuilder &m) {
       m.ints("i", {0, 4});
       m.node("GatherElements", {"v", "i"}, {"y"});
     },
     "found the index 4, expected -4 to 3"},
    {"RotaryEmbeddingPlace", // two gathers fail, one error is printed
     [](ModelBuilder &m) {
       m.weight("cos", {7, 3}).weight("sin", {7, 3});
       m.ints("places", {0, 1, 2, 3, 64, 5});
       onnx::GraphProto &graph = m.graph();
       auto *places = graph.mutable_initializer(graph.initializer_size() - 1);
       places->clear_dims();
       places->add_dims(1);
       places->add_dims(6);
       m.node("RotaryEmbedding", {"x", "cos", "sin", "places"}, {"y"});
     },
     "index 64 at [0, 4] of its indices is outside: dimension 0 of the data "
     "has 7 elements, expected -7 to 6",
     23},
    {"GatherNDBatch",
     [](ModelBuilder &m) {
       m.node("GatherND", {"x", "v"}, {"y"}).integer("batch_dims", 1);
     },
     "1 batch dimensions, expected fewer than data 1x4x6x6 and indices 4"},
    {"ScatterReduction",
     [](ModelBuilder &m) {
       m.ints("i", {0});
       m.node("ScatterElements", {"v", "i", "i"}, {"y"})
           .text("reduction", "or");
     },
     "attribute 'reduction' is 'or', expected one of none, add, mul, max, min"},
    {"ScatterIndex",
     [](ModelBuilder &m) {
       m.ints("i", {-5});
       m.node("ScatterElements", {"v", "i", "i"}, {"y"});
     },
     "found the index -5, expected -4 to 3"},
    {"ScatterUpdates",
     [](ModelBuilder &m) {
       m.ints("i", {0, 1});
       m.node("ScatterND", {"v", "i", "v"}, {"y"});
     },
     "pick from 2 dimensions, expected 1 to 1"},
    {"TopKCount",
     [](ModelBuilder &m) {
       m.ints("k", {7});
       m.node("TopK", {"x", "k"}, {"y", "i"});
     },
     "asks for 7 elements of 6"},
    {"TopKCounts",
     [](ModelBuilder &m) {
       m.ints("k", {2, 3});
       m.node("TopK", {"x", "k"}, {"y", "i"});
     },
     "found 2 numbers of elements, expected 1"},
    {"CumSumAxes",
     [](ModelBuilder &m) {
       m.ints("a", {0, 1});
       m.node("CumSum", {"x", "a"}, {"y"});
     },
     "found 2 axes, expected 1"},
    {"OneHotDepth",
     [](ModelBuilder &m) {
       m.ints("d", {0}).ints("on", {0, 1});
       m.node("OneHot", {"v", "d", "on"}, {"y"});
     },
     "found a depth that is no number from 1 to 2^31"},
    {"OneHotValues",
     [](ModelBuilder &m) {
       m.ints("d", {3});
       m.node("OneHot", {"v", "d", "v"}, {"y"});
     },
     "found values of shape 4, expected 2"},
    {"TriluRank", [](ModelBuilder &m) { m.node("Trilu", {"v"}, {"y"}); },
     "found data of shape 4, expected matrices"},
    {"TriluDiagonals",
     [](ModelBuilder &m) {
       m.ints("k", {1, 2});
       m.node("Trilu", {"x", "k"}, {"y"});
     },
     "found 2 diagonals, expected 1"},
};

INSTANTIATE_TEST_SUITE_P(Quantized, ByteAndIndexErrors,
                         testing::ValuesIn(quantized), rowName);
INSTANTIATE_TEST_SUITE_P(Blocks, ByteAndIndexErrors, testing::ValuesIn(blocks),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Indexed, ByteAndIndexErrors,
                         testing::ValuesIn(indexed), rowName);

} // namespace
