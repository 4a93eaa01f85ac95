// SPDX-License-Identifier: Apache-2.0
//
// Nodes that must be refused: one row for each check of the op builders.
#include "test/compiler/Frontend/ONNX/BadNode.h"

#include <climits>

using namespace npu::test;
using onnx::TensorProto;

namespace {

class OpErrors : public testing::TestWithParam<BadNode> {};

TEST_P(OpErrors, IsOneErrorThatNamesTheNode) { expectRefused(GetParam()); }

const BadNode attributes[] = {
    {"WrongType",
     [](ModelBuilder &m) {
       m.node("LeakyRelu", {"x"}, {"y"}).integer("alpha", 1);
     },
     "attribute 'alpha' is of type INT, expected FLOAT"},
    {"UnknownAttribute",
     [](ModelBuilder &m) { m.node("Relu", {"x"}, {"y"}).integer("alpha", 1); },
     "has the attribute 'alpha', which Relu does not have"},
    {"OutOfRange",
     [](ModelBuilder &m) {
       m.node("ReduceMean", {"x"}, {"y"}).integer("keepdims", 2);
     },
     "attribute 'keepdims' is 2, expected 0 to 1"},
    {"UnknownWord",
     [](ModelBuilder &m) {
       m.node("Gelu", {"x"}, {"y"}).text("approximate", "fast");
     },
     "attribute 'approximate' is 'fast', expected one of none, tanh", 20},
    {"AxisOutOfRange",
     [](ModelBuilder &m) {
       m.node("Softmax", {"x"}, {"y"}).integer("axis", 4);
     },
     "axis 4 is out of range, expected -4 to 3"},
    {"AxisTwice",
     [](ModelBuilder &m) {
       m.node("ReduceMean", {"x"}, {"y"}).integers("axes", {1, -3});
     },
     "axis -3 is named twice"},
};

const BadNode dataDependent[] = {
    {"Reshape", [](ModelBuilder &m) { m.node("Reshape", {"x", "v"}, {"y"}); },
     "unsupported: takes shape from 'v', which depends on the model's data"},
    {"Expand", [](ModelBuilder &m) { m.node("Expand", {"x", "v"}, {"y"}); },
     "unsupported: takes the shape from 'v'"},
    {"Tile", [](ModelBuilder &m) { m.node("Tile", {"x", "v"}, {"y"}); },
     "unsupported: takes the repeats from 'v'"},
    {"Behind",
     [](ModelBuilder &m) {
       m.node("Neg", {"v"}, {"negative"});
       m.node("Reshape", {"x", "negative"}, {"y"});
     },
     "unsupported: takes shape from 'negative', which depends"},
    {"If",
     [](ModelBuilder &m) {
       m.input("c", {1}, TensorProto::BOOL);
       ModelBuilder one, other;
       one.output("x");
       other.output("v");
       m.node("If", {"c"}, {"y"})
           .graph("then_branch", one.graph())
           .graph("else_branch", other.graph());
     },
     "unsupported: has a condition that depends on the model's data, and "
     "cannot compute both branches: the branches give 1x4x6x6 of f32 and 4 of "
     "i64; it is computed from 'c', which can be made constant: use "
     "--bind-input=c=FILE.npy"},
    {"OfSeveralNumbers",
     [](ModelBuilder &m) {
       m.input("u", {4}, TensorProto::INT64);
       m.node("Max", {"v", "u"}, {"both"});
       m.node("Reshape", {"x", "both"}, {"y"});
     },
     "unsupported: takes shape from 'both', which depends on the model's data, "
     "expected a constant; it is computed from 'v', 'u', which can be made "
     "constant: use "
     "--bind-input=v=FILE.npy --bind-input=u=FILE.npy"},
    {"OfData",
     [](ModelBuilder &m) {
       m.node("Flatten", {"x"}, {"flat"});
       m.node("ReduceMax", {"flat"}, {"most"}).integer("keepdims", 0);
       m.node("Cast", {"most"}, {"whole"})
           .integer("to", onnx::TensorProto::INT64);
       m.node("Mul", {"whole", "v"}, {"sizes"});
       m.node("Reshape", {"x", "sizes"}, {"y"});
     },
     "unsupported: takes shape from 'sizes', which depends on the model's "
     "data, expected a constant; the network's steps or shapes depend on what "
     "is in 'x': cut the model before this node, or put a constant in the "
     "place of what it reads"},
};

const BadNode elementwise[] = {
    {"NoBroadcast",
     [](ModelBuilder &m) {
       m.weight("b", {5});
       m.node("Add", {"x", "b"}, {"y"});
     },
     "shapes 1x4x6x6, 5 do not broadcast"},
    {"OldAxis",
     [](ModelBuilder &m) {
       m.weight("b", {4});
       m.node("Add", {"x", "b"}, {"y"})
           .integer("broadcast", 1)
           .integer("axis", 4);
     },
     "axis 4 is out of range", 6},
    {"OldAxisDoesNotFit",
     [](ModelBuilder &m) {
       m.weight("b", {6, 6});
       m.node("Add", {"x", "b"}, {"y"})
           .integer("broadcast", 1)
           .integer("axis", 3);
     },
     "does not fit the first, 1x4x6x6", 6},
    {"CastToDouble",
     [](ModelBuilder &m) { m.node("Cast", {"x"}, {"y"}).integer("to", 11); },
     "unsupported: the result has the element type double"},
    {"BitCastWidth",
     [](ModelBuilder &m) {
       m.node("BitCast", {"x"}, {"y"}).integer("to", TensorProto::INT64);
     },
     "found the bits of f32 as i64, expected a type of the same width", 26},
    {"OldCastName",
     [](ModelBuilder &m) { m.node("Cast", {"x"}, {"y"}).text("to", "REAL"); },
     "attribute 'to' is 'REAL'", 5},
    {"Slope",
     [](ModelBuilder &m) {
       m.weight("s", {2, 4, 6, 6}).node("PRelu", {"x", "s"}, {"y"});
     },
     "found a slope of shape 2x4x6x6, expected one that broadcasts to the "
     "data, 1x4x6x6"},
    {"CeluOfZero",
     [](ModelBuilder &m) { m.node("Celu", {"x"}, {"y"}).number("alpha", 0); },
     "attribute 'alpha' is 0"},
};

const BadNode convolution[] = {
    {"Rank",
     [](ModelBuilder &m) {
       m.weight("flat", {8, 4});
       m.node("Conv", {"x", "flat"}, {"y"});
     },
     "found a weight of shape 8x4"},
    {"Channels",
     [](ModelBuilder &m) {
       m.weight("k", {8, 3, 3, 3});
       m.node("Conv", {"x", "k"}, {"y"});
     },
     "must have 4 input channels in each group"},
    {"Groups",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"}).integer("group", 3);
     },
     "groups = 3 must divide the 4 input channels"},
    {"NoGroups",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"}).integer("group", 0);
     },
     "attribute 'group' is 0, expected 1 to 2147483647"},
    {"Bias",
     [](ModelBuilder &m) {
       m.weight("b", {4});
       m.node("Conv", {"x", "w", "b"}, {"y"});
     },
     "found a bias of shape 4, expected 8"},
    {"KernelShape",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"}).integers("kernel_shape", {3, 2});
     },
     "attribute 'kernel_shape' is 3x2, expected 3x3"},
    {"NegativePads",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"}).integers("pads", {0, 0, -1, 0});
     },
     "attribute 'pads' has the entry -1, expected 0 or more"},
    {"TooManyPads",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"}).integers("pads", {0, 0, 0});
     },
     "attribute 'pads' has 3 entries, expected 4"},
    {"ZeroStride",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"}).integers("strides", {0, 1});
     },
     "attribute 'strides' has the entry 0"},
    {"HugeDilation",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"}).integers("dilations", {LLONG_MAX, 1});
     },
     "unsupported: attribute 'dilations' has the entry 9223372036854775807"},
    {"WindowDoesNotFit",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"}).integers("dilations", {3, 3});
     },
     "a window of extent 7 does not fit the padded extent 6"},
    {"AutoPad",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"}).text("auto_pad", "SAME");
     },
     "attribute 'auto_pad' is 'SAME'"},
    {"AutoPadAndPads",
     [](ModelBuilder &m) {
       m.node("Conv", {"x", "w"}, {"y"})
           .text("auto_pad", "VALID")
           .integers("pads", {0, 0, 0, 0});
     },
     "attribute 'auto_pad' is 'VALID', expected NOTSET beside 'pads'"},
    {"TransposedAutoPadAndPads",
     [](ModelBuilder &m) {
       m.weight("t", {4, 2, 3, 3});
       m.node("ConvTranspose", {"x", "t"}, {"y"})
           .text("auto_pad", "SAME_UPPER")
           .integers("pads", {1, 1, 1, 1});
     },
     "attribute 'auto_pad' is 'SAME_UPPER', expected NOTSET beside 'pads'"},
    {"TransposedWeight",
     [](ModelBuilder &m) {
       m.node("ConvTranspose", {"x", "w"}, {"y"}).integer("group", 3);
     },
     "expected (C, M / group, kernel)"},
    {"OutputPadding",
     [](ModelBuilder &m) {
       m.weight("t", {4, 2, 3, 3});
       m.node("ConvTranspose", {"x", "t"}, {"y"})
           .integers("output_padding", {1, 0});
     },
     "attribute 'output_padding' has the entry 1, expected less than stride"},
    {"OutputShape",
     [](ModelBuilder &m) {
       m.weight("t", {4, 2, 3, 3});
       m.node("ConvTranspose", {"x", "t"}, {"y"}).integers("output_shape", {8});
     },
     "attributes 'output_padding' and 'output_shape' must have 2 entries"},
    {"NegativeOutputShape",
     [](ModelBuilder &m) {
       m.weight("t", {4, 2, 3, 3});
       m.node("ConvTranspose", {"x", "t"}, {"y"})
           .integers("output_shape", {8, INT64_MIN});
     },
     "attribute 'output_shape' has the entry -9223372036854775808"},
};

