// RUN: npu-opt %s --npu-fold-layout="target=%S/../Inputs/tiled-reshapes.yaml" | FileCheck %s

// The chip has no bytes: it reads one that is given, for a cast, and moves none.
// CHECK-LABEL: @main
// CHECK: npu.eltwise cast(%arg0)
// CHECK: npu.relayout
func.func @main(%x: tensor<4x2xi8, #npu.layout<ab>> {npu.name = "x"}) -> (tensor<4x2xf32, #npu.layout<ba>> {npu.name = "y"}) {
  %0 = npu.eltwise cast(%x) : (tensor<4x2xi8, #npu.layout<ab>>) -> tensor<4x2xf32, #npu.layout<ab>>
  %1 = npu.relayout(%0) : (tensor<4x2xf32, #npu.layout<ab>>) -> tensor<4x2xf32, #npu.layout<ba>>
  return %1 : tensor<4x2xf32, #npu.layout<ba>>
}
