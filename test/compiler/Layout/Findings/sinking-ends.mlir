// RUN: npu-opt %s --npu-peephole-layout="target=npu-nhwc" | FileCheck %s
// RUN: npu-opt %s --npu-peephole-layout="target=npu-nhwc" --npu-peephole-layout="target=npu-nhwc" | FileCheck %s

// Three operands from three orders: the sum ran in the first, then in the
// second, then in the third, without end.
// CHECK-COUNT-3: npu.relayout
// CHECK-NOT: npu.relayout
func.func @main(%x: tensor<2x3x4x5xf32, #npu.layout<acdb>>, %y: tensor<2x3x4x5xf32, #npu.layout<bacd>>, %z: tensor<2x3x4x5xf32, #npu.layout<dcba>>) -> tensor<2x3x4x5xf32, #npu.layout<abcd>> {
  %0 = npu.relayout(%x) : (tensor<2x3x4x5xf32, #npu.layout<acdb>>) -> tensor<2x3x4x5xf32, #npu.layout<abcd>>
  %1 = npu.relayout(%y) : (tensor<2x3x4x5xf32, #npu.layout<bacd>>) -> tensor<2x3x4x5xf32, #npu.layout<abcd>>
  %2 = npu.relayout(%z) : (tensor<2x3x4x5xf32, #npu.layout<dcba>>) -> tensor<2x3x4x5xf32, #npu.layout<abcd>>
  %3 = npu.eltwise add(%0, %1) : (tensor<2x3x4x5xf32, #npu.layout<abcd>>, tensor<2x3x4x5xf32, #npu.layout<abcd>>) -> tensor<2x3x4x5xf32, #npu.layout<abcd>>
  %4 = npu.eltwise add(%3, %2) : (tensor<2x3x4x5xf32, #npu.layout<abcd>>, tensor<2x3x4x5xf32, #npu.layout<abcd>>) -> tensor<2x3x4x5xf32, #npu.layout<abcd>>
  return %4 : tensor<2x3x4x5xf32, #npu.layout<abcd>>
}
