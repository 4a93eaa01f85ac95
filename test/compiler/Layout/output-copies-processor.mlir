// RUN: split-file %s %t
// RUN: npu-opt %t/model.mlir --npu-place-ops="target=%t/chip.yaml" --npu-assign-layout="strategy=optimal target=%t/chip.yaml verify-exactly=true" | FileCheck %s
// RUN: npu-opt %t/model.mlir --npu-place-ops="target=%t/chip.yaml" --npu-assign-layout="strategy=naive target=%t/chip.yaml verify-exactly=true" | FileCheck %s

// A copy for an output is made after ops got their places: the processor makes
// it where the chip lacks its type, the chip all others.

// CHECK-LABEL: @an_input
// CHECK: npu.reshape(%arg0) {npu.copies, npu.on_processor = {{.*}}why = "gives i64, which `types` does not list"
// CHECK: npu.reshape(%arg1) {npu.copies} :

//--- chip.yaml
name: chip
summary: has no i64
types: [f32]
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
demands: []
fallback:
  target: host
  link_bandwidth: 4 GB/s
  link_start: 2000 cycles
//--- model.mlir
func.func @an_input(%ids: tensor<1x8xi64>, %x: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xi64>, tensor<1x8xf32>) {
  %0 = npu.eltwise relu(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return %0, %ids, %x : tensor<1x8xf32>, tensor<1x8xi64>, tensor<1x8xf32>
}
