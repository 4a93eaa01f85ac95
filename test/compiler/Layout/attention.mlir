// RUN: npu-opt %s --npu-assign-layout='target=host strategy=optimal' | FileCheck %s --check-prefix=ONE
// RUN: npu-opt %s --npu-assign-layout='target=%S/Inputs/attention-in-parts.yaml strategy=optimal' | FileCheck %s --check-prefix=PARTS
//
// What attention costs in one kernel is compared with its parts, in each layout.

// ONE-LABEL: @heads
// ONE-NOT: npu.relayout
// ONE: npu.attention
// ONE-NOT: npu.relayout
// ONE: return
// PARTS-LABEL: @heads
// PARTS-NOT: npu.attention
// PARTS: npu.transpose({{.*}}) {permutation = [0, 1, 3, 2]}
// PARTS: npu.fused
// PARTS: npu.matmul
// PARTS-NEXT: npu.eltwise mul
// PARTS-NEXT: npu.eltwise add
// PARTS: npu.softmax{{.*}} {axis = 3 : i64}
// PARTS: npu.matmul
// PARTS: return
func.func @heads(%x: tensor<1x16x64xf32>, %m: tensor<1x1x1x16xf32>) -> tensor<1x16x64xf32> {
  %0 = npu.reshape(%x) : (tensor<1x16x64xf32>) -> tensor<1x16x4x16xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1, 3]} : (tensor<1x16x4x16xf32>) -> tensor<1x4x16x16xf32>
  %2 = npu.attention(%1, %1, %1, %m) {scale = 0.25 : f64} : (tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>, tensor<1x1x1x16xf32>) -> tensor<1x4x16x16xf32>
  %3 = npu.transpose(%2) {permutation = [0, 2, 1, 3]} : (tensor<1x4x16x16xf32>) -> tensor<1x16x4x16xf32>
  %4 = npu.reshape(%3) : (tensor<1x16x4x16xf32>) -> tensor<1x16x64xf32>
  return %4 : tensor<1x16x64xf32>
}

// A mask that chooses.
// PARTS-LABEL: @chosen
// PARTS: npu.eltwise select
// PARTS: npu.softmax
// ONE-LABEL: @chosen
// ONE: npu.attention
func.func @chosen(%x: tensor<4x16x16xf32>, %m: tensor<16x16xi1>) -> tensor<4x16x16xf32> {
  %0 = npu.attention(%x, %x, %x, %m) {fill = -1.0e9 : f64, scale = 0.25 : f64} : (tensor<4x16x16xf32>, tensor<4x16x16xf32>, tensor<4x16x16xf32>, tensor<16x16xi1>) -> tensor<4x16x16xf32>
  return %0 : tensor<4x16x16xf32>
}

// Heads of keys that several of queries share have no parts.
// PARTS-LABEL: @grouped
// PARTS: npu.attention
// ONE-LABEL: @grouped
// ONE: npu.attention
func.func @grouped(%x: tensor<4x16x16xf32>, %k: tensor<2x16x16xf32>) -> tensor<4x16x16xf32> {
  %0 = npu.attention(%x, %k, %k) {scale = 0.25 : f64} : (tensor<4x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<4x16x16xf32>
  return %0 : tensor<4x16x16xf32>
}

// Of bf16 the scores are f32, as a mask may be, and what is made of them is
// rounded.
// PARTS-LABEL: @narrow
// PARTS: npu.matmul{{.*}}xbf16,{{.*}} -> tensor<4x16x16xf32
// PARTS-NEXT: npu.eltwise mul
// PARTS-NEXT: npu.eltwise add{{.*}}tensor<16xf32
// PARTS: npu.softmax{{.*}} -> tensor<4x16x16xf32
// PARTS: npu.eltwise cast{{.*}} -> tensor<4x16x16xbf16
// PARTS: npu.matmul{{.*}} -> tensor<4x16x16xbf16
// ONE-LABEL: @narrow
// ONE: npu.attention
func.func @narrow(%x: tensor<4x16x16xbf16>, %m: tensor<16xf32>) -> tensor<4x16x16xbf16> {
  %0 = npu.attention(%x, %x, %x, %m) {scale = 0.25 : f64} : (tensor<4x16x16xbf16>, tensor<4x16x16xbf16>, tensor<4x16x16xbf16>, tensor<16xf32>) -> tensor<4x16x16xbf16>
  return %0 : tensor<4x16x16xbf16>
}
