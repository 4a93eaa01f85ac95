// SPDX-License-Identifier: Apache-2.0
//
// A plugin's kernels and ops as the kernel library has them, without a
// compiler; the bytes of an op.
#include "plugin/Plugin.h"
#include "format/custom_op.h"
#include "kernels/kernel.h"
#include "kernels/plugin/custom.h"
#include "kernels/tensor.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

using namespace npu;
using namespace npu::kernels;

namespace {

const plugin::Use *demoFor(const std::string &target) {
  std::string error;
  const plugin::Plugin *demo = plugin::load(PLUGINS "/demo.so", error);
  EXPECT_TRUE(demo) << error;
  return plugin::use({demo}, target);
}

npu_tensor_desc rows(std::initializer_list<int64_t> dims) {
  return makeTensor(NPU_F32, dims.begin(), static_cast<int>(dims.size()));
}

npu_tensor_desc ordered(npu_tensor_desc tensor,
                        std::initializer_list<int8_t> order) {
  std::copy(order.begin(), order.end(), tensor.order);
  return tensor;
}

/// Channels in blocks of 16.
npu_tensor_desc blocked(npu_tensor_desc tensor) {
  tensor.block_count = 1;
  tensor.block_dims[0] = 1;
  tensor.block_sizes[0] = 16;
  return tensor;
}

Problem convolution(const std::string &target) {
  Problem problem;
  problem.op = NPU_OP_CONV;
  problem.inputs = {rows({1, 3, 6, 6}), rows({4, 3, 3, 3})};
  problem.inputs[1].weights_offset = 0;
  problem.outputs = {rows({1, 4, 6, 6})};
  npu_conv_attrs &conv = problem.attrs.conv;
  conv.groups = 1;
  for (int d = 0; d < 2; ++d)
    conv.strides[d] = conv.dilations[d] = conv.pads_begin[d] =
        conv.pads_end[d] = 1;
  problem.threads = 2;
  problem.plugins = demoFor(target);
  return problem;
}

/// An op of demo's, of these inputs; the result is what the plugin says.
Problem custom(const std::string &op, std::vector<npu_tensor_desc> inputs,
               std::vector<format::CustomAttribute> attributes = {}) {
  Problem problem;
  problem.op = NPU_OP_CUSTOM;
  problem.custom =
      format::encodeCustomOp({"demo", "1.0", op, std::move(attributes), 0, {}});
  problem.inputs = std::move(inputs);
  problem.plugins = demoFor("npu-nhwc");
  problem.outputs.resize(1);
  EXPECT_EQ(inferCustom(problem, problem.outputs[0]), "");
  return problem;
}

format::CustomAttribute ints(const std::string &name,
                             std::vector<int64_t> values) {
  format::CustomAttribute attribute;
  attribute.name = name;
  attribute.ints = std::move(values);
  return attribute;
}

struct Aligned {
  explicit Aligned(size_t bytes) : bytes(bytes) {
    data.reset(
        static_cast<char *>(std::aligned_alloc(64, (bytes + 64) / 64 * 64)));
    std::memset(data.get(), 0x5a, bytes);
  }
  float *floats() { return reinterpret_cast<float *>(data.get()); }
  size_t bytes;
  std::unique_ptr<char, decltype(&std::free)> data{nullptr, &std::free};
};

/// Runs it on 0, 1, 2, ... in logical order; the result in rows.
std::vector<float> results(const Problem &problem) {
  auto kernel = create(problem);
  if (!kernel)
    return {};
  std::vector<Aligned> memory;
  std::vector<void *> operands;
  std::vector<const void *> constants;
  auto relay = [](const npu_tensor_desc &from, const npu_tensor_desc &to,
                  void *source, void *target) {
    Problem move;
    move.op = NPU_OP_RELAYOUT;
    move.inputs = {from};
    move.outputs = {to};
    void *pair[] = {source, target};
    auto mover = create(move);
    Aligned scratch(mover->scratchBytes());
    EXPECT_EQ(mover->run(pair, scratch.data.get()), 0);
  };
  memory.reserve(problem.inputs.size() + 1);
  for (const npu_tensor_desc &input : problem.inputs) {
    npu_tensor_desc plain = makeTensor(input.dtype, input.dims, input.rank);
    Aligned logical(static_cast<size_t>(storedBytes(plain)));
    std::iota(logical.floats(), logical.floats() + elementCount(plain), 0.0F);
    memory.emplace_back(static_cast<size_t>(storedBytes(input)));
    relay(plain, input, logical.data.get(), memory.back().data.get());
    operands.push_back(memory.back().data.get());
    constants.push_back(input.weights_offset < 0 ? nullptr : operands.back());
  }
  const npu_tensor_desc &output = problem.outputs[0];
  memory.emplace_back(static_cast<size_t>(storedBytes(output)));
  operands.push_back(memory.back().data.get());
  kernel->pack(constants.data());
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    if (problem.isConstant(i) && kernel->isPacked(i))
      std::memset(operands[i], 0x7f, memory[i].bytes); // nobody reads it
  Aligned scratch(kernel->scratchBytes());
  EXPECT_EQ(kernel->run(operands.data(), scratch.data.get()), 0);
  npu_tensor_desc plain = makeTensor(output.dtype, output.dims, output.rank);
  std::vector<float> values(static_cast<size_t>(elementCount(plain)));
  relay(output, plain, operands.back(), values.data());
  // Lanes that pad blocks: what is stored is the result and zeros.
  float stored = 0, logical = 0;
  for (size_t i = 0; i < memory.back().bytes / sizeof(float); ++i)
    stored += std::abs(memory.back().floats()[i]);
  for (float value : values)
    logical += std::abs(value);
  EXPECT_NEAR(stored, logical, 1e-3F * logical);
  return values;
}

} // namespace

