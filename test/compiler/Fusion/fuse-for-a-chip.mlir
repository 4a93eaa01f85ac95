// RUN: split-file %s %t
// RUN: cat %t/nchw.yaml %t/machine.yaml > %t/a.yaml
// RUN: cat %t/nhwc.yaml %t/machine.yaml > %t/b.yaml
// RUN: npu-opt %t/model.mlir --npu-fuse="target=%t/a.yaml" | FileCheck %t/model.mlir --check-prefix=NCHW
// RUN: npu-opt %t/model.mlir --npu-fuse="target=%t/b.yaml" | FileCheck %t/model.mlir --check-prefix=NHWC

// A chip that says of the data alone in which order it is: the result and what
// is added to it are stored alike. In NCHW the library has no kernel that adds.

//--- nchw.yaml
name: a
demands:
  - ops: [conv2d]
    data: [NCHW]
//--- nhwc.yaml
name: b
demands:
  - ops: [conv2d]
    data: [NHWC]
    weight: [any]
//--- machine.yaml
summary: an order of the data
types: [f32]
blocks: []
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
//--- model.mlir
// NCHW: npu.conv2d
// NCHW-NEXT: npu.fused
// NHWC: npu.fused
// NHWC-NEXT: ^bb0
// NHWC-NEXT: npu.conv2d
func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>, %r: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = npu.eltwise add(%0, %r) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.eltwise relu(%1) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %2 : tensor<1x16x8x8xf32>
}
