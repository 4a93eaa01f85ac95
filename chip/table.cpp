// SPDX-License-Identifier: Apache-2.0
#include "chip/table.h"

#include "chip/verify.h"

namespace npu::chip {

namespace {

/// Bytes of all vectors, each as often as something points at it. No table of
/// ours has anything twice, so that it is no larger in memory than its file
/// says.
class Weight {
public:
  int64_t bytes = 0;
  /// FlatBuffers' verifier does not look where a vector's elements begin.
  bool isAligned = true;

  void add(const Program &program) {
    each(program.buffers(), [&](const Buffer &one) { add(one.name()); });
    each(program.kernels(), [&](const Kernel &one) {
      add(one.name());
      add(one.node());
    });
    each(program.tiles(), [&](const Tile &tile) {
      add(tile.attributes());
      for (const auto *tensors : {tile.inputs(), tile.outputs()})
        each(tensors, [&](const Tensor &one) {
          add(one.extents());
          add(one.order());
          add(one.block_dims());
          add(one.block_sizes());
        });
    });
    for (unsigned i = 0; program.commands() && i < program.commands()->size();
         ++i)
      addCommand(program, i);
  }

private:
  template <class Vector, class Use>
  static void each(const Vector *tables, Use use) {
    for (unsigned i = 0; tables && i < tables->size(); ++i)
      use(*tables->Get(i));
  }
  template <class Vector>
  void add(const Vector *vector) {
    if (!vector)
      return;
    bytes += vector->size() * sizeof(*vector->data());
    isAligned &=
        reinterpret_cast<uintptr_t>(vector->Data()) % sizeof(*vector->data()) ==
        0;
  }
  void add(const Place *place) {
    add(place->steps());
    add(place->slot_steps());
  }
  void addCommand(const Program &program, unsigned i) {
    const void *command = program.commands()->Get(i);
    switch (program.commands_type()->GetEnum<Command>(i)) {
    case Command::Loop:
      return add(static_cast<const Loop *>(command)->axis());
    case Command::Dma: {
      const auto *dma = static_cast<const Dma *>(command);
      add(dma->source());
      add(dma->target());
      return add(dma->levels());
    }
    case Command::Compute:
      return each(static_cast<const Compute *>(command)->operands(),
                  [&](const Operand &one) {
                    add(one.place());
                    add(one.strides());
                  });
    default:
      return;
    }
  }
};

} // namespace

std::string decode(const std::string &bytes, ProgramT &out) {
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  flatbuffers::Verifier verifier(
      data, bytes.size(), /*max_depth=*/16,
      /*max_tables=*/static_cast<flatbuffers::uoffset_t>(bytes.size() / 8));
  const std::string noTable = "its " + std::to_string(bytes.size()) +
                              " bytes are no table of docs/chip-program.fbs";
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE || bytes.size() < 8 ||
      !VerifyProgramBuffer(verifier))
    return noTable;
  const Program *root = GetProgram(data);
  // What a newer version means by a field is unknown here.
  if (root->version() != programVersion)
    return "it has version " + std::to_string(root->version()) +
           ", but this runtime reads version " + std::to_string(programVersion);
  Weight weight;
  weight.add(*root);
  if (!weight.isAligned || weight.bytes > static_cast<int64_t>(bytes.size()))
    return noTable;
  root->UnPackTo(&out);
  return verify(out);
}

} // namespace npu::chip