const BadNode poolAndMatrix[] = {
    {"PoolRank",
     [](ModelBuilder &m) {
       m.weight("f", {4}).node("GlobalAveragePool", {"f"}, {"y"});
     },
     "found data of shape 4, expected N, C and spatial dimensions"},
    {"PoolSpatial",
     [](ModelBuilder &m) {
       m.input("wide", {1, 2, 3, 3, 3, 3});
       m.node("GlobalAveragePool", {"wide"}, {"y"});
     },
     "unsupported: found data of shape 1x2x3x3x3x3, expected at most 3 "
     "spatial dimensions"},
    {"UnpoolIndices",
     [](ModelBuilder &m) {
       m.node("MaxPool", {"x"}, {"p", "i"}).integers("kernel_shape", {2, 2});
       m.node("MaxUnpool", {"x", "i"}, {"y"}).integers("kernel_shape", {2, 2});
     },
     "found indices of shape 1x4x5x5, expected 1x4x6x6, the data's", 11},
    {"UnpoolPads",
     [](ModelBuilder &m) {
       m.node("MaxPool", {"x"}, {"p", "i"}).integers("kernel_shape", {6, 6});
       m.node("MaxUnpool", {"p", "i"}, {"y"})
           .integers("kernel_shape", {2, 2})
           .integers("pads", {1, 1, 1, 1});
     },
     "pads leave nothing of spatial dimension 0", 11},
    {"UnpoolShape",
     [](ModelBuilder &m) {
       m.node("MaxPool", {"x"}, {"p", "i"}).integers("kernel_shape", {2, 2});
       m.node("Shape", {"p"}, {"s"});
       m.node("MaxUnpool", {"p", "i", "s"}, {"y"})
           .integers("kernel_shape", {2, 2});
     },
     "found the output shape 1x4x5x5, expected 1x4x6x6", 11},
    {"GemmRank", [](ModelBuilder &m) { m.node("Gemm", {"x", "w"}, {"y"}); },
     "expected matrices"},
    {"GemmBias",
     [](ModelBuilder &m) {
       m.weight("a", {1, 4}).weight("b", {4, 5}).weight("c", {3, 5});
       m.node("Gemm", {"a", "b", "c"}, {"y"}).number("beta", 0);
     },
     "found a bias of shape 3x5, expected one that broadcasts to the product, "
     "1x5"},
    {"GemmBiasRank",
     [](ModelBuilder &m) {
       m.weight("a", {3, 4}).weight("b", {4, 5}).weight("c", {1, 3, 5});
       m.node("Gemm", {"a", "b", "c"}, {"y"});
     },
     "found a bias of shape 1x3x5"},
    {"MatMulExtents",
     [](ModelBuilder &m) {
       m.weight("k", {5, 2});
       m.node("MatMul", {"x", "k"}, {"y"});
     },
     "inner extents differ: 1x4x6x6 times 5x2"},
    {"MatMulScalar",
     [](ModelBuilder &m) {
       m.weight("k", {});
       m.node("MatMul", {"x", "k"}, {"y"});
     },
     "found a scalar operand"},
    {"SoftmaxOfScalar",
     [](ModelBuilder &m) {
       m.weight("k", {});
       m.node("Softmax", {"k"}, {"y"});
     },
     "found a scalar"},
};

