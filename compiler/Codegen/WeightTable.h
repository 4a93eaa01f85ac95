// SPDX-License-Identifier: Apache-2.0
//
// The constants of a program in the order the chip stores them, one after the
// other, each once: equal bytes are one constant, whoever made them. What is
// folded for each of its readers, a transposed weight of a recurrent net for
// instance, would lie there for each of them otherwise.
#ifndef NPU_COMPILER_CODEGEN_WEIGHTTABLE_H
#define NPU_COMPILER_CODEGEN_WEIGHTTABLE_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "llvm/ADT/MapVector.h"

#include <list>
#include <unordered_map>
#include <vector>

namespace npu {

class WeightTable {
public:
  /// The offset in bytes of a constant stored with the layout of `type`;
  /// relays its elements where they are not row-major. The attribute's bytes
  /// must stay alive as long as the table.
  FailureOr<int64_t> add(Location location, ElementsAttr elements,
                         RankedTensorType type);

  /// The offset of bytes that are no tensor.
  int64_t add(StringRef bytes);

  int64_t bytes() const { return size; }
  /// The parts of the section in order, padding between them included.
  ArrayRef<ArrayRef<char>> parts() const { return chunks; }

private:
  /// The offset of the same bytes, or of these behind all others.
  int64_t append(ArrayRef<char> bytes);
  int64_t appendOwned(std::vector<char> bytes);

  /// What is there, by the hash of its bytes.
  struct Stored {
    ArrayRef<char> bytes;
    int64_t offset;
  };
  std::unordered_multimap<uint64_t, Stored> stored;
  llvm::DenseMap<std::pair<Attribute, Attribute>, int64_t> known;
  std::vector<ArrayRef<char>> chunks;
  std::list<std::vector<char>> owned;
  int64_t size = 0;
};

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_WEIGHTTABLE_H
