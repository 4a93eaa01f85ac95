// RUN: split-file %s %t
// RUN: cp %t/lacks.yaml %t/chip.yaml
// RUN: not npu-opt %t/model.mlir --npu-place-ops="target=%t/chip.yaml" 2>&1 | FileCheck %s
// RUN: cat %t/lacks.yaml %t/processor.yaml > %t/chip.yaml
// RUN: npu-opt %t/model.mlir --npu-place-ops="target=%t/chip.yaml" --npu-fuse | FileCheck %s --check-prefix=PLACED

// Without a processor, one error for all ops of a function.
// CHECK: error: target 'chip' does not run 1 of 2 ops; a processor beside it would: --fallback=host, or `fallback` in the target's file
// CHECK: note: softmax length is 1025; `unsupported` lists length: from 1025; change one of these in the model, or narrow the entry
// CHECK: error: target 'chip' does not run 2 of 2 ops
// CHECK: note: eltwise gives f16, which `types` does not list; quantize the model (npuc-quantize; what a quantized one takes and gives: --quantized-io), or list f16 in `types`
// CHECK: note: eltwise reads f16, which `types` does not list
// CHECK: error: target 'chip' does not run 2 of 4 ops
// CHECK: note: conv2d depthwise is false (`demands` takes true); change the model to depthwise: true, or add an entry to `demands` that takes it as it is
// CHECK: note: conv2d stride is 3x3 (`demands` takes 1 or 2); change the model to stride: 1 or 2, or add an entry to `demands` that takes it as it is
// CHECK: error: target 'chip' does not run 3 of 5 ops
// CHECK: note: eltwise kind is erf; `unsupported` lists kind: erf or tanh
// CHECK: note: eltwise kind is tanh
// CHECK: note: conv_transpose2d is listed in `unsupported`; use another op, or take it out of `unsupported`

// With one, these run there, and no kernel runs in two places.
// PLACED-LABEL: @softmaxes
// PLACED: npu.softmax(%arg0) {{.*}}npu.on_processor = {{.*}}why = "length is 1025; `unsupported` lists length: from 1025"
// PLACED-NOT: npu.on_processor
// PLACED-LABEL: @types
// PLACED: npu.fused({{.*}}on_processor
// PLACED-NEXT: bb0
// PLACED-NEXT: npu.eltwise cast({{.*}}on_processor{{.*}} -> tensor<1x8xf16>
// PLACED-NEXT: npu.eltwise cast({{.*}}on_processor{{.*}} -> tensor<1x8xf32>
// PLACED-NOT: npu.on_processor
// PLACED-LABEL: @convolutions
// PLACED-COUNT-2: npu.conv2d({{[^)]*}}) {dilations = [1, 1], groups = {{[0-9]+}} : i64, pads
// PLACED-NOT: npu.conv2d({{[^)]*}}) {dilations = [1, 1], groups = {{[0-9]+}} : i64, pads
// PLACED-COUNT-2: npu.conv2d({{.*}}npu.on_processor
// PLACED-NOT: npu.conv2d({{.*}}npu.on_processor
// PLACED-LABEL: @kernels
// PLACED: npu.eltwise relu({{[^)]*}}) : (tensor<1x8x4x4xf32>)
// PLACED: npu.fused({{[^)]*}}) {npu.on_processor =
// PLACED: npu.eltwise erf
// PLACED: npu.eltwise tanh
// PLACED: npu.conv_transpose2d({{.*}}npu.on_processor
// PLACED: npu.eltwise relu({{[^)]*}}) : (tensor<1x4x5x5xf32>)
// PLACED-LABEL: @between
// PLACED: npu.eltwise relu({{.*}}why = "stands between ops that the processor runs"
// PLACED: npu.eltwise abs({{.*}}why = "stands between ops that the processor runs"
// PLACED: npu.eltwise add({{[^)]*}}) : (
// PLACED-LABEL: @fused_already
// PLACED-NOT: on_processor
// PLACED: npu.fused({{[^)]*}}) {npu.on_processor
// PLACED: npu.eltwise erf

//--- lacks.yaml
name: chip
summary: lacks some ops
types: [f32, i1]
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
  - ops: [conv2d]
    when: {depthwise: true, window: up to 5}
    data: [NHWC]
  - ops: [conv2d]
    when: {channels: multiple of 16, stride: [1, 2], constant: true}
    data: [NCHW16c]
unsupported:
  - ops: [conv_transpose2d]
  - ops: [softmax]
    when: {length: from 1025}
  - ops: [eltwise]
    when: {kind: [erf, tanh]}
//--- processor.yaml
fallback:
  target: host
  link_bandwidth: 4 GB/s
  link_start: 2000 cycles
