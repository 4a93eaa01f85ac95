// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=conv2d:NCHW:OIHW io-layout=x=NHWC,y=NHWC verify-exactly=true" | FileCheck %s --check-prefixes=ALL,NCHW
// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=conv2d:NHWC:default io-layout=x=NCHW,y=NCHW verify-exactly=true" | FileCheck %s --check-prefixes=ALL,NHWC
// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=conv2d:NCHW16c:OIHW16o,max_pool:NHWC io-layout=x=NHWC,y=NHWC verify-exactly=true" | FileCheck %s --check-prefixes=ALL,BLOCK
// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefixes=CHIP
// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=npu-nchw16c verify-exactly=true" | FileCheck %s --check-prefixes=CHIP16
// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=conv2d:NHWC:default" -o %t.once.mlir
// RUN: npu-opt %t.once.mlir --npu-fold-layout="target=host" | diff %t.once.mlir -
// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=conv2d:NHWC:OIHW verify-exactly=true" | FileCheck %s --check-prefix=OWN

// TVM's example: two NHWC convolutions with ReLUs. One relayout at each end,
// the weights' fold away; either direction, and into blocks.
// ALL-LABEL: @two
// ALL: npu.relayout(%{{.*}}) : (tensor<1x64x56x56xf32, #npu.layout<
// ALL-NOT: npu.relayout
// NCHW: npu.conv2d({{.*}} : (tensor<1x64x56x56xf32, #npu.layout<abcd>>, tensor<32x64x3x3xf32, #npu.layout<abcd>>) -> tensor<1x32x56x56xf32, #npu.layout<abcd>>
// NHWC: npu.conv2d({{.*}} : (tensor<1x64x56x56xf32, #npu.layout<acdb>>, tensor<32x64x3x3xf32, #npu.layout<cdab>>) -> tensor<1x32x56x56xf32, #npu.layout<acdb>>
// BLOCK: npu.conv2d({{.*}} : (tensor<1x64x56x56xf32, #npu.layout<aBcd16b>>, tensor<32x64x3x3xf32, #npu.layout<Abcd16a>>) -> tensor<1x32x56x56xf32, #npu.layout<aBcd16b>>
// ALL-NOT: npu.relayout
// ALL: npu.relayout(%{{.*}}) : (tensor<1x32x56x56xf32, #npu.layout<
// ALL-NOT: npu.relayout
// ALL: return
// CHIP-LABEL: @two
// CHIP: npu.relayout
// CHIP-NOT: npu.relayout
// CHIP: npu.conv2d({{.*}} : (tensor<1x64x56x56xf32, #npu.layout<acdb>>, tensor<32x64x3x3xf32, #npu.layout<cdab>>)
// CHIP: npu.relayout
// CHIP-NOT: npu.relayout
// CHIP: return
// CHIP16-LABEL: @two
// CHIP16: npu.relayout
// CHIP16-NOT: npu.relayout
// CHIP16: npu.conv2d({{.*}} : (tensor<1x64x56x56xf32, #npu.layout<aBcd16b>>, tensor<32x64x3x3xf32, #npu.layout<Abcd16a>>)
// CHIP16: npu.relayout
// CHIP16-NOT: npu.relayout
// CHIP16: return
// A weight may have an order of its own.
// OWN-LABEL: @two
// OWN: npu.conv2d({{.*}} : (tensor<1x64x56x56xf32, #npu.layout<acdb>>, tensor<32x64x3x3xf32, #npu.layout<abcd>>) -> tensor<1x32x56x56xf32, #npu.layout<acdb>>
func.func @two(%x: tensor<1x64x56x56xf32> {npu.name = "x"}) -> (tensor<1x32x56x56xf32> {npu.name = "y"}) {
  %v = npu.constant dense<1.0> : tensor<32x64x3x3xf32> -> tensor<32x64x3x3xf32>
  %w = npu.constant dense<1.0> : tensor<32x32x3x3xf32> -> tensor<32x32x3x3xf32>
  %0 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x64x56x56xf32>, tensor<32x64x3x3xf32>) -> tensor<1x32x56x56xf32>
  %1 = npu.eltwise relu(%0) : (tensor<1x32x56x56xf32>) -> tensor<1x32x56x56xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x32x56x56xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x56x56xf32>
  %3 = npu.eltwise relu(%2) : (tensor<1x32x56x56xf32>) -> tensor<1x32x56x56xf32>
  return %3 : tensor<1x32x56x56xf32>
}

