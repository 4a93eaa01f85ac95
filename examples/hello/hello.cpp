// SPDX-License-Identifier: Apache-2.0
//
// hello PROGRAM.npu: runs a program of one f32 input and output once.
#include <npu/npu.hpp>

#include <cstdio>
#include <vector>

static void run(const char *path) {
  npu::Model model(path);
  npu::Context context(model); // memory of one run at a time
  npu_tensor_info in = model.inputs().at(0), out = model.outputs().at(0);
  std::vector<float> x(in.row_bytes / sizeof(float), 0.5F);
  std::vector<float> y(out.row_bytes / sizeof(float));
  std::vector<npu::Buffer> inputs, outputs; // in the order of the chip
  inputs.emplace_back(in.bytes);
  outputs.emplace_back(out.bytes);
  model.storeInput(0, x.data(), in.row_bytes, inputs[0]);
  context.run(inputs, outputs);
  model.fetchOutput(0, outputs[0], y.data(), out.row_bytes);
  for (float value : y)
    std::printf("%.6g\n", double(value));
}

int main(int argc, char **argv) {
  try {
    run(argc == 2 ? argv[1] : "net.npu");
  } catch (const npu::Error &error) {
    std::fprintf(stderr, "hello: %s\n", error.what());
    return 1;
  }
}