const BadNode views[] = {
    {"ReshapeCount",
     [](ModelBuilder &m) {
       m.ints("s", {5, 5});
       m.node("Reshape", {"x", "s"}, {"y"});
     },
     "cannot reshape 1x4x6x6 to 5x5"},
    {"ReshapeDivides",
     [](ModelBuilder &m) {
       m.ints("s", {5, -1});
       m.node("Reshape", {"x", "s"}, {"y"});
     },
     "the number of elements does not divide"},
    {"ReshapeTwoOpen",
     [](ModelBuilder &m) {
       m.ints("s", {-1, -1});
       m.node("Reshape", {"x", "s"}, {"y"});
     },
     "expected extents and at most one -1"},
    {"ReshapeCopies",
     [](ModelBuilder &m) {
       m.ints("s", {1, 4, 6, 6, 0});
       m.node("Reshape", {"x", "s"}, {"y"});
     },
     "copies dimension 4, which the input 1x4x6x6 does not have"},
    {"ReshapeOverflow",
     [](ModelBuilder &m) {
       m.ints("s", {LLONG_MAX, LLONG_MAX});
       m.node("Reshape", {"x", "s"}, {"y"});
     },
     "overflows"},
    {"ReshapeRank",
     [](ModelBuilder &m) {
       m.number("s", -1).node("Reshape", {"x", "s"}, {"y"});
     },
     "found a shape of rank 0, expected a vector"},
    {"ReshapeNothing", [](ModelBuilder &m) { m.node("Reshape", {"x"}, {"y"}); },
     "has no shape", 4},
    {"Flatten",
     [](ModelBuilder &m) {
       m.node("Flatten", {"x"}, {"y"}).integer("axis", 5);
     },
     "attribute 'axis' is 5, expected -4 to 4"},
    {"Squeeze",
     [](ModelBuilder &m) {
       m.ints("a", {1});
       m.node("Squeeze", {"x", "a"}, {"y"});
     },
     "cannot squeeze dimension 1 of 1x4x6x6"},
    {"Transpose",
     [](ModelBuilder &m) {
       m.node("Transpose", {"x"}, {"y"}).integers("perm", {0, 1, 1, 2});
     },
     "the permutation must name each of 0..3 once, found [0, 1, 1, 2]"},
    {"Blocksize",
     [](ModelBuilder &m) {
       m.node("DepthToSpace", {"x"}, {"y"}).integer("blocksize", 3);
     },
     "expected a multiple of the squared block, 9"},
    {"SpaceToDepth",
     [](ModelBuilder &m) {
       m.node("SpaceToDepth", {"x"}, {"y"}).integer("blocksize", 4);
     },
     "found 6x6 pixels, expected multiples of the block, 4"},
    {"TrainingDropout",
     [](ModelBuilder &m) {
       m.weight("r", {}).number("t", 1);
       m.graph().mutable_initializer(2)->set_data_type(TensorProto::BOOL);
       m.graph().mutable_initializer(2)->clear_int64_data();
       m.graph().mutable_initializer(2)->add_int32_data(1);
       m.node("Dropout", {"x", "r", "t"}, {"y"});
     },
     "unsupported: runs in training mode"},
};

