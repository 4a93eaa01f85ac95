// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv9d:NHWC:default" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=concat:NHWC" 2>&1 | FileCheck %s --check-prefix=FOLLOWS
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d:NHWC" 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=max_pool:NHWC:default" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d:default:OIHW" 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d:NHXC:default" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d:NDHWC:default" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d:NDHW:default" 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d:NHWC:NHWC" 2>&1 | FileCheck %s --check-prefix=WEIGHT
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d:acb:default" 2>&1 | FileCheck %s --check-prefix=LETTERS
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d:any:default" 2>&1 | FileCheck %s --check-prefix=ANY
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=matmul:NHWC:ab" 2>&1 | FileCheck %s --check-prefix=MATRIX
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d:NHWC:HWOI,conv2d:NCHW:OIHW" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=NHWC" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert desired-layouts=conv2d::OIHW" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert target=npu-nhwc desired-layouts=conv2d:NCHW:OIHW" 2>&1 | FileCheck %s --check-prefix=DEMAND
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert target=npu-nhwc desired-layouts=conv2d:NHWC:OIHW" 2>&1 | FileCheck %s --check-prefix=WEIGHTDEMAND
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=conv2d:NCHW4c:OIHW" 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=max_pool:NDHWC" 2>&1 | FileCheck %s --check-prefix=POOL
// UNKNOWN: --desired-layouts: 'conv9d' is no op; the ops that take them are: conv1d, conv2d
// FOLLOWS: --desired-layouts: 'concat' takes no desired layouts, it follows its operands
// FEW: --desired-layouts: conv2d takes 2 layouts (data, weight), found 1
// MANY: --desired-layouts: max_pool takes 1 layout (data), found 2
// DEFAULT: --desired-layouts: 'default' is only for weights, the data of conv2d needs a layout
// TEXT: --desired-layouts: 'NHXC' is not a layout
// RANK: --desired-layouts: 'NDHWC' is no layout for the data of conv2d, expected the axes NCHW in some order
// AXIS: --desired-layouts: 'NDHW' is no layout for the data of conv2d, expected the axes NCHW in some order
// WEIGHT: --desired-layouts: 'NHWC' is no layout for the weight of conv2d, expected the axes OIHW in some order
// LETTERS: --desired-layouts: 'acb' is no layout for the data of conv2d, expected 4 dimensions
// ANY: --desired-layouts: 'any' is no layout for the data of conv2d, expected one layout
// MATRIX: --desired-layouts: 'NHWC' is no layout for the a of matmul, expected row-major or letters
// TWICE: --desired-layouts: 'conv2d' stands there twice
// FORM: --desired-layouts: '{{.*}}' is not of the form OP:LAYOUT or OP:LAYOUT:LAYOUT
// DEMAND: 'npu.conv2d' op infeasible: desired layouts: target 'npu-nhwc' demands NHWC for its data, found 'NCHW'
// WEIGHTDEMAND: 'npu.conv2d' op infeasible: desired layouts: target 'npu-nhwc' demands HWOI for its weight, found 'OIHW'
// BLOCK: 'npu.conv2d' op infeasible: desired layouts: target 'host' has no blocks of 4 as in 'NCHW4c' for its data
// POOL: 'npu.max_pool' op infeasible: desired layouts: 'NDHWC' does not fit its data of rank 4
func.func @f(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.max_pool(%0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32>
  return %1 : tensor<2x8x3x3xf32>
}
