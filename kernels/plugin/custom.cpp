// SPDX-License-Identifier: Apache-2.0
#include "kernels/plugin/custom.h"

#include "kernels/plugin/plugin_kernel.h"
#include "kernels/registry.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <cmath>
#include <cstring>

namespace npu::kernels {

FoundOp findOp(const Problem &problem, const PluginProblem &view,
               std::string &whyNot) {
  const format::CustomOp &named = view.op();
  const std::string who = "plugin " + named.plugin + " " + named.version;
  whyNot = view.wrong();
  if (!whyNot.empty())
    return {};
  const plugin::Plugin *plugin =
      problem.plugins ? problem.plugins->find(named.plugin) : nullptr;
  if (!plugin)
    whyNot = "it needs " + who + ", which is not loaded; name it with --plugin";
  else if (plugin->version != named.version)
    whyNot = "it needs " + who + ", and version " + plugin->version +
             " is loaded; name the library of that version, or make it again "
             "with this one";
  else if (!plugin->findOp(named.op))
    whyNot = who + " has no op '" + named.op + "'";
  return whyNot.empty() ? FoundOp{plugin, plugin->findOp(named.op)} : FoundOp();
}

static std::string labelOf(const npu_plugin_op &op, const char *what) {
  return std::string("op '") + op.name + "': " + what;
}

/// Why what infer gave is no tensor; else empty.
static std::string wrongTensor(const npu_tensor_desc &tensor) {
  if (tensor.dtype < 0 || tensor.dtype >= NPU_DTYPE_COUNT)
    return "gave a result of type " + std::to_string(tensor.dtype);
  if (tensor.rank < 0 || tensor.rank > NPU_MAX_RANK)
    return "gave a result of rank " + std::to_string(tensor.rank);
  for (int d = 0; d < tensor.rank; ++d)
    if (tensor.dims[d] < 0 || tensor.dims[d] > attributeLimit)
      return "gave a result of extent " + std::to_string(tensor.dims[d]);
  return "";
}

/// Why a node with these inputs and this result is none of the op; else empty.
static std::string wrongSides(const npu_plugin_op &op,
                              const npu_plugin_problem &problem) {
  int32_t count =
      problem.n_inputs > 0 ? problem.places[problem.n_inputs - 1] + 1 : 0;
  if (count < op.min_inputs || count > op.max_inputs)
    return "it has " + std::to_string(count) + " inputs, expected " +
           std::to_string(op.min_inputs) + " to " +
           std::to_string(op.max_inputs);
  for (int32_t place = 0, given = 0; place < count; ++place)
    if (problem.places[given] == place)
      ++given;
    else if (!(op.optional_inputs >> place & 1))
      return "it leaves out input " + std::to_string(place) + ", which op '" +
             op.name + "' needs";
  if (problem.result >= op.n_results)
    return "it is result " + std::to_string(problem.result) + " of op '" +
           op.name + "', which has " + std::to_string(op.n_results);
  return "";
}

std::string inferCustom(const Problem &problem, npu_tensor_desc &result) {
  Problem bare = problem;
  bare.outputs.clear();
  bare.inPlaceInput = -1;
  for (npu_tensor_desc &input : bare.inputs) {
    int64_t offset = input.weights_offset;
    input = makeTensor(input.dtype, input.dims, input.rank);
    input.weights_offset = offset;
  }
  PluginProblem view(bare);
  std::string why;
  FoundOp found = findOp(bare, view, why);
  if (!found.op)
    return why;
  const npu_plugin_op &op = *found.op;
  if (std::string wrong = wrongSides(op, *view.get()); !wrong.empty())
    return wrong;
  npu_tensor_desc given = {};
  char reason[NPU_PLUGIN_TEXT] = {};
  std::string label = labelOf(op, "infer");
  int32_t status = callPlugin(*found.plugin, label.c_str(), [&] {
    return op.infer(view.get(), &given, reason);
  });
  if (status != 0)
    return "plugin " + found.plugin->nameAndVersion() + ": " +
           plugin::reasonOf(reason);
  if (std::string wrong = wrongTensor(given); !wrong.empty()) {
    found.plugin->blame(label + " " + wrong);
    return wrong;
  }
  result = makeTensor(given.dtype, given.dims, given.rank);
  return "";
}

/// Dimensions aligned at the right, as elementwise ops have them.
static CustomRelation alignedRelation(const Problem &problem) {
  CustomRelation relation;
  auto align = [](const npu_tensor_desc &tensor) {
    CustomRelation::Dims dims = {};
    for (int d = 0; d < tensor.rank; ++d)
      dims[static_cast<size_t>(d)] =
          static_cast<int8_t>(NPU_MAX_RANK - tensor.rank + d);
    return dims;
  };
  int64_t all = elementCount(problem.outputs[0]);
  for (const npu_tensor_desc &input : problem.inputs) {
    relation.inputs.push_back(align(input));
    relation.independent.push_back(elementCount(input) < all);
  }
  relation.result = align(problem.outputs[0]);
  return relation;
}

/// Numbers are in their range, and none stands twice in a value.
static std::string wrongDims(const CustomRelation::Dims &dims, int rank) {
  uint64_t seen = 0;
  for (int d = 0; d < rank; ++d) {
    int number = dims[static_cast<size_t>(d)];
    if (number < 0 || number >= CustomRelation::groups)
      return "gave dimension " + std::to_string(d) + " the number " +
             std::to_string(number) + ", expected 0 to 63";
    if (seen >> number & 1)
      return "gave two dimensions of a value the number " +
             std::to_string(number);
    seen |= uint64_t(1) << number;
  }
  return "";
}

/// Every dimension that a value has is one of them.
static std::string wrongRelation(const Problem &problem,
                                 const CustomRelation &relation) {
  std::string wrong = wrongDims(relation.result, problem.outputs[0].rank);
  for (size_t i = 0; i < problem.inputs.size() && wrong.empty(); ++i)
    wrong = wrongDims(relation.inputs[i], problem.inputs[i].rank);
  return wrong;
}

CustomRelation relateCustom(const Problem &problem) {
  CustomRelation relation = alignedRelation(problem);
  PluginProblem view(problem);
  std::string why;
  FoundOp found = findOp(problem, view, why);
  if (!found.op || !found.op->relate)
    return relation;
  std::vector<int8_t> independent(relation.independent.begin(),
                                  relation.independent.end());
  std::vector<CustomRelation::Dims> inputs = relation.inputs;
  npu_plugin_relation given = {};
  given.struct_size = sizeof(given);
  given.n_inputs = static_cast<int32_t>(inputs.size());
  given.inputs = reinterpret_cast<int8_t (*)[NPU_MAX_RANK]>(inputs.data());
  std::memcpy(given.result, relation.result.data(), sizeof(given.result));
  given.independent = independent.data();
  std::string label = labelOf(*found.op, "relate");
  int32_t status = callPlugin(*found.plugin, label.c_str(), [&] {
    return found.op->relate(view.get(), &given);
  });
  CustomRelation answer;
  answer.inputs = std::move(inputs);
  std::memcpy(answer.result.data(), given.result, sizeof(given.result));
  answer.independent.assign(independent.begin(), independent.end());
  std::string wrong = status != 0
                          ? "ended with status " + std::to_string(status)
                          : wrongRelation(problem, answer);
  if (wrong.empty())
    return answer;
  found.plugin->blame(label + " " + wrong);
  return relation;
}

/// One sign for each dimension, or none at all.
static bool areSigns(const char (&signs)[NPU_MAX_RANK + 1]) {
  return std::memchr(signs, 0, sizeof(signs)) &&
         std::strspn(signs, "mknc.") == std::strlen(signs);
}

static std::string wrongWork(const npu_plugin_work &work) {
  constexpr double most = 1e15;
  if (!std::isfinite(work.elements) || work.elements < 0 ||
      work.elements > most)
    return "gave " + std::to_string(work.elements) +
           " vector operations, expected a finite number from 0 to 1e15";
  if (work.m == 0 && work.k == 0 && work.n == 0 && work.count == 0 &&
      work.halo_rows == 0)
    return "";
  for (int64_t extent : {work.m, work.k, work.n, work.count})
    if (extent < 1 || extent > attributeLimit)
      return "gave a product with an extent of " + std::to_string(extent) +
             ", expected 1 to 2^40";
  if (work.halo_rows < 0 || work.halo_rows > attributeLimit)
    return "gave " + std::to_string(work.halo_rows) + " rows of halo";
  return areSigns(work.data_dims) && areSigns(work.weight_dims) &&
                 areSigns(work.result_dims)
             ? ""
             : "gave signs of dimensions other than m, k, n, c and '.'";
}

npu_plugin_work workOfCustom(const Problem &problem) {
  npu_plugin_work usual = {};
  usual.struct_size = sizeof(usual);
  usual.elements = static_cast<double>(elementCount(problem.outputs[0]));
  PluginProblem view(problem);
  std::string why;
  FoundOp found = findOp(problem, view, why);
  if (!found.op || !found.op->work)
    return usual;
  npu_plugin_work work = {};
  work.struct_size = sizeof(work);
  std::string label = labelOf(*found.op, "work");
  int32_t status = callPlugin(*found.plugin, label.c_str(), [&] {
    return found.op->work(view.get(), &work);
  });
  std::string wrong = status != 0
                          ? "ended with status " + std::to_string(status)
                          : wrongWork(work);
  if (wrong.empty() && work.m > 0 && problem.inputs.size() < 2)
    wrong = "gave a product of an op with one input";
  if (wrong.empty())
    return work;
  found.plugin->blame(label + " " + wrong);
  return usual;
}

std::string validateCustom(const Problem &problem) {
  npu_tensor_desc result = {};
  if (std::string why = inferCustom(problem, result); !why.empty())
    return why;
  if (!problem.instrs.empty())
    return "it has instructions, which an op of a plugin cannot have";
  const npu_tensor_desc &output = problem.outputs[0];
  if (output.dtype != result.dtype)
    return std::string("the output is ") + dtypeName(output.dtype) +
           ", its plugin gives " + dtypeName(result.dtype);
  if (output.rank != result.rank)
    return "the output has rank " + std::to_string(output.rank) +
           ", its plugin gives " + std::to_string(result.rank);
  return checkSameExtents("output", output, result, result.rank);
}

bool canBeInPlace(const Problem &problem, int input) {
  if (problem.op != NPU_OP_CUSTOM)
    return false;
  std::string why;
  PluginProblem view(problem);
  FoundOp found = findOp(problem, view, why);
  return found.op && found.op->in_place_input == view.get()->places[input];
}

/// The plugin's own reference, which takes rows: other orders are brought into
/// them, and its result out of them.
std::unique_ptr<Kernel> createCustomReference(const Problem &problem,
                                              std::string &whyNot) {
  FoundOp found = findOp(problem, PluginProblem(problem), whyNot);
  if (!found.op)
    return nullptr;
  Problem inside = problem;
  auto toRows = [](npu_tensor_desc &tensor) {
    npu_tensor_desc rows = makeTensor(tensor.dtype, tensor.dims, tensor.rank);
    if (sameStorage(rows, tensor))
      rows.weights_offset = tensor.weights_offset;
    else // it lies in scratch
      rows.weights_offset = -1;
    tensor = rows;
  };
  for (npu_tensor_desc &input : inside.inputs)
    toRows(input);
  toRows(inside.outputs[0]);
  std::unique_ptr<Kernel> kernel =
      createOfPlugin(*found.plugin, *found.op->reference, inside, whyNot);
  if (!kernel) {
    found.plugin->blame(labelOf(*found.op, "its reference refuses rows: ") +
                        whyNot);
    return nullptr;
  }
  return adaptTo(problem, inside, std::move(kernel));
}

} // namespace npu::kernels
