// RUN: npu-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// States stand behind all others, on both sides, in one sequence.
// CHECK-LABEL: @states
// CHECK-SAME: %{{.*}}: tensor<4xf32> {npu.name = "x"}
// CHECK-SAME: npu.begins_as = dense<1.000000e+00> : tensor<4xf32>, npu.name = "s", npu.state = "s"
func.func @states(%x: tensor<4xf32> {npu.name = "x"}, %s: tensor<4xf32> {npu.begins_as = dense<1.0> : tensor<4xf32>, npu.name = "s", npu.state = "s"}, %t: tensor<2x1x3xf32, #npu.layout<abc>> {npu.state = "t"})
    -> (tensor<4xf32>, tensor<4xf32> {npu.state = "s"}, tensor<2x1x3xf32, #npu.layout<bac>> {npu.state = "t"}) {
  %0 = npu.eltwise add(%x, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = npu.relayout(%t) : (tensor<2x1x3xf32, #npu.layout<abc>>) -> tensor<2x1x3xf32, #npu.layout<bac>>
  return %0, %0, %1 : tensor<4xf32>, tensor<4xf32>, tensor<2x1x3xf32, #npu.layout<bac>>
}

// -----

// expected-error @+1 {{npu.state is 3 : i64, expected a name without zero characters}}
func.func @number(%s: tensor<4xf32> {npu.state = 3}) -> (tensor<4xf32> {npu.state = 3}) {
  return %s : tensor<4xf32>
}

// -----

// expected-error @+1 {{npu.state is "", expected a name without zero characters}}
func.func @empty(%s: tensor<4xf32> {npu.state = ""}) -> (tensor<4xf32> {npu.state = ""}) {
  return %s : tensor<4xf32>
}

// -----

// expected-error @+1 {{state "s" is argument 0, expected states behind all other arguments}}
func.func @ahead(%s: tensor<4xf32> {npu.state = "s"}, %x: tensor<4xf32>) -> (tensor<4xf32> {npu.state = "s"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{state "s" has no result at its place}}
func.func @no_result(%s: tensor<4xf32> {npu.state = "s"}) -> tensor<4xf32> {
  return %s : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 is state "s", which no argument is at its place}}
func.func @no_argument(%x: tensor<4xf32>) -> (tensor<4xf32> {npu.state = "s"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{state "s" has no result at its place}}
func.func @crossed(%s: tensor<4xf32> {npu.state = "s"}, %t: tensor<4xf32> {npu.state = "t"})
    -> (tensor<4xf32> {npu.state = "t"}, tensor<4xf32> {npu.state = "s"}) {
  return %s, %t : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{has two arguments that are state "s"}}
func.func @twice(%s: tensor<4xf32> {npu.state = "s"}, %t: tensor<4xf32> {npu.state = "s"})
    -> (tensor<4xf32> {npu.state = "s"}, tensor<4xf32> {npu.state = "s"}) {
  return %s, %t : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{before a run and 'tensor<2x2xf32>' after it, expected the same type, stored alike}}
func.func @shapes(%s: tensor<4xf32> {npu.state = "s"}, %x: tensor<2x2xf32> {npu.state = "x"})
    -> (tensor<2x2xf32> {npu.state = "s"}, tensor<2x2xf32> {npu.state = "x"}) {
  return %x, %x : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// expected-error @+1 {{expected the same type, stored alike}}
func.func @orders(%s: tensor<2x3xf32, #npu.layout<ab>> {npu.state = "s"})
    -> (tensor<2x3xf32, #npu.layout<ba>> {npu.state = "s"}) {
  %0 = npu.relayout(%s) : (tensor<2x3xf32, #npu.layout<ab>>) -> tensor<2x3xf32, #npu.layout<ba>>
  return %0 : tensor<2x3xf32, #npu.layout<ba>>
}

// -----

// expected-error @+1 {{argument 0 has npu.begins_as, but no npu.state}}
func.func @no_state(%s: tensor<4xf32> {npu.begins_as = dense<1.0> : tensor<4xf32>}) -> tensor<4xf32> {
  return %s : tensor<4xf32>
}

// -----

// expected-error @+1 {{state "s" begins as another type than it has, expected elements of 'tensor<4xf32>'}}
func.func @other_elements(%s: tensor<4xf32> {npu.begins_as = dense<1> : tensor<4xi32>, npu.state = "s"}) -> (tensor<4xf32> {npu.state = "s"}) {
  return %s : tensor<4xf32>
}
