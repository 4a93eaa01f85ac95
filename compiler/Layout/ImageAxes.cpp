// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/ImageAxes.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;

ImageAxesAnalysis::ImageAxesAnalysis(mlir::func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    seed(&op);
  // Ends: a role is only ever added, and there are finitely many dimensions.
  // NOLINTNEXTLINE(modernize-loop-convert): the list grows in the loop.
  for (size_t next = 0; next < changed.size(); ++next) {
    Value value = changed[next];
    if (Operation *producer = value.getDefiningOp())
      propagate(producer);
    for (Operation *user : value.getUsers())
      propagate(user);
  }
}

bool ImageAxesAnalysis::assign(Value value, size_t dim, char role) {
  Partial &roles = found[value];
  if (roles.empty())
    roles.assign(tensorType(value).getRank(), 0);
  // The first answer stays: where two ops see a value differently (a model that
  // mixes orders without a Transpose) nothing can be said of more.
  if (roles[dim])
    return false;
  roles[dim] = role;
  return true;
}

void ImageAxesAnalysis::seed(Operation *op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule)
    return;
  auto take = [&](Value value, const ImageAxes &axes) {
    bool news = false;
    for (auto [dim, role] : llvm::enumerate(axes))
      news |= assign(value, dim, static_cast<char>(role));
    if (news)
      changed.push_back(value);
  };
  for (OpOperand &operand : op->getOpOperands())
    take(operand.get(), rule.getOperandAxes(operand.getOperandNumber()));
  for (OpResult result : op->getResults())
    take(result, rule.getResultAxes(result.getResultNumber()));
}

/// Every value of the op learns from every other: dimensions that are one and
/// the same factor have one and the same role.
void ImageAxesAnalysis::propagate(Operation *op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule)
    return;
  LayoutRelation relation = rule.getLayoutRelation();
  SmallVector<std::pair<Value, const LayoutRelation::Dims *>> values;
  for (OpOperand &operand : op->getOpOperands())
    values.push_back(
        {operand.get(), &relation.operands[operand.getOperandNumber()]});
  for (OpResult result : op->getResults())
    values.push_back({result, &relation.results[result.getResultNumber()]});

  SmallVector<char> roleOf(relation.sizes.size(), 0);
  for (auto &[value, dims] : values) {
    auto known = found.find(value);
    if (known == found.end())
      continue;
    for (auto [dim, factors] : llvm::enumerate(*dims))
      if (factors.size() == 1 && !roleOf[factors[0]])
        roleOf[factors[0]] = known->second[dim];
  }
  for (auto &[value, dims] : values) {
    bool news = false;
    for (auto [dim, factors] : llvm::enumerate(*dims))
      if (factors.size() == 1 && roleOf[factors[0]])
        news |= assign(value, dim, roleOf[factors[0]]);
    if (news)
      changed.push_back(value);
  }
}

/// Unit dimensions that nothing tells about get the roles that are left, in
/// their natural order: their place in memory does not matter.
ImageAxes ImageAxesAnalysis::complete(Value value, const Partial &roles) const {
  size_t rank = roles.size();
  if (rank < 3 || rank > 5)
    return {};
  std::string left = rank == 3 ? "NCW" : rank == 4 ? "NCHW" : "NCDHW";
  for (char role : roles)
    if (role) {
      size_t at = left.find(role);
      if (at == std::string::npos)
        return {};
      left.erase(at, 1);
    }
  ImageAxes axes;
  for (auto [dim, role] : llvm::enumerate(roles)) {
    char chosen = role;
    if (!role) {
      if (tensorType(value).getShape()[dim] != 1)
        return {};
      chosen = left.front();
      left.erase(0, 1);
    }
    axes.push_back(static_cast<AxisRole>(chosen));
  }
  return axes;
}

ImageAxes ImageAxesAnalysis::of(Value value) const {
  auto known = found.find(value);
  if (known == found.end())
    return {};
  ImageAxes axes;
  for (char role : known->second)
    axes.push_back(static_cast<AxisRole>(role));
  if (llvm::is_contained(axes, AxisRole::OutputChannel))
    return axes;
  return complete(value, known->second);
}

ImageAxes ImageAxesAnalysis::rolesOf(Value value) const {
  if (ImageAxes axes = of(value); !axes.empty())
    return axes;
  auto known = found.find(value);
  if (known == found.end() || llvm::is_contained(known->second, 0))
    return {};
  ImageAxes axes;
  for (char role : known->second)
    axes.push_back(static_cast<AxisRole>(role));
  return axes;
}

std::string npu::layoutName(LayoutAttr layout, const ImageAxes &axes) {
  if (!layout)
    return "undecided";
  if (static_cast<int64_t>(axes.size()) != layout.getRank() || axes.empty() ||
      llvm::is_contained(axes, static_cast<AxisRole>(0)))
    return layout.getLetters();
  std::string name;
  for (int64_t dim : layout.getOrder())
    name += static_cast<char>(axes[dim]);
  for (const LayoutBlock &block : layout.getBlocks()) {
    name += std::to_string(block.size);
    name += llvm::toLower(static_cast<char>(axes[block.dim]));
  }
  return name;
}

std::optional<SmallVector<int64_t>>
npu::channelsLastOrder(const ImageAxes &axes) {
  SmallVector<int64_t> order;
  for (AxisRole role : {AxisRole::Batch, AxisRole::Depth, AxisRole::Height,
                        AxisRole::Width, AxisRole::Channel}) {
    const AxisRole *at = llvm::find(axes, role);
    if (at != axes.end())
      order.push_back(at - axes.begin());
  }
  if (axes.empty() || order.size() != axes.size())
    return std::nullopt;
  return order;
}
