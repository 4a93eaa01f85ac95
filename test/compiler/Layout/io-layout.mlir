// RUN: npu-opt %s --npu-assign-layout="io-layout=free verify-exactly=true" | FileCheck %s --check-prefix=FREE
// RUN: npu-opt %s --npu-assign-layout="io-layout=x=NHWC verify-exactly=true" | FileCheck %s --check-prefix=NAMED
// RUN: npu-opt %s --npu-assign-layout="io-layout=y=acdb,free,x=abcd verify-exactly=true" | FileCheck %s --check-prefix=BOTH
// RUN: npu-opt %s --npu-assign-layout="io-layout=x=free,y=free verify-exactly=true" | FileCheck %s --check-prefix=FREE
// RUN: npu-opt %s --npu-assign-layout="io-layout=free,x=fixed verify-exactly=true" | FileCheck %s --check-prefix=BOTH

// FREE: %{{.*}}: tensor<2x8x6x6xf32, #npu.layout<acdb>>
// FREE-NOT: npu.relayout
// NAMED: %{{.*}}: tensor<2x8x6x6xf32, #npu.layout<acdb>>
// NAMED: npu.relayout
// NAMED-NOT: npu.relayout
// BOTH: %{{.*}}: tensor<2x8x6x6xf32, #npu.layout<abcd>>
// BOTH: npu.relayout
// BOTH-NOT: npu.relayout
// BOTH: return {{.*}} #npu.layout<acdb>>
// FREE: return
func.func @boundary(%x: tensor<2x8x6x6xf32> {npu.name = "x"}) -> (tensor<2x8x6x6xf32> {npu.name = "y"}) {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
  return %0 : tensor<2x8x6x6xf32>
}
