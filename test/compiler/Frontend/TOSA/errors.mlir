// Every error that a file of TOSA can provoke; TosaImportTest.cpp has some more.
// RUN: not tosa-import %s 2>&1 | FileCheck %s

// CHECK: model: unsupported: output 0 is no tensor
func.func @f(%x: tensor<4xf32>) -> !tosa.shape<1> {
  %s = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  return %s : !tosa.shape<1>
}

// -----
// CHECK-NEXT: model: cast 'line 3': unsupported: gives tensor<4xi4>, which no value of npuc can be; expected f32, f16, bf16, i8, i16, i32, i64 or i1
func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
  %y = tosa.cast %x : (tensor<4xi8>) -> tensor<4xi4>
  %z = tosa.cast %y : (tensor<4xi4>) -> tensor<4xi8>
  return %z : tensor<4xi8>
}

// -----
// CHECK-NEXT: model: input 'input0' is 'tensor<0x2xf32>', expected positive sizes
func.func @f(%x: tensor<0x2xf32>) -> tensor<0x2xf32> {
  return %x : tensor<0x2xf32>
}

// -----
// CHECK-NEXT: model: const 'line 3': unsupported: has elements of i4, expected f32, f16, bf16, i8, i16, i32, i64 or i1
func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
  %y = "tosa.const"() {values = dense<1> : tensor<4xi4>} : () -> tensor<4xi4>
  return %x : tensor<4xi8>
}

