// SPDX-License-Identifier: Apache-2.0
//
// Every number of a .npu file's tables and manifest set to others, with a
// checksum that fits: refused at load, or the same result.

#include "npu/npu.hpp"
#include "test/runtime/DemoFile.h"
#include "test/runtime/Reference.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace npu::test {
namespace {

using Json = nlohmann::ordered_json;
using Floats = std::vector<float>;

Floats runFile(const std::string &path) {
  npu_load_options options = {};
  options.threads = 1;
  Model model(path, options);
  Context context(model);
  std::vector<Buffer> inputs, outputs;
  for (const npu_tensor_info &info : model.inputs()) {
    inputs.emplace_back(info.bytes);
    if (info.bytes == 3 * 32 * 32 * sizeof(float))
      fillInput(inputs.back().as<float>(), 3 * 32 * 32, 1);
  }
  for (const npu_tensor_info &info : model.outputs())
    outputs.emplace_back(info.bytes);
  context.run(inputs, outputs);
  const Buffer &result = outputs.at(0);
  return {result.as<float>(),
          result.as<float>() + result.bytes() / sizeof(float)};
}

/// The result, or nothing and the sentence with which the file was refused.
Floats tryFile(const std::string &path, std::string &refused) {
  refused.clear();
  try {
    return runFile(path);
  } catch (const Error &error) {
    refused = error.what();
    EXPECT_NE(error.code(), NPU_INTERNAL) << refused;
    return {};
  }
}

/// A sentence of the loader, or of memory that nobody has.
bool isSentence(const std::string &refused) {
  return refused.find("compile it again") != std::string::npos ||
         refused.find("not enough memory") != std::string::npos;
}

class Tables : public testing::Test {
protected:
  void SetUp() override { want = runFile(demo.seal("good.npu")); }

  /// Sets `bytes` of the number at `place` to each value. Where `exact`, a file
  /// that loads must compute the same.
  template <class T>
  void mutate(T *place, bool exact, const std::string &what) {
    const T old = *place;
    for (int64_t value :
         {int64_t(0), int64_t(1), int64_t(-1), int64_t(2), int64_t(7),
          int64_t(64), int64_t(old) + 1, int64_t(old) - 1, int64_t(old) * 2,
          int64_t(4096), int64_t(INT32_MAX), int64_t(INT32_MIN),
          int64_t(1) << 45, INT64_MAX, INT64_MIN}) {
      *place = static_cast<T>(value);
      if (*place != old)
        check(exact, what + " = " + std::to_string(value));
    }
    *place = old;
  }

  void check(bool exact, const std::string &what) {
    ++tried;
    std::string refused;
    Floats found = tryFile(demo.sealQuickly("mutated.npu"), refused);
    if (!refused.empty())
      EXPECT_TRUE(isSentence(refused)) << what << ": " << refused;
    else if (exact)
      EXPECT_EQ(found, want) << what;
  }

  void mutateTensor(npu_tensor_desc &tensor, const std::string &row) {
    for (int i = 0; i < NPU_MAX_RANK; ++i) {
      mutate(&tensor.dims[i], true, row + ".dims");
      mutate(&tensor.order[i], true, row + ".order");
    }
    mutate(&tensor.dtype, true, row + ".dtype");
    mutate(&tensor.rank, true, row + ".rank");
    mutate(&tensor.block_count, true, row + ".block_count");
    mutate(&tensor.weights_offset, true, row + ".weights_offset");
    // They count once there is a block; and of the same size they are another
    // order of the same weights.
    for (int8_t count : {0, 1, 2}) {
      tensor.block_count = count;
      for (int i = 0; i < NPU_MAX_BLOCKS; ++i) {
        mutate(&tensor.block_sizes[i], false, row + ".block_sizes");
        mutate(&tensor.block_dims[i], false, row + ".block_dims");
      }
    }
    tensor.block_count = 0;
  }