const BadNode data[] = {
    {"ConcatShapes",
     [](ModelBuilder &m) {
       m.node("Concat", {"x", "w"}, {"y"}).integer("axis", 1);
     },
     "shapes 1x4x6x6 and 8x4x3x3 differ beside axis 1"},
    {"SplitSum",
     [](ModelBuilder &m) {
       m.ints("s", {1, 2});
       m.node("Split", {"x", "s"}, {"y", "z"}).integer("axis", 1);
     },
     "found the split 1x2, expected 2 extents with the sum 4"},
    {"SplitOverflow",
     [](ModelBuilder &m) {
       m.ints("s", {LLONG_MAX, LLONG_MAX});
       m.node("Split", {"x", "s"}, {"y", "z"}).integer("axis", 1);
     },
     "expected 2 extents with the sum 4"},
    {"SplitOutputs",
     [](ModelBuilder &m) {
       m.node("Split", {"x"}, {"y", "z"}).integer("num_outputs", 1);
     },
     "attribute 'num_outputs' is 1, expected 2, the number of results", 18},
    {"SplitMoreOutputs",
     [](ModelBuilder &m) {
       m.node("Split", {"x"}, {"y", "z"}).integer("num_outputs", 3);
     },
     "unsupported: attribute 'num_outputs' is 3, expected 2, the number of "
     "results",
     18},
    {"SplitNothing",
     [](ModelBuilder &m) { m.node("Split", {"x"}, {"y", "z"}); },
     "has neither sizes nor num_outputs, expected one of them", 18},
    {"SplitUneven",
     [](ModelBuilder &m) {
       m.node("Split", {"x"}, {"y", "z", "u"}).integer("axis", 1);
     },
     "splits 4 elements into 3 parts, expected equal ones at this opset", 13},
    {"SliceCounts",
     [](ModelBuilder &m) {
       m.ints("s", {0}).ints("e", {1, 2});
       m.node("Slice", {"x", "s", "e"}, {"y"});
     },
     "has 1 starts, 2 ends, 1 axes and 1 steps"},
    {"SliceStep",
     [](ModelBuilder &m) {
       m.ints("s", {0}).ints("e", {1}).ints("a", {1}).ints("t", {0});
       m.node("Slice", {"x", "s", "e", "a", "t"}, {"y"});
     },
     "found the step 0"},
    {"PadCount",
     [](ModelBuilder &m) {
       m.ints("p", {1, 1});
       m.node("Pad", {"x", "p"}, {"y"});
     },
     "found 2 pads, expected 8"},
    {"PadCrops",
     [](ModelBuilder &m) {
       m.ints("p", {0, -5, 0, 0, 0, 0, 0, 0});
       m.node("Pad", {"x", "p"}, {"y"});
     },
     "pads crop more than the extent 4 of dimension 1"},
    {"PadReflect",
     [](ModelBuilder &m) {
       m.ints("p", {0, 4, 0, 0, 0, 0, 0, 0});
       m.node("Pad", {"x", "p"}, {"y"}).text("mode", "reflect");
     },
     "unsupported: reflects 4 elements of dimension 1"},
    {"PadReflectCropped",
     [](ModelBuilder &m) {
       m.ints("p", {0, 0, 0, 5, 0, 0, 0, -1});
       m.node("Pad", {"x", "p"}, {"y"}).text("mode", "reflect");
     },
     "unsupported: reflects 5 elements of dimension 3, expected less than its "
     "5"},
    {"PadWrapNothing",
     [](ModelBuilder &m) {
       m.ints("p", {0, 0, 0, 2, 0, 0, 0, -6});
       m.node("Pad", {"x", "p"}, {"y"}).text("mode", "wrap");
     },
     "mode 'wrap' cannot add 2 elements to an extent of 0", 19},
    {"PadValue",
     [](ModelBuilder &m) {
       m.ints("p", Shape(8, 1)).weight("n", {2});
       m.node("Pad", {"x", "p", "n"}, {"y"});
     },
     "found 2 padding values"},
    {"GatherIndex",
     [](ModelBuilder &m) {
       m.ints("i", {-5});
       m.node("Gather", {"x", "i"}, {"y"}).integer("axis", 1);
     },
     "found the index -5, expected -4 to 3"},
    {"Expand",
     [](ModelBuilder &m) {
       m.ints("s", {3, 1, 1, 1});
       m.node("Expand", {"w", "s"}, {"y"});
     },
     "shapes 8x4x3x3, 3x1x1x1 do not broadcast"},
    {"ExpandNegative",
     [](ModelBuilder &m) {
       m.ints("s", {-3, 1, 1, 1, 1});
       m.node("Expand", {"x", "s"}, {"y"});
     },
     "negative extent -3"},
    {"TileCount",
     [](ModelBuilder &m) {
       m.ints("s", {2});
       m.node("Tile", {"x", "s"}, {"y"});
     },
     "found 1 repeats, expected 4"},
    {"TileNegative",
     [](ModelBuilder &m) {
       m.ints("s", {1, 1, 1, -2});
       m.node("Tile", {"x", "s"}, {"y"});
     },
     "found -2 repeats"},
};