// -----
// CHECK-NEXT: model: const 'line 3': unsupported: has elements that are neither dense nor a resource
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "tosa.const"() {values = sparse<[[0]], [1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----
// CHECK-NEXT: model: function 'f' must be one block that ends in func.return
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^second:
  return %x : tensor<4xf32>
}

// -----
// CHECK-NEXT: model: table 'line 3': gives i8, but the file says i16
func.func @f(%x: tensor<4xi8>, %t: tensor<256xi8>) -> tensor<4xi16> {
  %y = tosa.table %x, %t : (tensor<4xi8>, tensor<256xi8>) -> tensor<4xi16>
  return %y : tensor<4xi16>
}

// -----
// CHECK-NEXT: model: conv2d 'line 8': a window of extent 2 does not fit the padded extent 1 of spatial dimension 0
func.func @f(%x: tensor<1x4x4x3xf32>) -> tensor<?x?x?x4xf32> {
  %s = tosa.const_shape {values = dense<[1, 1, 1, 48]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w = "tosa.const"() {values = dense<1.0> : tensor<4x2x2x48xf32>} : () -> tensor<4x2x2x48xf32>
  %b = "tosa.const"() {values = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r = tosa.reshape %x, %s : (tensor<1x4x4x3xf32>, !tosa.shape<4>) -> tensor<?x?x?x?xf32>
  %y = tosa.conv2d %r, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<?x?x?x?xf32>, tensor<4x2x2x48xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x4xf32>
  return %y : tensor<?x?x?x4xf32>
}

// -----
// CHECK-NEXT: model: conv2d 'line 5': found a bias of 2 numbers, expected 4, one for each output channel
func.func @f(%x: tensor<1x4x4x3xf32>, %c: tensor<?xf32>) -> tensor<1x4x4x4xf32> {
  %w = "tosa.const"() {values = dense<1.0> : tensor<4x1x1x3xf32>} : () -> tensor<4x1x1x3xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %c, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<4x1x1x3xf32>, tensor<?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}

// -----
// CHECK-NEXT: model: depthwise_conv2d 'line 8': found data 1x4x6x2 and weight 1x1x3x2, expected as many channels in both
func.func @f(%x: tensor<1x4x4x3xf32>) -> tensor<?x?x?x?xf32> {
  %s = tosa.const_shape {values = dense<[1, 4, 6, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w = "tosa.const"() {values = dense<1.0> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %b = "tosa.const"() {values = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r = tosa.reshape %x, %s : (tensor<1x4x4x3xf32>, !tosa.shape<4>) -> tensor<?x?x?x?xf32>
  %y = tosa.depthwise_conv2d %r, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<?x?x?x?xf32>, tensor<1x1x3x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// -----
// CHECK-NEXT: model: transpose_conv2d 'line 8': pads 2 and 2 leave nothing of spatial dimension 0
func.func @f(%x: tensor<1x4x4x3xf32>) -> tensor<?x?x?x?xf32> {
  %s = tosa.const_shape {values = dense<[1, 1, 1, 48]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w = "tosa.const"() {values = dense<1.0> : tensor<4x3x3x48xf32>} : () -> tensor<4x3x3x48xf32>
  %b = "tosa.const"() {values = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r = tosa.reshape %x, %s : (tensor<1x4x4x3xf32>, !tosa.shape<4>) -> tensor<?x?x?x?xf32>
  %y = tosa.transpose_conv2d %r, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: -2, -2, 0, 0>, stride = array<i64: 1, 1>} : (tensor<?x?x?x?xf32>, tensor<4x3x3x48xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// -----
// CHECK-NEXT: model: matmul 'line 3': unsupported: multiplies i8 by i8, expected floats, or i8 by i8 with constant zero points
func.func @f(%x: tensor<1x4x3xi8>, %y: tensor<1x3x2xi8>, %p: tensor<1xi8>) -> tensor<1x4x2xi32> {
  %r = tosa.matmul %x, %y, %p, %p : (tensor<1x4x3xi8>, tensor<1x3x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x2xi32>
  return %r : tensor<1x4x2xi32>
}

// -----
// CHECK-NEXT: model: slice 'line 6': found 2 numbers as the start, expected 1
func.func @f(%x: tensor<4x6xf32>) -> tensor<*xf32> {
  %s = tosa.const_shape {values = dense<[24]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %a = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %x, %s : (tensor<4x6xf32>, !tosa.shape<1>) -> tensor<*xf32>
  %y = tosa.slice %r, %a, %a : (tensor<*xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----
// CHECK-NEXT: model: reshape 'line 4': reshapes to -3x-8, expected positive sizes
func.func @f(%x: tensor<4x6xf32>) -> tensor<*xf32> {
  %s = tosa.const_shape {values = dense<[-3, -8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %x, %s : (tensor<4x6xf32>, !tosa.shape<2>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----
// CHECK-NEXT: model: pad 'line 5': pads by -2, expected numbers that are not negative
func.func @f(%x: tensor<4x6xf32>) -> tensor<*xf32> {
  %s = tosa.const_shape {values = dense<[0, 0, 1, -2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %c = "tosa.const"() {values = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r = tosa.pad %x, %s, %c : (tensor<4x6xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----
// CHECK-NEXT: model: gather 'line 5': found values 1x4x6 and indices 2x3, expected the same batch
func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x3xi32>) -> tensor<?x?x?xf32> {
  %s = tosa.const_shape {values = dense<[1, 4, 6]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %r = tosa.reshape %x, %s : (tensor<4x6xf32>, !tosa.shape<3>) -> tensor<?x?x?xf32>
  %y = tosa.gather %r, %i : (tensor<?x?x?xf32>, tensor<2x3xi32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----
// CHECK-NEXT: model: scatter 'line 5': found values 1x4x6, indices 1x3 and input 1x4x6, expected (N, K, C), (N, W) and (N, W, C)
func.func @f(%x: tensor<4x6xf32>, %i: tensor<1x3xi32>) -> tensor<?x?x?xf32> {
  %s = tosa.const_shape {values = dense<[1, 4, 6]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %r = tosa.reshape %x, %s : (tensor<4x6xf32>, !tosa.shape<3>) -> tensor<?x?x?xf32>
  %y = tosa.scatter %r, %i, %r : (tensor<?x?x?xf32>, tensor<1x3xi32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----
// CHECK-NEXT: model: logical_right_shift 'line 3': shifts i64, expected i8, i16 or i32
func.func @f(%x: tensor<4xi64>) -> tensor<4xi64> {
  %y = tosa.logical_right_shift %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %y : tensor<4xi64>
}

// -----
// CHECK-NEXT: model: mul 'line 3': unsupported: the shift must be one constant number
func.func @f(%x: tensor<4xi32>, %s: tensor<1xi8>) -> tensor<4xi32> {
  %y = tosa.mul %x, %x, %s : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----
// CHECK-NEXT: model: mul 'line 4': found the shift 64, expected 0 to 63
func.func @f(%x: tensor<4xi32>) -> tensor<4xi32> {
  %s = "tosa.const"() {values = dense<64> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.mul %x, %x, %s : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----
// CHECK-NEXT: model: negate 'line 3': unsupported: the zero points must be constant numbers
func.func @f(%x: tensor<4xi8>, %s: tensor<1xi8>) -> tensor<4xi8> {
  %y = tosa.negate %x, %s, %s : (tensor<4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----
// CHECK-NEXT: model: avg_pool2d 'line 4': unsupported: averages i8, expected floats, or i8 with constant zero points
func.func @f(%x: tensor<1x4x4x3xi8>, %s: tensor<1xi8>) -> tensor<1x4x4x3xi8> {
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.avg_pool2d %x, %z, %s {acc_type = i32, kernel = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x3xi8>
  return %y : tensor<1x4x4x3xi8>
}

// -----
// CHECK-NEXT: model: rescale 'line 6': unsupported: the zero points must be constant numbers
func.func @f(%x: tensor<4xi8>, %z: tensor<1xi8>) -> tensor<4xi8> {
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<31> : tensor<1xi8>} : () -> tensor<1xi8>
  %a = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.rescale %x, %m, %s, %a, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----
// CHECK-NEXT: model: max_pool2d 'line 5': a window of extent 3 does not fit the padded extent 1 of spatial dimension 0
func.func @f(%x: tensor<1x4x4x3xf32>) -> tensor<?x?x?x?xf32> {
  %s = tosa.const_shape {values = dense<[1, 1, 1, 48]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %r = tosa.reshape %x, %s : (tensor<1x4x4x3xf32>, !tosa.shape<4>) -> tensor<?x?x?x?xf32>
  %y = tosa.max_pool2d %r {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// -----
// CHECK-NEXT: model: avg_pool2d 'line 4': unsupported: averages i16, expected floats, or i8 with constant zero points
func.func @f(%x: tensor<1x4x4x3xi16>) -> tensor<1x4x4x3xi16> {
  %z = "tosa.const"() {values = dense<0> : tensor<1xi16>} : () -> tensor<1xi16>
  %y = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x3xi16>, tensor<1xi16>, tensor<1xi16>) -> tensor<1x4x4x3xi16>
  return %y : tensor<1x4x4x3xi16>
}

// -----
// CHECK-NEXT: model: resize 'line 5': has an offset or border beyond 2^20
func.func @f(%x: tensor<1x2x2x3xi8>) -> tensor<?x?x?x?xi8> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 2000000]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %s, %o, %o {mode = NEAREST_NEIGHBOR} : (tensor<1x2x2x3xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xi8>
  return %y : tensor<?x?x?x?xi8>
}

// -----
// Its magnitude is no number of 64 bits.
// CHECK-NEXT: model: resize 'line 6': has an offset or border beyond 2^20
func.func @f(%x: tensor<1x2x2x3xi8>) -> tensor<?x?x?x?xi8> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, -9223372036854775808]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %s, %o, %o {mode = NEAREST_NEIGHBOR} : (tensor<1x2x2x3xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xi8>
  return %y : tensor<?x?x?x?xi8>
}

// -----
// CHECK-NEXT: model: resize 'line 7': scale 4x3x4x2, offset 0 and border 0 give no whole extent from 2
func.func @f(%x: tensor<12xi8>) -> tensor<?x?x?x?xi8> {
  %q = tosa.const_shape {values = dense<[1, 2, 2, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s = tosa.const_shape {values = dense<[4, 3, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %x, %q : (tensor<12xi8>, !tosa.shape<4>) -> tensor<?x?x?x?xi8>
  %y = tosa.resize %r, %s, %o, %o {mode = NEAREST_NEIGHBOR} : (tensor<?x?x?x?xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xi8>
  return %y : tensor<?x?x?x?xi8>
}

// -----
// CHECK-NEXT: model: rescale 'line 7': unsupported: rescales i64 to i8, expected at most 32 bits
func.func @f(%x: tensor<4xi64>) -> tensor<4xi8> {
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<30> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %a = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.rescale %x, %m, %s, %z, %a {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4xi64>, tensor<1xi32>, tensor<1xi8>, tensor<1xi64>, tensor<1xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----
// CHECK-NEXT: model: conv2d 'line 7': unsupported: convolves i32 by i8, expected floats, or i8 by i8
func.func @f(%x: tensor<1x4x4x3xi32>) -> tensor<1x4x4x4xi32> {
  %w = "tosa.const"() {values = dense<1> : tensor<4x1x1x3xi8>} : () -> tensor<4x1x1x3xi8>
  %b = "tosa.const"() {values = dense<1> : tensor<4xi32>} : () -> tensor<4xi32>
  %v = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %y = tosa.conv2d %x, %w, %b, %z, %v {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x3xi32>, tensor<4x1x1x3xi8>, tensor<4xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x4xi32>
  return %y : tensor<1x4x4x4xi32>
}

// -----
// CHECK-NEXT: model: tile 'line 4': found -1 repeats, expected 1 to 2^31
func.func @f(%x: tensor<4x6xf32>) -> tensor<*xf32> {
  %s = tosa.const_shape {values = dense<[1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.tile %x, %s : (tensor<4x6xf32>, !tosa.shape<2>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----
// CHECK-NEXT: model: resize 'line 7': has the scale 4x2000000x4x2, expected numbers from 1 to 2^20
func.func @f(%x: tensor<1x2x2x3xi8>) -> tensor<?x?x?x?xi8> {
  %s = tosa.const_shape {values = dense<[4, 2000000, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %q = tosa.const_shape {values = dense<[1, 2, 2, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %r = tosa.reshape %x, %q : (tensor<1x2x2x3xi8>, !tosa.shape<4>) -> tensor<?x?x?x?xi8>
  %y = tosa.resize %r, %s, %o, %o {mode = NEAREST_NEIGHBOR} : (tensor<?x?x?x?xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xi8>
  return %y : tensor<?x?x?x?xi8>
}

// -----
// CHECK-NEXT: model: unsupported: input 'input1' is '!tosa.shape<1>', expected a tensor of f32, f16, bf16, i8, ui8, i16, i32, i64 or i1
func.func @f(%x: tensor<4xf32>, %s: !tosa.shape<1>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----
// CHECK-NEXT: model: rescale 'line 8': rescales a scalar by channel
func.func @f(%x: tensor<i8>) -> tensor<*xi8> {
  %q = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<30> : tensor<1xi8>} : () -> tensor<1xi8>
  %a = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %u = tosa.reshape %x, %q : (tensor<i8>, !tosa.shape<0>) -> tensor<*xi8>
  %y = tosa.rescale %u, %m, %s, %a, %a {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<*xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<*xi8>
  return %y : tensor<*xi8>
}

// -----
// CHECK-NEXT: model: resize 'line 5': gives the extent 999990001, expected at most 2^20
func.func @f(%x: tensor<1x100000x1x1xi8>) -> tensor<?x?x?x?xi8> {
  %s = tosa.const_shape {values = dense<[10000, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %s, %o, %o {mode = NEAREST_NEIGHBOR} : (tensor<1x100000x1x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xi8>
  return %y : tensor<?x?x?x?xi8>
}