  DemoFile demo{"conv"};
  Floats want;
  int tried = 0;
};

TEST_F(Tables, Root) {
  npu_program &root = demo.program();
  mutate(&root.version, true, "version");
  mutate(&root.size, true, "size");
  mutate(&root.n_kernels, true, "n_kernels");
  mutate(&root.n_makers, true, "n_makers");
  mutate(&root.n_attrs, true, "n_attrs");
  mutate(&root.n_tensors, true, "n_tensors");
  mutate(&root.n_instrs, true, "n_instrs");
  mutate(&root.n_inputs, true, "n_inputs");
  mutate(&root.n_outputs, true, "n_outputs");
  mutate(&root.n_states, true, "n_states");
  mutate(&root.weight_bytes, true, "weight_bytes");
  mutate(&root.arena_bytes, true, "arena_bytes");
  EXPECT_GT(tried, 100);
}

/// Root and manifest agree on a number that is wrong.
TEST_F(Tables, RootWithAManifestThatFits) {
  npu_program &root = demo.program();
  auto both = [&](uint64_t *place, uint64_t &told, const char *what) {
    const uint64_t old = *place;
    for (uint64_t value :
         {uint64_t(0), uint64_t(1), uint64_t(64), old - 64, old - 1, old + 1,
          old + 64, old * 2, uint64_t(1) << 40, UINT64_MAX}) {
      *place = told = value;
      check(true, what + std::string(" = ") + std::to_string(value));
    }
    *place = told = old;
  };
  both(&root.arena_bytes, demo.manifest.arenaBytes, "arena");
  both(&root.weight_bytes, demo.manifest.weightBytes, "weights");

  std::string refused;
  root.arena_bytes = demo.manifest.arenaBytes = 0;
  tryFile(demo.sealQuickly("mutated.npu"), refused);
  EXPECT_NE(refused.find("kernel 0: its operand 2 has 65536 bytes at offset 0 "
                         "of the arena, which has 0"),
            std::string::npos)
      << refused;
}

TEST_F(Tables, FewerRowsWithAManifestThatFits) {
  npu_program &root = demo.program();
  auto kernels = demo.manifest.kernels;
  for (uint32_t count : {0u, 1u}) {
    root.n_kernels = count;
    demo.manifest.kernels.resize(count);
    check(true, "kernels");
  }
  root.n_kernels = 2;
  demo.manifest.kernels = kernels;
  auto inputs = demo.manifest.inputs, outputs = demo.manifest.outputs;
  root.n_inputs = 0;
  demo.manifest.inputs.clear();
  check(true, "inputs");
  root.n_inputs = 1;
  demo.manifest.inputs = inputs;
  root.n_outputs = 0;
  demo.manifest.outputs.clear();
  std::string refused;
  tryFile(demo.sealQuickly("mutated.npu"), refused);
  EXPECT_NE(refused.find("kernel 1: its operand 1 lies neither in the arena"),
            std::string::npos)
      << refused;
}

TEST_F(Tables, Tensors) {
  for (uint32_t i = 0; i < demo.program().n_tensors; ++i)
    mutateTensor(demo.tensors()[i], "tensor " + std::to_string(i));
  EXPECT_GT(tried, 1000);
}

/// The manifest and the size follow, so that nothing contradicts itself.
TEST_F(Tables, InputsAndOutputs) {
  auto shrink = [&](npu_io_desc *row, format::ManifestTensor &told) {
    mutate(&row->bytes, true, "io bytes");
    for (int dim = 0; dim < 4; ++dim)
      for (int64_t extent : {0, 1, 2, 31, 64}) {
        npu_io_desc old = *row;
        std::vector<int64_t> shape = told.shape;
        row->tensor.dims[dim] = told.shape[dim] = extent;
        row->bytes = sizeof(float);
        for (int64_t each : told.shape)
          row->bytes *= static_cast<uint64_t>(each);
        if (row->bytes != old.bytes)
          check(true, "io dims");
        *row = old;
        told.shape = shape;
      }
  };
  shrink(demo.inputs(), demo.manifest.inputs[0]);
  shrink(demo.outputs(), demo.manifest.outputs[0]);
  EXPECT_GT(tried, 40);
}

TEST_F(Tables, Kernels) {
  for (uint32_t i = 0; i < demo.program().n_kernels; ++i) {
    npu_kernel_desc &row = demo.kernels()[i];
    std::string name = "kernel " + std::to_string(i);
    mutate(&row.flags, true, name + ".flags");
    mutate(&row.n_inputs, true, name + ".n_inputs");
    mutate(&row.n_outputs, true, name + ".n_outputs");
    mutate(&row.first_tensor, true, name + ".first_tensor");
    mutate(&row.n_instrs, false, name + ".n_instrs");
    mutate(&row.first_instr, false, name + ".first_instr");
    mutate(&row.in_place_input, true, name + ".in_place_input");
    // What is computed, not how large it is: another result, or refused.
    mutate(&row.op, false, name + ".op");
    mutate(&row.attrs, false, name + ".attrs");
    for (int64_t &attribute : demo.attrs()[row.attrs].raw)
      mutate(&attribute, false, name + ".attrs");
  }
  npu_instr &instr = demo.instrs()[0];
  for (int16_t *place : {&instr.kind, &instr.a, &instr.b, &instr.c})
    mutate(place, false, "instruction");
  mutate(&instr.dtype, false, "instruction.dtype");
  EXPECT_GT(tried, 500);
}

/// Every number in the manifest, and every one that is missing a piece.
void walk(Json &node, const std::string &path,
          const std::function<void(Json &, const std::string &)> &visit) {
  if (node.is_number() || node.is_boolean())
    visit(node, path);
  if (!node.is_structured())
    return;
  for (auto &[key, value] : node.items())
    walk(value, path + "/" + key, visit);
}

TEST_F(Tables, Manifest) {
  Json manifest = Json::parse(format::printManifest(demo.manifest));
  const Json values[] = {0,
                         1,
                         2,
                         -1,
                         0.5,
                         65536,
                         INT32_MAX,
                         INT64_MAX,
                         INT64_MIN,
                         UINT64_MAX,
                         1e12,
                         1e15,
                         1e-300,
                         1e300,
                         true,
                         "x",
                         nullptr,
                         Json::array(),
                         Json::object()};
  walk(manifest, "", [&](Json &node, const std::string &path) {
    const Json old = node;
    for (const Json &value : values) {
      node = value;
      ++tried;
      std::string file = demo.sealQuickly("mutated.npu", manifest.dump(1));
      std::string refused;
      Floats found = tryFile(file, refused);
      if (refused.empty())
        EXPECT_EQ(found, want) << path << " = " << value;
      else
        EXPECT_TRUE(isSentence(refused)) << path << ": " << refused;
      // The chip's time is computed from these numbers alone.
      npu_load_options options = {};
      options.simulate_only = 1;
      npu_model *model = nullptr;
      npu_model_load(file.c_str(), &options, &model, nullptr);
      npu_model_free(model);
    }
    node = old;
  });
  EXPECT_GT(tried, 1000);
}

} // namespace
} // namespace npu::test
