// SPDX-License-Identifier: Apache-2.0
#include "bench/compile/Chain.h"

#include "compiler/Frontend/ONNX/onnx.pb.h"

#include "llvm/Support/FormatVariadic.h"

namespace npu::bench {

static constexpr const char *image = "tensor<1x8x12x12xf32>";
static constexpr const char *weight = "tensor<8x8x1x1xf32>";

/// @main from `body`, whose last value is %x<last>.
static std::string function(const std::string &body, int last) {
  return llvm::formatv("func.func @main(%x0: {0} {{npu.name = \"x\"}, %w: {1} "
                       "{{npu.name = \"w\"}) -> ({0} {{npu.name = \"y\"}) {{\n"
                       "{2}  return %x{3} : {0}\n}\n",
                       image, weight, body, last)
      .str();
}

std::string residualChain(int ops) {
  std::string body;
  const int links = ops / 3;
  for (int i = 0; i < links; ++i)
    body += llvm::formatv(
                "  %c{0} = npu.conv2d(%x{0}, %w) {{dilations = [1, 1], groups "
                "= 1, pads = [0, 0, 0, 0], strides = [1, 1]} : ({2}, {3}) -> "
                "{2}\n"
                "  %s{0} = npu.eltwise sigmoid(%c{0}) : ({2}) -> {2}\n"
                "  %x{1} = npu.eltwise add(%s{0}, %x{0}) : ({2}, {2}) -> {2}\n",
                i, i + 1, image, weight)
                .str();
  return function(body, links);
}

std::string eltwiseChain(int ops) {
  const char *names[] = {"relu", "sigmoid", "neg"};
  std::string body;
  for (int i = 0; i < ops; ++i)
    body += llvm::formatv("  %x{1} = npu.eltwise {3}(%x{0}) : ({2}) -> {2}\n",
                          i, i + 1, image, names[i % 3])
                .str();
  return function(body, ops);
}

static void addShape(onnx::ValueInfoProto *value, const char *name) {
  value->set_name(name);
  auto *type = value->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (int64_t extent : {1, 8, 12, 12})
    type->mutable_shape()->add_dim()->set_dim_value(extent);
}

std::string onnxChain(int ops) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("chain");
  addShape(graph.add_input(), "x0");
  onnx::TensorProto &weight = *graph.add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t extent : {8, 8, 1, 1})
    weight.add_dims(extent);
  for (int i = 0; i < 64; ++i)
    weight.add_float_data(0.01F * static_cast<float>(i));
  auto add = [&](const char *op, const std::string &result,
                 std::initializer_list<std::string> operands) {
    onnx::NodeProto &node = *graph.add_node();
    node.set_op_type(op);
    node.set_name(result);
    node.add_output(result);
    for (const std::string &operand : operands)
      node.add_input(operand);
  };
  const int links = ops / 3;
  for (int i = 0; i < links; ++i) {
    const std::string here = std::to_string(i);
    add("Conv", "c" + here, {"x" + here, "w"});
    add("Sigmoid", "s" + here, {"c" + here});
    add("Add", "x" + std::to_string(i + 1), {"s" + here, "x" + here});
  }
  addShape(graph.add_output(), ("x" + std::to_string(links)).c_str());
  return model.SerializeAsString();
}

} // namespace npu::bench
