// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Api/Compile.h"

#include <gtest/gtest.h>

namespace npu::test {

const char *const module = R"(
func.func @main(%x: tensor<1x8x6x6xf32> {npu.name = "in"})
    -> (tensor<1x4x4x3xf32> {npu.name = "out"}) {
  %w = npu.constant dense<0.5> : tensor<3x8x3x3xf32> -> tensor<3x8x3x3xf32>
  %b = npu.constant dense<1.0> : tensor<3xf32> -> tensor<3xf32>
  %0 = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1,
                                pads = [0, 0, 0, 0], strides = [1, 1]}
    : (tensor<1x8x6x6xf32>, tensor<3x8x3x3xf32>, tensor<3xf32>)
      -> tensor<1x3x4x4xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 3, 1]}
    : (tensor<1x3x4x4xf32>) -> tensor<1x4x4x3xf32>
  return %1 : tensor<1x4x4x3xf32>
}
)";

Request::Request(const std::string &text, const char *name) : npuc_request{} {
  struct_size = sizeof(npuc_request);
  model = name;
  model_data = text.data();
  model_bytes = text.size();
}

Compilation::Compilation(const Words &words) {
  EXPECT_EQ(npuc_options_create(&options, &status), NPUC_OK);
  for (const auto &[name, value] : words)
    EXPECT_EQ(npuc_options_set(options, name.c_str(), value.c_str(), &status),
              NPUC_OK)
        << status.message;
}

Compilation::~Compilation() {
  npuc_compilation_free(compilation);
  npuc_options_free(options);
}

npuc_code Compilation::create(npuc_request request) {
  request.user = this;
  request.on_message = [](void *user, const npuc_message *message) {
    auto *self = static_cast<Compilation *>(user);
    self->shown.emplace_back(message->shown);
    self->nodes.emplace_back(message->node);
    self->files.emplace_back(message->file);
  };
  request.on_step = [](void *user, const char *step) {
    static_cast<Compilation *>(user)->steps.emplace_back(step);
  };
  return npuc_compilation_create(options, &request, &compilation, &status);
}

npuc_code Compilation::run(npuc_stage last) {
  return npuc_compilation_run(compilation, last, &status);
}

std::string Compilation::text(npuc_text what) {
  const char *text = nullptr;
  uint64_t bytes = 0;
  if (npuc_compilation_text(compilation, what, &text, &bytes, &status))
    return "!" + message();
  return {text, bytes};
}

std::string Compilation::output() {
  const void *data = nullptr;
  uint64_t bytes = 0;
  if (npuc_compilation_output(compilation, &data, &bytes, &status))
    return "!" + message();
  return {static_cast<const char *>(data), bytes};
}

} // namespace npu::test
