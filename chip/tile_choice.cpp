// SPDX-License-Identifier: Apache-2.0
#include "chip/tile_choice.h"

#include "chip/program.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <limits>

namespace npu::chip {
namespace {

int64_t extentOf(const kernels::Problem &problem, int axis) {
  return problem.outputs.front().dims[axis];
}

/// Calls visit(rule, elements of the dimension) for what follows the axis.
template <class Visit>
void forFollowers(const kernels::Problem &problem, const TiledForm &form,
                  int axis, Visit visit) {
  for (size_t i = 0; i < form.inputs.size(); ++i)
    for (size_t d = 0; d < form.inputs[i].size(); ++d) {
      const DimRule &rule = form.inputs[i][d];
      if (rule.kind != DimRule::All && rule.axis == axis)
        visit(rule, problem.inputs[i].dims[d]);
    }
}

/// Of any tile of so many elements.
int64_t mostOf(const DimRule &rule, int64_t tile, int64_t extent,
               int64_t whole) {
  if (rule.kind == DimRule::Window && tile < extent)
    return std::min(whole, (tile - 1) * rule.stride + rule.window);
  return neededOf(rule, {0, tile}, extent, whole).span.extent;
}

class Chooser {
public:
  Chooser(const kernels::Problem &problem, const TiledForm &form,
          const std::vector<bool> &stays, int64_t slots)
      : problem(problem), form(form), stays(stays), slots(slots) {}

  /// Whether there is one.
  bool choose(int64_t capacity, TileChoice &choice) const {
    const npu_tensor_desc &result = problem.outputs.front();
    std::vector<int64_t> tile(result.dims, result.dims + result.rank);
    choice = inBestOrder(tile);
    while (choice.memory > capacity) {
      TileChoice best;
      int64_t least = std::numeric_limits<int64_t>::max();
      for (int axis = 0; axis < result.rank; ++axis) {
        TileChoice next;
        if (!cut(choice.tile, axis, next) || next.memory >= choice.memory)
          continue;
        const int64_t moved = movedBy(next);
        if (moved < least) {
          least = moved;
          best = std::move(next);
        }
      }
      if (best.tile.empty())
        return false;
      choice = std::move(best);
    }
    return true;
  }

private:
  /// Half as long along the axis, or shorter where that is not possible.
  bool cut(std::vector<int64_t> tile, int axis, TileChoice &next) const {
    const int64_t grain = form.grain[static_cast<size_t>(axis)];
    int64_t &extent = tile[static_cast<size_t>(axis)];
    while (extent > grain) {
      extent = alignedTo((extent + 1) / 2, grain);
      if (!segmentsOf(problem, form, axis, extent).empty()) {
        next = inBestOrder(tile);
        return true;
      }
      if (extent == grain)
        break;
    }
    return false;
  }

  TileChoice inBestOrder(const std::vector<int64_t> &tile) const {
    std::vector<int> order;
    for (size_t d = 0; d < tile.size(); ++d)
      if (tile[d] < extentOf(problem, static_cast<int>(d)))
        order.push_back(static_cast<int>(d));
    TileChoice best = inOrder(tile, order);
    // Of more axes not all orders are looked at.
    if (order.size() > 4)
      return best;
    while (std::next_permutation(order.begin(), order.end())) {
      TileChoice other = inOrder(tile, order);
      if (movedBy(other) < movedBy(best))
        best = std::move(other);
    }
    return best;
  }

  TileChoice inOrder(const std::vector<int64_t> &tile,
                     const std::vector<int> &order) const {
    TileChoice choice;
    choice.tile = tile;
    choice.order = order;
    for (size_t i = 0; i <= problem.inputs.size(); ++i) {
      choice.depth.push_back(depthOf(i, order));
      choice.bytes.push_back(stays[i] ? 0 : bytesOf(i, tile));
      choice.slots.push_back(choice.depth[i] > 0 ? slots : 1);
      choice.memory +=
          alignedTo(choice.bytes[i], bufferAlignment) * choice.slots[i];
    }
    return choice;
  }

  size_t depthOf(size_t operand, const std::vector<int> &order) const {
    if (operand == problem.inputs.size())
      return order.size();
    size_t depth = 0;
    for (const DimRule &rule : form.inputs[operand])
      if (rule.kind != DimRule::All)
        for (size_t place = depth; place < order.size(); ++place)
          if (order[place] == rule.axis)
            depth = place + 1;
    return depth;
  }

  int64_t bytesOf(size_t operand, const std::vector<int64_t> &tile) const {
    npu_tensor_desc tensor = operandOf(problem, operand);
    for (int d = 0; d < tensor.rank; ++d) {
      if (operand == problem.inputs.size()) {
        tensor.dims[d] = tile[static_cast<size_t>(d)];
        continue;
      }
      const DimRule &rule = form.inputs[operand][static_cast<size_t>(d)];
      if (rule.kind != DimRule::All)
        tensor.dims[d] = mostOf(rule, tile[static_cast<size_t>(rule.axis)],
                                extentOf(problem, rule.axis), tensor.dims[d]);
    }
    return kernels::storedBytes(tensor);
  }

  /// Bytes, as often as each tile comes.
  int64_t movedBy(const TileChoice &choice) const {
    int64_t sum = 0;
    for (size_t i = 0; i < choice.bytes.size(); ++i) {
      int64_t times = 1;
      for (size_t place = 0; place < choice.depth[i]; ++place) {
        const int axis = choice.order[place];
        const int64_t tile = choice.tile[static_cast<size_t>(axis)];
        times *= (extentOf(problem, axis) + tile - 1) / tile;
      }
      sum += choice.bytes[i] * times;
    }
    return sum;
  }

  const kernels::Problem &problem;
  const TiledForm &form;
  const std::vector<bool> &stays;
  int64_t slots;
};

} // namespace

std::vector<Segment> segmentsOf(const kernels::Problem &problem,
                                const TiledForm &form, int axis, int64_t tile) {
  const int64_t extent = extentOf(problem, axis);
  std::vector<Segment> segments;
  std::vector<int64_t> before, now;
  int64_t least = 1;
  for (int64_t number = 0; number * tile < extent; ++number) {
    const Span part = {number * tile, std::min(tile, extent - number * tile)};
    now.assign(1, part.extent);
    forFollowers(problem, form, axis, [&](const DimRule &rule, int64_t whole) {
      const Needed needed = neededOf(rule, part, extent, whole);
      least = std::min(least, needed.span.extent);
      now.insert(now.end(), {needed.span.extent, needed.before, needed.behind});
    });
    if (number > 0 && now == before)
      ++segments.back().trips;
    else
      segments.push_back({number, 1, part});
    std::swap(now, before);
  }
  return least > 0 ? segments : std::vector<Segment>();
}

std::string chooseTile(const kernels::Problem &problem, const TiledForm &form,
                       const std::vector<bool> &stays, int64_t capacity,
                       int64_t slots, TileChoice &choice) {
  for (; slots > 0; --slots)
    if (Chooser(problem, form, stays, slots).choose(capacity, choice))
      return "";
  return "its smallest tile needs " + std::to_string(choice.memory) +
         " bytes of on-chip memory, " + std::to_string(capacity) + " are free";
}

} // namespace npu::chip
