// SPDX-License-Identifier: Apache-2.0
//
// What is added to the scores of an attention, as the one mask that its op
// takes: a bias by position and a mask of windows come one after the other, and
// exporters split the scores' dimensions in between.
#ifndef NPU_COMPILER_FUSION_ATTENTIONMASK_H
#define NPU_COMPILER_FUSION_ATTENTIONMASK_H

#include "compiler/Fusion/Rewrites.h"

namespace npu::rewrites {

class AttentionMask {
public:
  bool isEmpty() const { return terms.empty() && !least; }

  /// `mask` broadcasts to scores of this shape, and is added to them before
  /// those that are there.
  void push(Value mask, ArrayRef<int64_t> scores);

  /// The scores with what is added to them are `bound` at least, which hides
  /// what is below beside it: so the mask alone may be held above it. False
  /// where a mask is in front of that.
  bool holdAbove(float bound);

  /// Settles how the masks become one, for products of this shape: matrices
  /// last. False where they cannot.
  bool settle(ArrayRef<int64_t> product);

  /// Of the scores in front of the matrices, where the mask meets them; and the
  /// mask's own shape. Both once it is settled.
  ArrayRef<int64_t> getBatch() const { return batch; }
  ArrayRef<int64_t> getShape() const { return shape; }

  FailureOr<Value> make(OpBuilder &builder, Location location) const;

private:
  /// All that is added to scores of one shape, from softmax to the product; and
  /// the shape that the sum has in front of the product's matrices.
  struct Term {
    SmallVector<int64_t> scores;
    SmallVector<Value, 2> masks;
    SmallVector<int64_t> shape = {};
  };

  bool settleTerm(Term &term, ArrayRef<int64_t> product) const;

  SmallVector<Term, 2> terms; // from softmax to the product
  SmallVector<int64_t> batch, shape;
  std::optional<float> least;
};

} // namespace npu::rewrites

#endif // NPU_COMPILER_FUSION_ATTENTIONMASK_H
