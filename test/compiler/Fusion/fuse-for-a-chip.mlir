// RUN: split-file %s %t
// RUN: cat %t/none.yaml %t/machine.yaml > %t/a.yaml
// RUN: cat %t/stage.yaml %t/machine.yaml > %t/b.yaml
// RUN: cat %t/listed.yaml %t/machine.yaml > %t/c.yaml
// RUN: cat %t/depthwise.yaml %t/machine.yaml > %t/d.yaml
// RUN: npu-opt %t/model.mlir --npu-fuse="target=%t/a.yaml" | FileCheck %t/model.mlir --check-prefix=NONE
// RUN: npu-opt %t/model.mlir --npu-fuse="target=%t/b.yaml" | FileCheck %t/model.mlir --check-prefix=STAGE
// RUN: npu-opt %t/model.mlir --npu-fuse="target=%t/c.yaml" | FileCheck %t/model.mlir --check-prefix=LISTED
// RUN: npu-opt %t/model.mlir --npu-fuse="target=%t/d.yaml" | FileCheck %t/model.mlir --check-prefix=DEPTHWISE

// Which groups are one kernel the chip's file says.

//--- none.yaml
name: a
fuses: []
//--- stage.yaml
name: b
output_stage: [activation, add]
//--- listed.yaml
name: c
fuses:
  - {ops: [conv2d], then: [activation, add], order: listed}
  - {ops: [eltwise], then: [relu], operands: up to 1}
//--- depthwise.yaml
name: d
fuses:
  - {ops: [conv2d], when: {depthwise: true}, then: [eltwise]}
  - {ops: [eltwise], then: [eltwise], types: [i8]}
//--- machine.yaml
summary: what is one kernel
types: [f32, i8]
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
demands: []
//--- model.mlir
// NONE-LABEL: @sum
// NONE-NOT: npu.fused
// NONE-LABEL: @sums
// NONE-NOT: npu.fused
//
// STAGE-LABEL: @sum
// STAGE-NEXT: npu.fused
// STAGE-NEXT: ^bb0
// STAGE-NEXT: npu.conv2d
// STAGE-NEXT: npu.eltwise add
// STAGE-NEXT: npu.eltwise relu
// STAGE-NEXT: npu.yield
//
// One tensor more is a kernel of its own, with what is behind it.
// STAGE-LABEL: @sums
// STAGE-NEXT: npu.fused
// STAGE-NEXT: ^bb0
// STAGE-NEXT: npu.conv2d
// STAGE-NEXT: npu.eltwise add
// STAGE-NEXT: npu.yield
// STAGE: npu.fused
// STAGE-NEXT: ^bb0
// STAGE-NEXT: npu.eltwise add
// STAGE-NEXT: npu.eltwise sigmoid
// STAGE-NEXT: npu.yield
//
// Behind the sum there is no activation.
// LISTED-LABEL: @sum
// LISTED-NEXT: npu.fused
// LISTED-NEXT: ^bb0
// LISTED-NEXT: npu.conv2d
// LISTED-NEXT: npu.eltwise add
// LISTED-NEXT: npu.yield
// LISTED: npu.eltwise relu
// LISTED-LABEL: @sums
// LISTED-NEXT: npu.fused
// LISTED-NEXT: ^bb0
// LISTED-NEXT: npu.conv2d
// LISTED-NEXT: npu.eltwise add
// LISTED-NEXT: npu.eltwise add
// LISTED-NEXT: npu.yield
// LISTED: npu.eltwise sigmoid
//
// DEPTHWISE-LABEL: @sum
// DEPTHWISE-NEXT: npu.conv2d
// DEPTHWISE-NEXT: npu.eltwise add
// DEPTHWISE-NEXT: npu.eltwise relu
// DEPTHWISE-LABEL: @sums
// DEPTHWISE-NEXT: npu.fused
// DEPTHWISE-NEXT: ^bb0
// DEPTHWISE-NEXT: npu.conv2d
// DEPTHWISE-NEXT: npu.eltwise add
// DEPTHWISE-NEXT: npu.eltwise add
// DEPTHWISE-NEXT: npu.eltwise sigmoid
// DEPTHWISE-NEXT: npu.yield
func.func @sum(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>, %r: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = npu.eltwise add(%0, %r) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.eltwise relu(%1) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %2 : tensor<1x16x8x8xf32>
}

func.func @sums(%x: tensor<1x16x8x8xf32>, %w: tensor<16x1x3x3xf32>, %r: tensor<1x16x8x8xf32>, %s: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 16, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x1x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = npu.eltwise add(%0, %r) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.eltwise add(%1, %s) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %3 = npu.eltwise sigmoid(%2) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %3 : tensor<1x16x8x8xf32>
}
