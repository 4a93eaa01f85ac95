// SPDX-License-Identifier: Apache-2.0
#include "chip/text.h"

#include "chip/pattern.h"
#include "files/shown_text.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

namespace npu::chip {
using files::shownName;

namespace {

class Printer {
public:
  explicit Printer(const ProgramT &program) : program(program) {}

  std::string run() {
    text = "chip program, version " + std::to_string(program.version) + "\n";
    for (const auto &region : program.regions)
      text += "  " + nameOf(*region) + ": " + std::to_string(region->bytes) +
              " bytes\n";
    for (const auto &kernel : program.kernels) {
      text += shownName(kernel->name);
      if (!kernel->node.empty())
        text += ", from " + shownName(kernel->node);
      text += "\n";
      printBuffers(static_cast<size_t>(&kernel - program.kernels.data()));
      for (uint32_t i = 0; i < kernel->count; ++i)
        print(program.commands[kernel->first + i]);
    }
    return std::move(text);
  }

private:
  void line(const std::string &words) {
    text += std::string(2 + 2 * axes.size(), ' ') + words + "\n";
  }

  /// Of those that this kernel is the first to hold.
  void printBuffers(size_t kernel) {
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      const BufferT &buffer = *program.buffers[i];
      if (buffer.first != kernel)
        continue;
      std::string words =
          "b" + std::to_string(i) + ": " + std::to_string(buffer.address) +
          ", " +
          (buffer.slots > 1 ? std::to_string(buffer.slots) + " times " : "") +
          std::to_string(buffer.slot_bytes) + " bytes, " +
          shownName(buffer.name);
      if (buffer.last != buffer.first)
        words += " until " + shownName(program.kernels[buffer.last]->name);
      line(words);
    }
  }

  /// "b3[y % 2] + 64 + 1024 x"
  std::string placeText(const PlaceT &place) const {
    std::string words;
    if (place.buffer < 0) {
      words = nameOf(*program.regions[place.region]);
    } else {
      words = "b" + std::to_string(place.buffer);
      const uint32_t slots =
          program.buffers[static_cast<size_t>(place.buffer)]->slots;
      if (slots > 1)
        words += "[(" + std::to_string(place.slot) +
                 stepsText(place.slot_steps) + ") % " + std::to_string(slots) +
                 "]";
    }
    if (place.offset != 0)
      words += " + " + std::to_string(place.offset);
    return words + stepsText(place.steps);
  }

  std::string stepsText(const std::vector<int64_t> &steps) const {
    std::string words;
    for (size_t i = 0; i < steps.size(); ++i)
      if (steps[i] != 0)
        words += (steps[i] < 0 ? " - " : " + ") +
                 (std::abs(steps[i]) == 1
                      ? ""
                      : std::to_string(std::abs(steps[i])) + " ") +
                 axes[i];
    return words;
  }

  void print(const CommandUnion &command) {
    switch (command.type) {
    case Command::Loop:
      line("loop " + shownName(command.AsLoop()->axis) + " < " +
           std::to_string(command.AsLoop()->trips));
      return axes.push_back(shownName(command.AsLoop()->axis));
    case Command::EndLoop:
      return axes.pop_back();
    case Command::Dma:
      return print(*command.AsDma());
    default:
      return print(*command.AsCompute());
    }
  }

  void print(const DmaT &dma) {
    std::string words = "dma " + placeText(*dma.source) + " -> " +
                        placeText(*dma.target) + ": ";
    for (const Level &level : dma.levels)
      words += std::to_string(level.count()) + " (" +
               std::to_string(level.source()) + ", " +
               std::to_string(level.target()) + ") x ";
    line(words + std::to_string(dma.run) + " bytes");
  }

  void print(const ComputeT &compute) {
    const kernels::Problem tile = problemOf(*program.tiles[compute.tile]);
    std::string words = nameOf(compute.engine);
    words += std::string(" ") + kernels::opName(tile.op);
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      const bool isResult = i == tile.inputs.size();
      words += (isResult ? " -> "
                : i == 0 ? " "
                         : ", ") +
               placeText(*compute.operands[i]->place) +
               (compute.operands[i]->strides.empty() ? "" : " (strided)") +
               " " + kernels::describe(operandOf(tile, i));
    }
    if (!tile.instrs.empty())
      words += ", " + std::to_string(tile.instrs.size()) +
               (tile.instrs.size() == 1 ? " instruction" : " instructions");
    line(words + paddingText(tile));
  }

  static std::string paddingText(const kernels::Problem &tile) {
    const npu_chip_window window = windowOf(tile);
    std::string words;
    bool isPadded = false;
    for (int d = 0; d < window.spatial; ++d) {
      words += " " + std::to_string(window.pads_begin[d]) + "+" +
               std::to_string(window.pads_end[d]);
      isPadded |= window.pads_begin[d] + window.pads_end[d] > 0;
    }
    return isPadded ? ", padding" + words : "";
  }

  const ProgramT &program;
  std::string text;
  std::vector<std::string> axes; // of open loops
};

} // namespace

std::string textOf(const ProgramT &program) { return Printer(program).run(); }

} // namespace npu::chip
