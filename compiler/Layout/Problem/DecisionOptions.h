// SPDX-License-Identifier: Apache-2.0
//
// What the user may tell a strategy, and what it may tell the user.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_DECISIONOPTIONS_H
#define NPU_COMPILER_LAYOUT_PROBLEM_DECISIONOPTIONS_H

#include "compiler/Target/TargetSpec.h"
#include "npuc/plugin.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace npu {

/// --desired-layouts: for heavily sensitive ops a layout for each operand that
/// has one, in the order of `desirableRoles`.
struct DesiredLayouts {
  /// One operand's wish; none: the order that goes with the data's ("default").
  using Wish = std::optional<LayoutPattern>;

  std::map<std::string, std::vector<Wish>> byOp; // by getDemandName()

  /// Reads "conv2d:NCHW:OIHW,max_pool:NHWC"; empty with a reason in `error`
  /// where an op, a number of layouts or a layout makes no sense.
  static std::optional<DesiredLayouts> parse(StringRef text,
                                             std::string &error);
};

/// The operands of an op that desired layouts speak of, in order: data, weight
/// of a convolution; data of a pooling; a, b of a matrix product. Empty for ops
/// that follow their operands.
SmallVector<StringRef> desirableRoles(StringRef op);

/// Reads the wishes of one op: one text for each of its `desirableRoles`.
std::optional<std::vector<DesiredLayouts::Wish>>
parseWishes(StringRef op, ArrayRef<StringRef> texts, std::string &error);

/// The weight order that goes with a data order: OIHW with NCHW, HWOI with
/// NHWC, OIHW16o with NCHW16c.
LayoutPattern defaultWeight(const LayoutPattern &data);

/// A rule of whoever calls the compiler: adds one layout for each of the op's
/// `desirableRoles`, or nothing.
using CallersRule =
    std::function<void(const npuc_op &op, SmallVector<std::string> &layouts)>;

struct DecisionOptions {
  DesiredLayouts desired;
  /// For `convert` and `alter`; asked before the rules of plugins.
  CallersRule rule;
  /// For `preset`: the colour of inputs that nothing tells about.
  std::string defaultColour = "tensor";
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_DECISIONOPTIONS_H
