// SPDX-License-Identifier: Apache-2.0
//
// The constants of a program in the order the chip stores them, one after the
// other, each once: equal bytes are one constant, whoever made them. What is
// folded for each of its readers, a transposed weight of a recurrent net for
// instance, would lie there for each of them otherwise.
//
// What a smaller constant gives exactly is not stored but made of that one when
// the program is loaded: elements that are repeated, numbers that a narrower
// type or four bits hold, such numbers times the scale of their channel, and
// Winograd's weights.
#ifndef NPU_COMPILER_CODEGEN_WEIGHTTABLE_H
#define NPU_COMPILER_CODEGEN_WEIGHTTABLE_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "kernels/kernel.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <list>
#include <set>
#include <unordered_map>
#include <vector>

namespace npu {

class WeightTable {
public:
  /// An offset in bytes into what is stored, or into what is made of it.
  struct Place {
    int64_t offset = 0;
    bool isMade = false;
  };

  /// Where a constant lies with the layout of its type; relays its elements
  /// where they are not row-major. The attributes' bytes must stay alive as
  /// long as the table.
  FailureOr<Place> add(ConstantOp constant);

  /// The offset of elements as this type stores them, which nothing makes at
  /// load; their bytes must stay alive, too.
  FailureOr<int64_t> add(Location location, RankedTensorType type,
                         ElementsAttr elements);

  /// The offset of bytes that are no tensor.
  int64_t add(StringRef bytes);

  int64_t bytes() const { return size; }
  /// What kernels read, as a chip's memory holds it: what is made in place of
  /// what it is made of.
  int64_t bytesInMemory() const { return size - sourceBytes + madeBytes; }
  int64_t madeSize() const { return madeBytes; }
  /// The parts of the section in order, padding between them included.
  ArrayRef<ArrayRef<char>> parts() const { return chunks; }

  /// Where what is made begins, as offsets of tensors count.
  int64_t madeBegin() const;
  /// What makes it, one behind the other, once nothing is added any more.
  std::vector<kernels::Problem> makers() const;

private:
  FailureOr<Place> place(ConstantOp constant);
  FailureOr<Place> addWinograd(ConstantOp constant);
  /// Of elements that repeat the first of them, or that a narrower type holds:
  /// these, and the cast.
  std::optional<Place> addSmaller(const npu_tensor_desc &target,
                                  ArrayRef<char> bytes);
  /// Of i8 that four bits hold.
  std::optional<Place> addHalves(ArrayRef<char> bytes);
  std::optional<npu_tensor_desc> storeNarrow(int32_t dtype,
                                             ArrayRef<char> bytes);
  /// Of elements that are a narrower type's times scales: these, and what
  /// multiplies them. `elements` in row-major order, `target` as it is read.
  FailureOr<std::optional<Place>> addScaled(Location location,
                                            ArrayRef<char> elements,
                                            const npu_tensor_desc &target);
  /// `isOfMade`: its first source is not stored but made, too.
  template <class Number>
  int64_t add(ArrayRef<Number> numbers);
  Place make(kernels::Problem maker, bool isOfMade = false);
  /// The offset of the same bytes, or of these behind all others.
  int64_t append(ArrayRef<char> bytes);
  int64_t appendOwned(std::vector<char> bytes);

  /// What is there, by the hash of its bytes.
  struct Stored {
    ArrayRef<char> bytes;
    int64_t offset;
  };
  std::unordered_multimap<uint64_t, Stored> stored;
  llvm::DenseMap<std::pair<Attribute, Attribute>, Place> known;
  std::vector<ArrayRef<char>> chunks;
  std::list<std::vector<char>> owned;
  int64_t size = 0;
  /// The offsets of results, and of sources that are made, count from
  /// madeBegin().
  struct Maker {
    kernels::Problem problem;
    bool isOfMade;
  };
  std::vector<Maker> making;
  llvm::StringMap<int64_t> made;
  int64_t madeBytes = 0;
  std::set<std::pair<bool, int64_t>> sources; // whether made, offset
  int64_t sourceBytes = 0;
};

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_WEIGHTTABLE_H
