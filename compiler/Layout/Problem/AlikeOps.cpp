// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/AlikeOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/OutputCopy.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace npu;

static llvm::hash_code hashOf(Operation *op) {
  llvm::hash_code hash =
      llvm::hash_combine(op->getName(), op->hashProperties());
  for (Value result : op->getResults())
    hash = llvm::hash_combine(
        hash, llvm::hash_combine_range(tensorType(result).getShape()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        hash =
            llvm::hash_combine(hash, inner.getName(), inner.hashProperties());
  return hash;
}

/// Whatever layouts they have.
static bool haveOneType(Value a, Value b) {
  RankedTensorType one = tensorType(a), other = tensorType(b);
  return one.getShape() == other.getShape() &&
         one.getElementType() == other.getElementType();
}

/// Conditions of targets may ask.
static bool areBothConstant(Value a, Value b) {
  return (constantBehind(a) == nullptr) == (constantBehind(b) == nullptr);
}

static bool isSameOp(Operation *a, Operation *b) {
  return a->getName() == b->getName() &&
         a->getNumOperands() == b->getNumOperands() &&
         a->getNumResults() == b->getNumResults() &&
         a->getNumRegions() == b->getNumRegions() &&
         a->getName().compareOpProperties(a->getPropertiesStorage(),
                                          b->getPropertiesStorage()) &&
         isOnProcessor(a) == isOnProcessor(b) && isCopy(a) == isCopy(b) &&
         llvm::all_of_zip(a->getOperands(), b->getOperands(), haveOneType) &&
         llvm::all_of_zip(a->getOperands(), b->getOperands(),
                          areBothConstant) &&
         llvm::all_of_zip(a->getResults(), b->getResults(), haveOneType);
}

/// Maps each value of the one to that of the other.
using Twins = llvm::SmallDenseMap<Value, Value, 8>;

static bool haveOneBody(Region &a, Region &b, Twins &twins) {
  if (!llvm::hasNItems(a, 1) || !llvm::hasNItems(b, 1))
    return a.empty() && b.empty();
  Block &one = a.front(), &other = b.front();
  if (!llvm::all_of_zip(one.getArguments(), other.getArguments(),
                        haveOneType) ||
      one.getNumArguments() != other.getNumArguments() ||
      one.getOperations().size() != other.getOperations().size())
    return false;
  for (auto [mine, its] : llvm::zip(one.getArguments(), other.getArguments()))
    twins[mine] = its;
  for (auto [mine, its] : llvm::zip(one, other)) {
    if (!isSameOp(&mine, &its) || mine.getNumRegions() > 0)
      return false;
    for (auto [read, by] : llvm::zip(mine.getOperands(), its.getOperands()))
      if (twins.lookup(read) != by)
        return false;
    for (auto [given, by] : llvm::zip(mine.getResults(), its.getResults()))
      twins[given] = by;
  }
  return true;
}

/// The first operand that is the same value.
static unsigned firstReading(Operation *op, unsigned index) {
  return llvm::find(op->getOperands(), op->getOperand(index)).getIndex();
}

/// Whether where the one reads a value twice, so does the other.
static bool readAlike(Operation *a, Operation *b) {
  constexpr unsigned few = 8;
  unsigned count = a->getNumOperands();
  if (count <= few)
    return llvm::all_of(llvm::seq(count), [&](unsigned index) {
      return firstReading(a, index) == firstReading(b, index);
    });
  Twins twins, back;
  return llvm::all_of_zip(
      a->getOperands(), b->getOperands(), [&](Value one, Value other) {
        return twins.try_emplace(one, other).first->second == other &&
               back.try_emplace(other, one).first->second == one;
      });
}

bool AlikeOps::haveOneImage(Operation *a, Operation *b) const {
  for (auto [one, other] : llvm::zip(a->getOpOperands(), b->getOpOperands()))
    if (axes.atOp(one) != axes.atOp(other) ||
        (countsValueAxes && axes.of(one) != axes.of(other)))
      return false;
  for (auto [one, other] : llvm::zip(a->getResults(), b->getResults()))
    if (axes.atOp(OpResult(one)) != axes.atOp(OpResult(other)) ||
        (countsValueAxes && axes.of(Value(one)) != axes.of(Value(other))))
      return false;
  return true;
}

bool AlikeOps::areCutAlike(Operation *a, Operation *b) const {
  auto isAlike = [&](Value one, Value other) {
    return cuts->innerOf(one) == cuts->innerOf(other);
  };
  return !cuts ||
         (llvm::all_of_zip(a->getOperands(), b->getOperands(), isAlike) &&
          llvm::all_of_zip(a->getResults(), b->getResults(), isAlike));
}

bool AlikeOps::areAlike(Operation *a, Operation *b) const {
  if (!isSameOp(a, b) || !readAlike(a, b) || !haveOneImage(a, b) ||
      !areCutAlike(a, b))
    return false;
  Twins twins;
  return llvm::all_of_zip(a->getRegions(), b->getRegions(),
                          [&](Region &one, Region &other) {
                            return haveOneBody(one, other, twins);
                          });
}

unsigned AlikeOps::of(Operation *op) {
  auto [known, isNew] = numbers.try_emplace(op);
  if (!isNew)
    return known->second;
  SmallVector<unsigned, 1> &others = byHash[hashOf(op)];
  for (unsigned number : others)
    if (areAlike(firsts[number], op))
      return known->second = number;
  known->second = static_cast<unsigned>(firsts.size());
  others.push_back(known->second);
  firsts.push_back(op);
  return known->second;
}
