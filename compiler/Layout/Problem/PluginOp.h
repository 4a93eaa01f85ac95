// SPDX-License-Identifier: Apache-2.0
//
// An op as plugins see it: plain data (npuc/plugin.h).
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_PLUGINOP_H
#define NPU_COMPILER_LAYOUT_PROBLEM_PLUGINOP_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "npuc/plugin.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace npu {

class PluginOp {
public:
  /// `withData`: constants with their elements.
  PluginOp(LayoutOpInterface op, StringRef target, bool withData = false);
  ~PluginOp();
  PluginOp(const PluginOp &) = delete;
  PluginOp &operator=(const PluginOp &) = delete;

  const npuc_op *get() const { return &described; }

private:
  const char *kept(StringRef text);
  void addValues(LayoutOpInterface op, bool withData);
  void addFacts(LayoutOpInterface op);
  void addAttributes(Operation *op);
  void addParameters(CustomOp op);

  npuc_op described = {};
  std::deque<std::string> texts; // stay where they are, as those below do
  std::deque<std::vector<int64_t>> shapes, numbers;
  std::deque<std::vector<const char *>> words;
  std::deque<std::vector<char>> elements;
  std::vector<npuc_value> operands, results;
  std::vector<npuc_fact> facts;
  std::vector<npuc_attribute> attributes;
  struct Parameters;
  std::unique_ptr<Parameters> parameters; // of an op of a plugin
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_PLUGINOP_H
