// RUN: npu-opt %s --npu-peephole-layout="target=npu-nchw16c" -o %t.once.mlir
// RUN: FileCheck %s < %t.once.mlir
// RUN: npu-opt %t.once.mlir --npu-peephole-layout="target=npu-nchw16c" | diff %t.once.mlir -

// relayout(16c to NCHW) - add(bias CHW) becomes an add in blocks; the bias lies
// as it would in blocks.
// CHECK-LABEL: @add_bias
// CHECK: npu.constant {{.*}} -> tensor<16x1x1xf32, #npu.layout<abc>>
// CHECK: npu.eltwise add({{.*}} -> tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @add_bias(%x: tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>> {
  %b = npu.constant dense<1.0> : tensor<16x1x1xf32> -> tensor<16x1x1xf32, #npu.layout<abc>>
  %0 = npu.relayout(%x) : (tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %1 = npu.eltwise add(%0, %b) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>, tensor<16x1x1xf32, #npu.layout<abc>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  return %1 : tensor<1x16x8x8xf32, #npu.layout<abcd>>
}

// Through several ops in a row, until the pair cancels.
// CHECK-LABEL: @pair
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @pair(%x: tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>) -> tensor<1x16x8x8xf32, #npu.layout<aBcd16b>> {
  %0 = npu.relayout(%x) : (tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %1 = npu.eltwise relu(%0) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %2 = npu.eltwise tanh(%1) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %3 = npu.eltwise sigmoid(%2) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %4 = npu.relayout(%3) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>
  return %4 : tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>
}

// Two readers at once; the pooling runs in blocks because the chip lists them.
// CHECK-LABEL: @two_readers
// CHECK-NOT: npu.relayout
// CHECK: npu.max_pool({{.*}} -> tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @two_readers(%x: tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>) -> (tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>, tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>) {
  %0 = npu.relayout(%x) : (tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %1 = npu.eltwise relu(%0) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %2 = npu.max_pool(%0) {dilations = [1, 1], kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %3 = npu.relayout(%1) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>
  %4 = npu.relayout(%2) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>
  return %3, %4 : tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>, tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>
}

// Two operands from different orders: whichever the sum runs in, two relayouts
// are left. It must not go to and fro between them.
// CHECK-LABEL: @between_two
// CHECK-COUNT-2: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @between_two(%x: tensor<1x32x8x8xf32, #npu.layout<aBcd16b>>, %y: tensor<1x32x8x8xf32, #npu.layout<acdb>>) -> tensor<1x32x8x8xf32, #npu.layout<abcd>> {
  %0 = npu.relayout(%x) : (tensor<1x32x8x8xf32, #npu.layout<aBcd16b>>) -> tensor<1x32x8x8xf32, #npu.layout<abcd>>
  %1 = npu.relayout(%y) : (tensor<1x32x8x8xf32, #npu.layout<acdb>>) -> tensor<1x32x8x8xf32, #npu.layout<abcd>>
  %2 = npu.eltwise add(%0, %1) : (tensor<1x32x8x8xf32, #npu.layout<abcd>>, tensor<1x32x8x8xf32, #npu.layout<abcd>>) -> tensor<1x32x8x8xf32, #npu.layout<abcd>>
  return %2 : tensor<1x32x8x8xf32, #npu.layout<abcd>>
}