//--- model.mlir
// A limit, its last number on the chip.
func.func @softmaxes(%long: tensor<1x1025xf32>, %short: tensor<1x1024xf32>) -> (tensor<1x1025xf32>, tensor<1x1024xf32>) {
  %0 = npu.softmax(%long) {axis = 1 : i64} : (tensor<1x1025xf32>) -> tensor<1x1025xf32>
  %1 = npu.softmax(%short) {axis = 1 : i64} : (tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %0, %1 : tensor<1x1025xf32>, tensor<1x1024xf32>
}

// A type; what reads it is the chip's.
func.func @types(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = npu.eltwise cast(%x) : (tensor<1x8xf32>) -> tensor<1x8xf16>
  %1 = npu.eltwise cast(%0) : (tensor<1x8xf16>) -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// Each has an entry of `demands` but the last two: of one nothing holds, of the
// other the entry that is nearest is told.
func.func @convolutions(%x: tensor<1x32x9x9xf32>, %w: tensor<32x32x3x3xf32>) -> (tensor<1x32x9x9xf32>, tensor<1x32x9x9xf32>, tensor<1x32x9x9xf32>, tensor<1x32x3x3xf32>) {
  %c = npu.constant dense<1.0> : tensor<32x32x3x3xf32> -> tensor<32x32x3x3xf32>
  %d = npu.constant dense<1.0> : tensor<32x1x5x5xf32> -> tensor<32x1x5x5xf32>
  %0 = npu.conv2d(%x, %c) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x32x9x9xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x9x9xf32>
  %1 = npu.conv2d(%0, %d) {dilations = [1, 1], groups = 32, pads = [2, 2, 2, 2], strides = [1, 1]} : (tensor<1x32x9x9xf32>, tensor<32x1x5x5xf32>) -> tensor<1x32x9x9xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x32x9x9xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x9x9xf32>
  %3 = npu.conv2d(%2, %c) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [3, 3]} : (tensor<1x32x9x9xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x3x3xf32>
  return %0, %1, %2, %3 : tensor<1x32x9x9xf32>, tensor<1x32x9x9xf32>, tensor<1x32x9x9xf32>, tensor<1x32x3x3xf32>
}

// What runs in two places is no kernel.
func.func @kernels(%x: tensor<1x8x4x4xf32>, %w: tensor<4x8x2x2xf32>) -> tensor<1x4x5x5xf32> {
  %0 = npu.eltwise relu(%x) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %1 = npu.eltwise erf(%0) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %2 = npu.eltwise tanh(%1) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %3 = npu.conv_transpose2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x4x4xf32>, tensor<4x8x2x2xf32>) -> tensor<1x4x5x5xf32>
  %4 = npu.eltwise relu(%3) : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  return %4 : tensor<1x4x5x5xf32>
}

// An op goes with those around it; one that the chip reads, too, stays.
func.func @between(%x: tensor<1x2000xf32>) -> (tensor<1x2000xf32>, tensor<1x2000xf32>) {
  %c = npu.constant dense<1.0> : tensor<1x2000xf32> -> tensor<1x2000xf32>
  %0 = npu.softmax(%x) {axis = 1 : i64} : (tensor<1x2000xf32>) -> tensor<1x2000xf32>
  %1 = npu.eltwise relu(%0) : (tensor<1x2000xf32>) -> tensor<1x2000xf32>
  %2 = npu.reshape(%1) : (tensor<1x2000xf32>) -> tensor<2000xf32>
  %3 = npu.eltwise abs(%2) : (tensor<2000xf32>) -> tensor<2000xf32>
  %4 = npu.softmax(%3) {axis = 0 : i64} : (tensor<2000xf32>) -> tensor<2000xf32>
  %5 = npu.reshape(%4) : (tensor<2000xf32>) -> tensor<1x2000xf32>
  %6 = npu.eltwise add(%5, %c) : (tensor<1x2000xf32>, tensor<1x2000xf32>) -> tensor<1x2000xf32>
  %7 = npu.softmax(%6) {axis = 1 : i64} : (tensor<1x2000xf32>) -> tensor<1x2000xf32>
  return %6, %7 : tensor<1x2000xf32>, tensor<1x2000xf32>
}

// A kernel of another compilation: its weight is a constant, as the chip
// demands, and one of its functions is not the chip's.
func.func @fused_already(%x: tensor<1x16x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x16x1x1xf32> -> tensor<8x16x1x1xf32>
  %0 = npu.fused(%x, %w) : (tensor<1x16x4x4xf32>, tensor<8x16x1x1xf32>) -> tensor<1x8x4x4xf32> {
  ^bb0(%a: tensor<1x16x4x4xf32>, %b: tensor<8x16x1x1xf32>):
    %1 = npu.conv2d(%a, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x4x4xf32>, tensor<8x16x1x1xf32>) -> tensor<1x8x4x4xf32>
    %2 = npu.eltwise relu(%1) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    npu.yield %2 : tensor<1x8x4x4xf32>
  }
  %3 = npu.fused(%x, %w) : (tensor<1x16x4x4xf32>, tensor<8x16x1x1xf32>) -> tensor<1x8x4x4xf32> {
  ^bb0(%a: tensor<1x16x4x4xf32>, %b: tensor<8x16x1x1xf32>):
    %1 = npu.conv2d(%a, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x4x4xf32>, tensor<8x16x1x1xf32>) -> tensor<1x8x4x4xf32>
    %2 = npu.eltwise erf(%1) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    npu.yield %2 : tensor<1x8x4x4xf32>
  }
  return %0, %3 : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>
}
