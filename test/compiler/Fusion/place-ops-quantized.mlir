// RUN: split-file %s %t
// RUN: not npu-opt %t/model.mlir --npu-place-ops="target=%t/chip.yaml" 2>&1 | FileCheck %s

// A quantized model is not told to be quantized: what lacks floats is the node
// between its integers, named once, and not the steps to floats and back.
// CHECK: error: target 'chip' does not run 6 of 6 ops
// CHECK-NEXT: func.func @product
// CHECK: note: m (eltwise) gives f32, which `types` does not list; it has no integer form here, so quantizing the model does not change that: use another op
// CHECK-NOT: note: m
// CHECK-NOT: note: d
// CHECK-NOT: note: q

// The model's own real input and result are converted by the processor, which
// a chip without floats always has for that; a real number between is not.
// RUN: npu-opt %t/boundary.mlir --npu-place-ops="target=%t/chip.yaml" | FileCheck %s --check-prefix=BOUNDARY
// BOUNDARY: eltwise round(%{{.*}}) {npu.on_processor = {change = "let the model take and give quantized numbers: --quantized-io", why = "gives f32, which `types` does not list"}}
// BOUNDARY: eltwise cast(%{{.*}}) {npu.on_processor
// BOUNDARY: eltwise neg(%{{.*}}) :
// BOUNDARY: reshape(%{{.*}}) :
// BOUNDARY: eltwise cast(%{{.*}}) {npu.on_processor
// BOUNDARY: eltwise linear(%{{.*}}) {alpha = 5.000000e-01 : f32, npu.on_processor
// RUN: not npu-opt %t/between.mlir --npu-place-ops="target=%t/chip.yaml" 2>&1 | FileCheck %s --check-prefix=BETWEEN
// BETWEEN: error: target 'chip' does not run 2 of 6 ops
// BETWEEN: note: s (eltwise) gives f32, which `types` does not list; its result is real: quantize that in the model, too

//--- chip.yaml
name: chip
summary: has integers alone
types: [i8, i32, i1]
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
    data: [NHWC]
//--- model.mlir
func.func @product(%x: tensor<1x8xi8>) -> tensor<1x8xi8> {
  %0 = npu.eltwise cast(%x) : (tensor<1x8xi8>) -> tensor<1x8xf32> loc("d")
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32} : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("d")
  %2 = npu.eltwise mul(%1, %1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32> loc("m")
  %3 = npu.eltwise add(%2, %1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32> loc("m")
  %4 = npu.eltwise round(%3) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("q")
  %5 = npu.eltwise cast(%4) : (tensor<1x8xf32>) -> tensor<1x8xi8> loc("q")
  return %5 : tensor<1x8xi8>
}

//--- boundary.mlir
func.func @boundary(%x: tensor<1x8xf32>) -> tensor<8xf32> {
  %0 = npu.eltwise round(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("q")
  %1 = npu.eltwise cast(%0) : (tensor<1x8xf32>) -> tensor<1x8xi8> loc("q")
  %2 = npu.eltwise neg(%1) : (tensor<1x8xi8>) -> tensor<1x8xi8>
  %3 = npu.reshape(%2) : (tensor<1x8xi8>) -> tensor<8xi8>
  %4 = npu.eltwise cast(%3) : (tensor<8xi8>) -> tensor<8xf32> loc("d")
  %5 = npu.eltwise linear(%4) {alpha = 0.5 : f32} : (tensor<8xf32>) -> tensor<8xf32> loc("d")
  return %5 : tensor<8xf32>
}

//--- between.mlir
func.func @between(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = npu.eltwise round(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("q")
  %1 = npu.eltwise cast(%0) : (tensor<1x8xf32>) -> tensor<1x8xi8> loc("q")
  %2 = npu.eltwise neg(%1) : (tensor<1x8xi8>) -> tensor<1x8xi8>
  %3 = npu.eltwise cast(%2) : (tensor<1x8xi8>) -> tensor<1x8xf32> loc("d")
  %4 = npu.eltwise sigmoid(%3) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("s")
  %5 = npu.eltwise linear(%4) {alpha = 0.5 : f32} : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("s")
  return %5 : tensor<1x8xf32>
}
