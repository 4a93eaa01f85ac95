// SPDX-License-Identifier: Apache-2.0
//
// run_cpp PROGRAM INPUT OUTPUT: runs once, on raw row-major bytes.
#include <npu/npu.hpp>

#include <fstream>
#include <iostream>
#include <iterator>

static int run(char **argv) {
  npu::Model model(argv[1]);
  npu::Context context(model);
  npu_tensor_info in = model.inputs().at(0), out = model.outputs().at(0);
  std::ifstream file(argv[2], std::ios::binary);
  std::string rows(std::istreambuf_iterator<char>(file), {});
  std::vector<npu::Buffer> x, y;
  x.emplace_back(in.bytes);
  y.emplace_back(out.bytes);
  model.storeInput(0, rows.data(), rows.size(), x[0]);
  context.run(x, y);
  std::string result(out.row_bytes, '\0');
  model.fetchOutput(0, y[0], &result[0], result.size());
  std::ofstream(argv[3], std::ios::binary) << result;
  return 0;
}

int main(int argc, char **argv) {
  try {
    return argc == 4 ? run(argv) : 2;
  } catch (const npu::Error &error) {
    std::cerr << "run_cpp: " << error.what() << '\n';
    return 1;
  }
}