TEST(PluginKernel, StandsBeforeOursForItsTargets) {
  Problem problem = convolution("npu-nchw");
  Answer answer = query(problem);
  EXPECT_EQ(answer.implementation, "demo:rows");
  ASSERT_TRUE(answer.plugin);
  EXPECT_EQ(answer.plugin->nameAndVersion(), "demo 1.0");
  PluginAnswer priced = queryPlugins(problem);
  EXPECT_EQ(priced.implementation, "demo:rows");
  EXPECT_EQ(priced.cycles, 4321);

  Problem elsewhere = convolution("npu-nhwc");
  EXPECT_FALSE(query(elsewhere).plugin);
  EXPECT_EQ(queryPlugins(elsewhere).implementation, "");
  std::vector<float> theirs = results(problem), ours = results(elsewhere);
  ASSERT_EQ(theirs.size(), ours.size());
  for (size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(theirs[i], ours[i], 1e-5F * std::abs(ours[i])) << i;
}

TEST(PluginKernel, SaysWhyItRefuses) {
  Problem problem = convolution("npu-nchw");
  for (npu_tensor_desc *tensor : {&problem.inputs[0], &problem.outputs[0]})
    *tensor = ordered(*tensor, {0, 2, 3, 1});
  Answer answer = query(problem);
  EXPECT_FALSE(answer.plugin);
  EXPECT_NE(answer.refusals.find("demo:rows: not f32 in rows"),
            std::string::npos)
      << answer.refusals;
}

TEST(PluginOp, ReferenceTakesAnyLayout) {
  std::vector<npu_tensor_desc> orders = {
      rows({1, 20, 4, 4}), ordered(rows({1, 20, 4, 4}), {0, 2, 3, 1}),
      blocked(rows({1, 20, 4, 4}))};
  for (const npu_tensor_desc &in : orders)
    for (const npu_tensor_desc &out : orders) {
      Problem problem = custom("bump", {in});
      problem.outputs[0] = out;
      EXPECT_EQ(validate(problem), "");
      std::vector<float> values = results(problem);
      ASSERT_EQ(values.size(), 320U);
      for (size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(values[i], static_cast<float>(i) + 1);
    }
}

TEST(PluginOp, OwnKernelsGoFirst) {
  Problem problem = custom("halve", {rows({1, 8, 4, 4})});
  EXPECT_EQ(query(problem).implementation, "adapter+demo:halve");
  std::vector<float> plain = results(problem);
  for (npu_tensor_desc *tensor : {&problem.inputs[0], &problem.outputs[0]})
    *tensor = ordered(*tensor, {0, 2, 3, 1});
  EXPECT_EQ(query(problem).implementation, "demo:halve_last");
  EXPECT_EQ(results(problem), plain);
  EXPECT_EQ(plain[0], (0 + 1 + 4 + 5) / 4.0F);
}

TEST(PluginOp, SaysWhatItIs) {
  Problem problem =
      custom("scale", {rows({2, 3, 5}), rows({5})}, {ints("axis", {2})});
  EXPECT_EQ(describe(problem.outputs[0]), describe(rows({2, 3, 5})));
  CustomRelation relation = relateCustom(problem);
  EXPECT_EQ(relation.inputs[1][0], relation.result[2]);
  EXPECT_TRUE(relation.independent[1]);
  EXPECT_FALSE(relation.independent[0]);
  EXPECT_EQ(workOfCustom(problem).elements, 30);
  Problem halve = custom("halve", {rows({1, 8, 4, 4})});
  EXPECT_EQ(workOfCustom(halve).elements, 4 * 8 * 2 * 2);
}

TEST(PluginOp, IsValidated) {
  Problem good = custom("bump", {rows({2, 3})});
  EXPECT_EQ(validate(good), "");
  auto why = [&](auto change) {
    Problem bad = good;
    change(bad);
    return validate(bad);
  };
  EXPECT_NE(why([](Problem &p) { p.plugins = nullptr; }).find("demo 1.0"),
            std::string::npos);
  EXPECT_NE(why([](Problem &p) { p.custom.pop_back(); }), "");
  EXPECT_NE(why([](Problem &p) { p.outputs[0] = rows({3, 2}); }), "");
  EXPECT_NE(why([](Problem &p) { p.outputs[0].dtype = NPU_I32; }), "");
  EXPECT_NE(why([](Problem &p) { p.inputs.push_back(p.inputs[0]); }), "");
  EXPECT_NE(why([](Problem &p) { p.inputs[0].dtype = NPU_I8; }), "");
  EXPECT_NE(why([](Problem &p) { p.instrs.resize(1); }), "");
  EXPECT_EQ(why([](Problem &p) { p.inPlaceInput = 0; }), "");
}

TEST(CustomOp, IsTheSameFromItsBytes) {
  format::CustomOp op = {"acme", "1.2", "rope", {ints("axes", {1, -2})},
                         1,      {0, 2}};
  format::CustomAttribute floats;
  floats.name = "base";
  floats.kind = format::CustomAttribute::Kind::Floats;
  floats.floats = {1.5F};
  format::CustomAttribute words;
  words.name = "mode";
  words.kind = format::CustomAttribute::Kind::Strings;
  words.strings = {"a", ""};
  format::CustomAttribute tensors;
  tensors.name = "table";
  tensors.kind = format::CustomAttribute::Kind::Tensors;
  tensors.tensors = {{NPU_I8, {3}, {1, 2, 3}}, {NPU_F32, {}, {0, 0, 0, 0}}};
  op.attributes.push_back(floats);
  op.attributes.push_back(words);
  op.attributes.push_back(tensors);
  std::string bytes = format::encodeCustomOp(op);
  format::CustomOp read;
  EXPECT_EQ(format::decodeCustomOp(bytes, read), "");
  EXPECT_EQ(format::encodeCustomOp(read), bytes);
  EXPECT_EQ(read.attributes[2].strings, words.strings);
  EXPECT_EQ(read.attributes[3].tensors[0].data, tensors.tensors[0].data);
  EXPECT_EQ(read.output, 1);
  EXPECT_EQ(read.places, op.places);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(format::decodeCustomOp(bytes.substr(0, size), read), "") << size;
  EXPECT_EQ(format::decodeCustomOp(bytes + "x", read),
            "its op has 1 bytes too many");
  std::swap(op.attributes[0], op.attributes[1]);
  EXPECT_NE(format::decodeCustomOp(format::encodeCustomOp(op), read)
                .find("expected them sorted"),
            std::string::npos);
}

TEST(CustomOp, WrongBytesAreRefused) {
  format::CustomOp good = {"acme", "1.2", "rope", {}, 0, {}};
  auto why = [&](auto change) {
    format::CustomOp op = good, read;
    change(op);
    return format::decodeCustomOp(format::encodeCustomOp(op), read);
  };
  auto table = [](format::CustomTensor tensor) {
    return [=](format::CustomOp &op) {
      format::CustomAttribute attribute;
      attribute.name = "table";
      attribute.kind = format::CustomAttribute::Kind::Tensors;
      attribute.tensors = {tensor};
      op.attributes = {attribute};
    };
  };
  EXPECT_EQ(why(table({NPU_I8, {2, 3}, {}})), "");
  EXPECT_EQ(why(table({99, {}, {}})),
            "a tensor among its attributes has type 99 and rank 0");
  EXPECT_EQ(why(table({NPU_I8, std::vector<int64_t>(9, 1), {}})),
            "a tensor among its attributes has type 3 and rank 9");
  EXPECT_EQ(why([](auto &op) { op.output = 16; }),
            "its op is result 16 of a node, expected less than 16");
  for (std::vector<int32_t> places : {std::vector<int32_t>{1, 0}, {2, 2}, {16}})
    EXPECT_NE(why([&](auto &op) {
                op.places = places;
              }).find("expected them sorted, each less than 16"),
              std::string::npos);
  // Without result and inputs, as they were before those were written.
  std::string bytes = format::encodeCustomOp(good);
  format::CustomOp read;
  EXPECT_EQ(format::decodeCustomOp(bytes.substr(0, bytes.size() - 16), read),
            "an older npuc made its op; compile the model again");
}

TEST(PluginOp, ChecksTensorsResultsAndInputs) {
  format::CustomAttribute table;
  table.name = "table";
  table.kind = format::CustomAttribute::Kind::Tensors;
  table.tensors = {{NPU_F32, {2}, std::vector<char>(8)}};
  auto why = [&](auto change, size_t inputs) {
    format::CustomOp op = {"demo", "1.0", "pick", {table}, 0, {}};
    change(op);
    Problem problem;
    problem.op = NPU_OP_CUSTOM;
    problem.custom = format::encodeCustomOp(op);
    problem.inputs.assign(inputs, rows({2, 3}));
    problem.plugins = demoFor("npu-nhwc");
    npu_tensor_desc result = {};
    return inferCustom(problem, result);
  };
  auto nothing = [](auto &) {};
  EXPECT_EQ(why(nothing, 1), "");
  EXPECT_EQ(why(nothing, 3), "");
  EXPECT_EQ(why([](auto &op) { op.places = {0, 2}; }, 2), "");
  EXPECT_EQ(why(nothing, 4), "it has 4 inputs, expected 1 to 3");
  EXPECT_EQ(why([](auto &op) { op.places = {0, 2}; }, 1),
            "its op says of 2 operands which inputs they are, and has 1");
  EXPECT_EQ(why([](auto &op) { op.places = {1, 2}; }, 2),
            "it leaves out input 0, which op 'pick' needs");
  EXPECT_EQ(why([](auto &op) { op.places = {0, 3}; }, 2),
            "it has 4 inputs, expected 1 to 3");
  EXPECT_EQ(why([](auto &op) { op.output = 2; }, 1),
            "it is result 2 of op 'pick', which has 2");
  auto tensor = [&](std::vector<int64_t> dims) {
    return why([&](auto &op) { op.attributes[0].tensors[0].dims = dims; }, 1);
  };
  EXPECT_EQ(tensor({3}),
            "a tensor of attribute 'table' has 8 bytes, expected 12");
  EXPECT_EQ(tensor({-1}), "a tensor of attribute 'table' has an extent of -1");
  EXPECT_EQ(tensor({int64_t(1) << 40, int64_t(1) << 40}),
            "a tensor of attribute 'table' has an extent of 1099511627776");
}
