// One op is held in the model's order; what is around it is decided again.
// RUN: split-file %s %t
// RUN: npu-opt %t/model.mlir --npu-assign-layout="strategy=auto-nhwc layout-plan=%t/pin.yaml verify-exactly" | FileCheck %t/model.mlir
// RUN: npu-opt %t/model.mlir --npu-assign-layout="strategy=naive layout-plan=%t/pin.yaml verify-exactly" | FileCheck %t/model.mlir --check-prefix=NAIVE
// RUN: not npu-opt %t/model.mlir --npu-assign-layout="layout-plan=%t/demand.yaml" 2>&1 | FileCheck %t/demand.yaml
// RUN: not npu-opt %t/model.mlir --npu-assign-layout="layout-plan=%t/name.yaml" 2>&1 | FileCheck %t/name.yaml
// RUN: not npu-opt %t/model.mlir --npu-assign-layout="layout-plan=%t/none.yaml" 2>&1 | FileCheck %t/model.mlir --check-prefix=NONE
// RUN: not npu-opt %t/model.mlir --npu-assign-layout="layout-plan=%t/resident.yaml" 2>&1 | FileCheck %t/resident.yaml

//--- model.mlir
// CHECK-LABEL: @f(
// CHECK: [[C:%.*]] = npu.conv2d
// CHECK: [[M:%.*]] = npu.relayout([[C]]) : ({{.*}}acdb{{.*}}) -> {{.*}}abcd
// CHECK: [[R:%.*]] = npu.eltwise relu([[M]]) {{.*}}abcd{{.*}} -> {{.*}}abcd
// CHECK: return [[R]]
// NAIVE: npu.eltwise relu({{.*}}abcd{{.*}} -> {{.*}}abcd
// NONE: layout plan '{{.*}}none.yaml' cannot be read
func.func @f(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.eltwise relu(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  return %1 : tensor<2x8x6x6xf32>
}

//--- pin.yaml
version: 1
target: npu-nhwc
pins:
  - {op: eltwise, stored: NCHW}

//--- demand.yaml
# CHECK: demand.yaml:5: the data of 'conv2d' cannot be pinned to abcd: target 'npu-nhwc' accepts NHWC (acdb)
version: 1
target: npu-nhwc
layouts:
  - {op: conv2d, reads: [NCHW, any], pin: true}

//--- name.yaml
# CHECK: name.yaml:5: the graph has no op 'conv'; the nearest name is 'conv2d'
version: 1
target: npu-nhwc
pins:
  - {op: conv, stored: NHWC}

//--- resident.yaml
# CHECK: resident.yaml:5: the result of 'eltwise' cannot stay on the chip: it is an output of the network
version: 1
target: npu-nhwc
pins:
  - {op: eltwise, resident: true}
