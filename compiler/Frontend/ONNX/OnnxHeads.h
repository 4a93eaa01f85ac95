// SPDX-License-Identifier: Apache-2.0
//
// Steps that the attentions of ONNX and onnxruntime share: heads, and the
// angles that their numbers are turned by.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXHEADS_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXHEADS_H

#include "compiler/Frontend/ONNX/OnnxNode.h"

namespace npu {

/// (batch, sequence, heads * size) as (batch, sequence, heads, size).
Value separateHeads(OnnxNode &node, Value x, int64_t heads);
/// (batch, sequence, heads * size) as (batch, heads, sequence, size).
Value splitHeads(OnnxNode &node, Value x, int64_t heads);
/// (batch, heads, sequence, size) as (batch, sequence, heads * size).
Value joinHeads(OnnxNode &node, Value x);
/// (batch, heads, sequence, size) with each head as often as `count` heads of
/// queries need it.
Value repeatHeads(OnnxNode &node, Value x, int64_t count);
/// (batch, heads, sequence, size) as (batch, heads, size, sequence).
Value transposeKeys(OnnxNode &node, Value keys);

/// Rows of a table of two dimensions.
Value rowsAt(OnnxNode &node, Value table, Value indices);

/// What each token's numbers are turned by: (batch or 1, sequence, 1, half).
struct Angles {
  Value cosines, sines;
  bool isInterleaved = false; // pairs are neighbours, not halves
};
/// The first numbers of each head turned, twice as many as angles; x is (batch,
/// sequence, heads, size).
Value turnedBy(OnnxNode &node, Value x, const Angles &angles);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXHEADS_H