// A batch normalisation as the classic lightly sensitive op: its per-channel
// operands have layout C, whatever the data's order; a reduction to the
// channels gives C. Axes are logical, so no attribute changes.
// ALL-LABEL: @batchnorm
// NCHW: npu.eltwise mul(%{{.*}}, %{{.*}}) : (tensor<1x8x6x6xf32, #npu.layout<abcd>>, tensor<8x1x1xf32, #npu.layout<abc>>)
// NHWC: npu.eltwise mul(%{{.*}}, %{{.*}}) : (tensor<1x8x6x6xf32, #npu.layout<acdb>>, tensor<8x1x1xf32, #npu.layout<{{abc|bca}}>>)
// BLOCK: npu.eltwise mul(%{{.*}}, %{{.*}}) : (tensor<1x8x6x6xf32, #npu.layout<aBcd16b>>, tensor<8x1x1xf32, #npu.layout<Abc16a>>)
// NCHW: npu.reduce(%{{.*}}) {axes = [0, 2, 3], keep_dims = false, kind = #npu.reduce_kind<mean>} : (tensor<1x8x6x6xf32, #npu.layout<abcd>>) -> tensor<8xf32, #npu.layout<a>>
// NHWC: npu.reduce(%{{.*}}) {axes = [0, 2, 3], keep_dims = false, kind = #npu.reduce_kind<mean>} : (tensor<1x8x6x6xf32, #npu.layout<acdb>>) -> tensor<8xf32, #npu.layout<a>>
// BLOCK: npu.reduce(%{{.*}}) {axes = [0, 2, 3], keep_dims = false, kind = #npu.reduce_kind<mean>} : (tensor<1x8x6x6xf32, #npu.layout<aBcd16b>>) -> tensor<8xf32, #npu.layout<A16a>>
func.func @batchnorm(%x: tensor<1x8x6x6xf32> {npu.name = "x"}) -> (tensor<1x8x6x6xf32> {npu.name = "y"}, tensor<8xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %s = npu.constant dense<2.0> : tensor<8x1x1xf32> -> tensor<8x1x1xf32>
  %t = npu.constant dense<3.0> : tensor<8x1x1xf32> -> tensor<8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %1 = npu.eltwise mul(%0, %s) : (tensor<1x8x6x6xf32>, tensor<8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %2 = npu.eltwise add(%1, %t) : (tensor<1x8x6x6xf32>, tensor<8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %3 = npu.reduce(%2) {axes = [0, 2, 3], keep_dims = false, kind = #npu.reduce_kind<mean>} : (tensor<1x8x6x6xf32>) -> tensor<8xf32>
  return %2, %3 : tensor<1x8x6x6xf32>, tensor<8xf32>
}

// The first converted operand decides, not the first one.
// ALL-LABEL: @residual
// NHWC: npu.eltwise add(%{{.*}}, %{{.*}}) : (tensor<1x8x6x6xf32, #npu.layout<acdb>>, tensor<1x8x6x6xf32, #npu.layout<acdb>>)
// BLOCK: npu.eltwise add(%{{.*}}, %{{.*}}) : (tensor<1x8x6x6xf32, #npu.layout<aBcd16b>>, tensor<1x8x6x6xf32, #npu.layout<aBcd16b>>)
// BLOCK: npu.max_pool({{.*}} -> tensor<1x8x3x3xf32, #npu.layout<acdb>>
func.func @residual(%x: tensor<1x8x6x6xf32> {npu.name = "x"}) -> (tensor<1x8x3x3xf32> {npu.name = "y"}) {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %1 = npu.eltwise add(%x, %0) : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %2 = npu.max_pool(%1) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x8x6x6xf32>) -> tensor<1x8x3x3xf32>
  return %2 : tensor<1x8x3x3xf32>
}
