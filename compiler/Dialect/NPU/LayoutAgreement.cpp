// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutAgreement.h"

#include "compiler/Dialect/NPU/OneSpelling.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// What is left of a layout if only these dimensions are there.
static StoredOrder project(const StoredOrder &layout,
                           ArrayRef<int64_t> numberOf) {
  StoredOrder result;
  for (int64_t dim : layout.order)
    if (numberOf[dim] >= 0)
      result.order.push_back(numberOf[dim]);
  for (const LayoutBlock &block : layout.blocks)
    if (numberOf[block.dim] >= 0)
      result.blocks.push_back({numberOf[block.dim], block.size});
  return result;
}

/// Whether each dimension of the one value is the same dimension of the other.
static bool haveSameDims(const RelatedValue &a, const RelatedValue &b) {
  return a.shape == b.shape &&
         llvm::all_of(llvm::zip_equal(a.dims, b.dims), [](auto pair) {
           auto &[one, other] = pair;
           return one.group == other.group &&
                  one.group != RelatedDim::nowhere && one.isWhole &&
                  other.isWhole;
         });
}

bool npu::layoutsAgree(const RelatedValue &a, const StoredOrder &layoutA,
                       const RelatedValue &b, const StoredOrder &layoutB,
                       llvm::function_ref<bool(int64_t)> knowsBlock) {
  // Padding may be written of one dimension or of another.
  if (haveSameDims(a, b) && sameStorage(layoutA, layoutB, a.shape))
    return true;
  SmallVector<int64_t, 6> numberA(a.shape.size(), -1),
      numberB(b.shape.size(), -1), shapeA, shapeB;
  for (auto [dim, related] : llvm::enumerate(a.dims)) {
    if (related.group == RelatedDim::nowhere)
      continue;
    if (!related.isWhole) {
      TransferResult carried = transferLayout(a, layoutA, b);
      return carried.layout && sameStorage(*carried.layout, layoutB, b.shape);
    }
    int64_t other = b.wholeDim(related.group);
    if (other < 0 || a.shape[dim] == 1 || b.shape[other] == 1)
      continue;
    numberA[dim] = numberB[other] = static_cast<int64_t>(shapeA.size());
    shapeA.push_back(a.shape[dim]);
    shapeB.push_back(b.shape[other]);
  }
  auto agree = [&](const StoredOrder &spelledA, const StoredOrder &spelledB) {
    StoredOrder one = project(spelledA, numberA),
                other = project(spelledB, numberB);
    return sameStorage(one, other, shapeA) ||
           (shapeA != shapeB && sameStorage(one, other, shapeB));
  };
  if (agree(layoutA, layoutB))
    return true;
  if (shapeA == shapeB || (layoutA.blocks.empty() && layoutB.blocks.empty()))
    return false;
  if (haveOneSpelling(project(layoutA, numberA), shapeA,
                      project(layoutB, numberB), shapeB, knowsBlock))
    return true;
  // Padding that is said of one element's dimension is not in a projection,
  // but lies between the others' elements.
  StoredOrder normalA = normalForm(layoutA, a.shape),
              normalB = normalForm(layoutB, b.shape);
  return (!(normalA == layoutA) || !(normalB == layoutB)) &&
         haveOneSpelling(project(normalA, numberA), shapeA,
                         project(normalB, numberB), shapeB, knowsBlock);
}

static void append(SmallVectorImpl<int64_t> &trait, const Digits &digits) {
  trait.push_back(static_cast<int64_t>(digits.size()));
  for (const Digit &digit : digits)
    trait.append({digit.dim, digit.place, digit.size});
}

SmallVector<int64_t, 32> npu::agreementTrait(const RelatedValue &a,
                                             const StoredOrder &layout,
                                             const RelatedValue &b) {
  SmallVector<int64_t, 32> trait;
  SmallVector<int64_t, 6> numbers(a.shape.size(), -1), shapeA, shapeB;
  bool isSplit = false;
  for (auto [dim, related] : llvm::enumerate(a.dims)) {
    if (related.group == RelatedDim::nowhere)
      continue;
    isSplit |= !related.isWhole;
    int64_t other = related.isWhole ? b.wholeDim(related.group) : -1;
    if (other < 0 || a.shape[dim] == 1 || b.shape[other] == 1)
      continue;
    numbers[dim] = static_cast<int64_t>(shapeA.size());
    shapeA.push_back(a.shape[dim]);
    shapeB.push_back(b.shape[other]);
  }
  StoredOrder shared = project(layout, numbers);
  if (shapeA == shapeB) { // where the elements lie is all
    append(trait, normalDigits(shared, shapeA));
  } else {
    append(trait, digitsOf(shared, shapeA));
    append(trait, digitsOf(shared, shapeB));
  }
  if (!isSplit)
    return trait;
  TransferResult carried = transferLayout(a, layout, b);
  trait.push_back(carried.layout.has_value());
  if (carried.layout)
    append(trait, normalDigits(*carried.layout, b.shape));
  return trait;
}
