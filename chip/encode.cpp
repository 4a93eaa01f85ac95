// SPDX-License-Identifier: Apache-2.0
//
// Apart from reading, which is all that a runtime needs.
#include "chip/table.h"

namespace npu::chip {

std::string encode(const ProgramT &program) {
  flatbuffers::FlatBufferBuilder builder;
  FinishProgramBuffer(builder, Program::Pack(builder, &program));
  return {reinterpret_cast<const char *>(builder.GetBufferPointer()),
          builder.GetSize()};
}

} // namespace npu::chip