const BadNode others[] = {
    {"ConstantWithoutValue",
     [](ModelBuilder &m) { m.node("Constant", {}, {"y"}); }, "has no value"},
    {"ConstantOfString",
     [](ModelBuilder &m) {
       m.node("Constant", {}, {"y"}).text("value_string", "a");
     },
     "unsupported: attribute 'value_string' is not supported"},
    {"ConstantOfShape",
     [](ModelBuilder &m) {
       m.ints("s", {-2});
       m.node("ConstantOfShape", {"s"}, {"y"});
     },
     "negative extent -2"},
    {"RangeDelta",
     [](ModelBuilder &m) {
       m.number("a", 0).number("b", 5).number("c", 0);
       m.node("Range", {"a", "b", "c"}, {"y"});
     },
     "found a range with a delta of 0"},
    {"RangeLength",
     [](ModelBuilder &m) {
       m.number("a", LLONG_MIN).number("b", LLONG_MAX).number("c", 1);
       m.node("Range", {"a", "b", "c"}, {"y"});
     },
     "unsupported: takes at least 4611686018427387904 bytes of constants"},
    {"ResizeNothing", [](ModelBuilder &m) { m.node("Resize", {"x"}, {"y"}); },
     "has neither scales nor sizes"},
    {"ResizeTwice",
     [](ModelBuilder &m) {
       m.weight("s", {4}, {1, 1, 2, 2}).ints("z", {1, 4, 12, 12});
       m.node("Resize", {"x", "", "s", "z"}, {"y"});
     },
     "has both scales and sizes, expected one of them"},
    {"ResizeScales",
     [](ModelBuilder &m) {
       m.weight("s", {2}, {1, 1});
       m.node("Resize", {"x", "", "s"}, {"y"});
     },
     "found 2 scales, expected 4"},
    {"ResizeNegative",
     [](ModelBuilder &m) {
       m.weight("s", {4}, {1, 1, -2, 2});
       m.node("Resize", {"x", "", "s"}, {"y"});
     },
     "found the scale -2"},
    {"ResizeSize",
     [](ModelBuilder &m) {
       m.ints("s", {1, 4, 0, 6});
       m.node("Resize", {"x", "", "", "s"}, {"y"});
     },
     "found the size 0"},
    {"ResizeSizeTooLarge",
     [](ModelBuilder &m) {
       m.ints("s", {1, 4, int64_t(1) << 32, 6});
       m.node("Resize", {"x", "", "", "s"}, {"y"});
     },
     "unsupported: found the size 4294967296"},
    {"ResizeOfNothing",
     [](ModelBuilder &m) {
       m.input("none", {1, 4, 0, 6}).ints("s", {1, 4, 2, 6});
       m.node("Resize", {"none", "", "", "s"}, {"y"});
     },
     "found the size 2 for a dimension without elements"},
    {"ResizeScaleTooLarge",
     [](ModelBuilder &m) {
       m.weight("s", {4}, {1, 1, 1e9f, 2});
       m.node("Resize", {"x", "", "s"}, {"y"});
     },
     "unsupported: found the scale 1000000000.000000 for extent 6"},
    {"ResizeMode",
     [](ModelBuilder &m) {
       m.weight("s", {4}, {1, 1, 2, 2});
       m.node("Resize", {"x", "", "s"}, {"y"})
           .text("coordinate_transformation_mode", "half");
     },
     "is 'half', expected one of half_pixel"},
    {"ResizeRegion",
     [](ModelBuilder &m) {
       m.weight("s", {4}, {1, 1, 2, 2}).weight("r", {4});
       m.node("Resize", {"x", "r", "s"}, {"y"})
           .text("coordinate_transformation_mode", "tf_crop_and_resize");
     },
     "found a region of 4 numbers, expected 8"},
    {"BatchNormTraining",
     [](ModelBuilder &m) {
       m.weight("p", {4});
       m.node("BatchNormalization", {"x", "p", "p", "p", "p"}, {"y", "mean"});
     },
     "unsupported: runs in training mode", 13},
    {"BatchNormRunningMean",
     [](ModelBuilder &m) {
       m.weight("p", {4}).weight("few", {3});
       m.node("BatchNormalization", {"x", "p", "p", "few", "p"},
              {"y", "mean", "variance"})
           .integer("training_mode", 1);
     },
     "found a parameter of shape 3, expected 4, the number of channels"},
    {"BatchNormResults",
     [](ModelBuilder &m) {
       m.weight("p", {4});
       m.node("BatchNormalization", {"x", "p", "p", "p", "p"}, {"y", "mean"})
           .integer("training_mode", 1);
     },
     "lacks the mean or the variance"},
    {"BatchNormInferenceResults",
     [](ModelBuilder &m) {
       m.weight("p", {4});
       m.node("BatchNormalization", {"x", "p", "p", "p", "p"}, {"y", "mean"});
     },
     "gives the mean or the variance"},
    {"BatchNormChannels",
     [](ModelBuilder &m) {
       m.weight("p", {3});
       m.node("BatchNormalization", {"x", "p", "p", "p", "p"}, {"y"});
     },
     "found a parameter of shape 3, expected 4, the number of channels"},
    {"BatchNormSpatial",
     [](ModelBuilder &m) {
       m.weight("p", {4});
       m.node("BatchNormalization", {"x", "p", "p", "p", "p"}, {"y"})
           .integer("spatial", 0);
     },
     "unsupported: attribute 'spatial' is 0", 7},
    {"GroupNormScale",
     [](ModelBuilder &m) {
       m.weight("p", {4});
       m.node("GroupNormalization", {"x", "p", "p"}, {"y"})
           .integer("num_groups", 2);
     },
     "found a parameter of shape 4, expected 2, the number of groups", 18},
    {"GlobalLpNorm",
     [](ModelBuilder &m) {
       m.node("GlobalLpPool", {"x"}, {"y"}).integer("p", 0);
     },
     "attribute 'p' is 0.000000, expected a positive number"},
    {"GroupNorm",
     [](ModelBuilder &m) {
       m.weight("p", {4});
       m.node("GroupNormalization", {"x", "p", "p"}, {"y"})
           .integer("num_groups", 3);
     },
     "num_groups = 3, expected N, channels that the groups divide", 21},
    {"LayerNormScale",
     [](ModelBuilder &m) {
       m.weight("p", {3, 1});
       m.node("LayerNormalization", {"x", "p"}, {"y"});
     },
     "scale or bias of shape 3x1 does not broadcast", 17},
};

INSTANTIATE_TEST_SUITE_P(Attributes, OpErrors, testing::ValuesIn(attributes),
                         rowName);
INSTANTIATE_TEST_SUITE_P(DataDependent, OpErrors,
                         testing::ValuesIn(dataDependent), rowName);
INSTANTIATE_TEST_SUITE_P(Elementwise, OpErrors, testing::ValuesIn(elementwise),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Convolution, OpErrors, testing::ValuesIn(convolution),
                         rowName);
INSTANTIATE_TEST_SUITE_P(PoolAndMatrix, OpErrors,
                         testing::ValuesIn(poolAndMatrix), rowName);
INSTANTIATE_TEST_SUITE_P(Views, OpErrors, testing::ValuesIn(views), rowName);
INSTANTIATE_TEST_SUITE_P(Data, OpErrors, testing::ValuesIn(data), rowName);
INSTANTIATE_TEST_SUITE_P(Others, OpErrors, testing::ValuesIn(others), rowName);

} // namespace
