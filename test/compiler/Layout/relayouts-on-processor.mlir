// RUN: split-file %s %t
// RUN: npu-opt %t/model.mlir --npu-place-ops="target=%t/chip.yaml" --npu-assign-layout="strategy=alter target=%t/chip.yaml verify-exactly=true" | FileCheck %s
// RUN: npu-opt %t/model.mlir --npu-place-ops="target=%t/chip.yaml" --npu-assign-layout="strategy=convert target=%t/chip.yaml verify-exactly=true" | FileCheck %s --check-prefix=WISHED
// RUN: npu-opt %t/model.mlir --npu-place-ops="target=%t/chip.yaml" --npu-assign-layout="strategy=optimal target=%t/chip.yaml verify-exactly=true" | FileCheck %s --check-prefix=LEAST

// A relayout is made after ops got their places: of a type that the chip lacks
// the processor moves it.

// CHECK: npu.relayout({{.*}}) {npu.on_processor = {{.*}}why = "gives f32, which `types` does not list"
// CHECK-NOT: npu.relayout
// WISHED-COUNT-2: npu.relayout({{.*}}) {npu.on_processor = {{.*}}why = "gives f32, which `types` does not list"
// WISHED-NOT: npu.relayout({{.*}}) {npu.on_processor = {{.*}}why = "gives f32, which `types` does not list"
// LEAST-NOT: npu.relayout

//--- chip.yaml
name: chip
summary: of bytes, multiplies matrices by rows
types: [i8, i32]
blocks: [16]
machine:
  clock: 1000 MHz
  mac_rows: 16 MAC
  mac_columns: 16 MAC
  vector_lanes: 16 lanes
  sram: 512 KiB
  dram: 1024 MiB
  dram_bandwidth: 16 GB/s
  dma_burst: 64 B
  dma_start: 100 cycles
  kernel_start: 200 cycles
  strided_access: 4 times
demands:
  - {ops: [matmul], a: [row-major], b: [row-major], result: [row-major]}
fallback:
  target: host
  link_bandwidth: 4 GB/s
  link_start: 2000 cycles
//--- model.mlir
func.func @heads(%x: tensor<1x8x2x4xf32>, %y: tensor<1x8x2x4xf32>) -> tensor<1x8x8xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8xf32> -> tensor<8x8xf32>
  %t = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<1x8x2x4xf32>) -> tensor<1x2x8x4xf32>
  %k = npu.transpose(%y) {permutation = [0, 2, 3, 1]} : (tensor<1x8x2x4xf32>) -> tensor<1x2x4x8xf32>
  %s = npu.matmul(%t, %k) : (tensor<1x2x8x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x8x8xf32>
  %p = npu.matmul(%s, %t) : (tensor<1x2x8x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  %b = npu.transpose(%p) {permutation = [0, 2, 1, 3]} : (tensor<1x2x8x4xf32>) -> tensor<1x8x2x4xf32>
  %r = npu.reshape(%b) : (tensor<1x8x2x4xf32>) -> tensor<1x8x8xf32>
  %m = npu.matmul(%r, %w) : (tensor<1x8x8xf32>, tensor<8x8xf32>) -> tensor<1x8x8xf32>
  return %m : tensor<1x8x8xf32>
}
