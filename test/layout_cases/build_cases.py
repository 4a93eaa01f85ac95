#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the layout cases: small ONNX models, each with the least number of relayouts it needs.

    python3 build_cases.py OUTDIR [--only REGEX]

Writes OUTDIR/<id>.onnx and OUTDIR/manifest.json. README.md says what is counted, case_builder.py
how to read a row.
"""
import case_builder

TABLE = r"""
== tvm/relay/test_pass_convert_op_layout.py
tvm_cv_conv_bias_pool | 2/1 | test_conv_bias_pool_convert_layout | NHWC 1+1, mirrored
    # flatten wants C,H,W order: one relayout inside is real
    in x f32[1,64,56,56]; w W f32[64,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; w B f32[64,1,1]; b = Add(y,B); r = Relu(b);
    p = MaxPool(r) kernel_shape=[2,2] strides=[1,1]; q = Cast(p) to=6; f = Flatten(q) axis=1; out f
tvm_cv_dual_path | 3/1 | test_dual_path_convert_layout | NHWC 2+1, mirrored
    # one value, an NHWC reader and a reader that is fixed to NCHW
    in x f32[1,64,56,56]; w W f32[32,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; r = Relu(y); w W2 f32[32,32,3,3];
    y1 = Conv(r,W2) pads=[1,1,1,1]; r1 = Relu(y1); f = Flatten(r) axis=1; out r1,f
tvm_cv_slice_like_self | 2 | test_slice_like_convert_layout (func_nchw) |
    # the slice ends come from Shape and are known at compile time
    in x f32[1,64,56,56]; w W f32[32,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; s = Shape(y) start=2 end=4;
    z = Slice(y,i{0,0},s,i{2,3}); out z~[1,32,56,56]
tvm_cv_slice_like_other | 2 | test_slice_like_convert_layout (func_vars) |
    # as above, from the shape of another input
    in x f32[1,64,56,56]; w W f32[32,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; in o f32[1,32,56,56];
    s = Shape(o) start=2 end=4; z = Slice(y,i{0,0},s,i{2,3}); out z~[1,32,56,56]
tvm_cv_transpose_to_nhwc | 1 | test_transpose_convert_layout (nchw_to_nhwc) | NHWC 1+0
    # the model's own Transpose is a view; Z has rank 3 and is a constant
    in x f32[1,64,56,56]; w W f32[32,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; w Z f32[32,56,56]; a = Add(y,Z);
    t = Transpose(a) perm=[0,2,3,1]; f = Flatten(t) axis=1; out f
tvm_cv_transpose_default_axes | 2 | test_transpose_convert_layout (default_axes) | NHWC 2+0
    # the reversing Transpose merges with the relayout at the output
    in x f32[1,64,56,56]; w W f32[32,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; w Z f32[32,56,56]; a = Add(y,Z);
    t = Transpose(a); out t
tvm_cv_qnn_conv_requantize | 2/0 | test_qnn_conv_requantize_convert_layout | NHWC 2+0, mirrored
    in x i8[1,64,56,56]; w W i8[64,64,3,3];
    y = QLinearConv(x,fs{1.0},i8s{1},W,fs{1.0},i8s{1},fs{1.0},i8s{1}) pads=[1,1,1,1]; z = Relu(y); out z
tvm_cv_qnn_conv_add | 2/0 | test_qnn_conv_add_convert_layout | NHWC 2+0, mirrored
    in x i8[1,64,56,56]; w W i8[64,64,3,3]; w W2 i8[64,64,3,3];
    y = QLinearConv(x,fs{1.0},i8s{1},W,fs{1.0},i8s{1},fs{1.0},i8s{1}) pads=[1,1,1,1];
    y1 = QLinearConv(y,fs{1.0},i8s{1},W2,fs{1.0},i8s{1},fs{1.0},i8s{1}) pads=[1,1,1,1];
    a = DequantizeLinear(y,fs{1.0},i8s{1}); b = DequantizeLinear(y1,fs{1.0},i8s{1}); s = Add(a,b);
    z = QuantizeLinear(s,fs{1.0},i8s{1}); out z
tvm_cv_qnn_conv_nhwc | 2 | test_qnn_conv_nhwc_convert_layout | NHWC 2+0
    in x i8[1,64,56,56]; w W i8[64,64,3,3];
    y = QLinearConv(x,fs{1.0},i8s{1},W,fs{1.0},i8s{1},fs{1.0},i8s{1}) pads=[1,1,1,1]; z = Relu(y); out z
tvm_cv_qnn_conv_transpose_requantize | 2/0 | test_qnn_conv_transpose_requantize_convert_layout | NHWC 2+0, mirrored
    # the weight passes a DequantizeLinear and still folds
    in x i8[1,64,56,56]; w W i8[64,64,3,3]; a = DequantizeLinear(x,fs{1.0},i8s{1});
    k = DequantizeLinear(W,fs{1.0},i8s{1}); y = ConvTranspose(a,k) pads=[1,1,1,1]; q = QuantizeLinear(y,fs{1.0},i8s{1});
    z = Relu(q); out z
tvm_cv_qnn_conv_avgpool | 2/0 | test_qnn_conv_avgpool_2d_convert_layout | NHWC 2+0, mirrored
    in x i8[1,64,56,56]; w W i8[64,64,3,3];
    y = QLinearConv(x,fs{1.0},i8s{1},W,fs{1.0},i8s{1},fs{1.0},i8s{1}) pads=[1,1,1,1];
    a = DequantizeLinear(y,fs{1.0},i8s{1}); p = AveragePool(a) kernel_shape=[3,3] strides=[1,1];
    z = QuantizeLinear(p,fs{1.0},i8s{1}); out z
tvm_cv_split_half | 2/0 | test_conv_split_convert_layout (1, 2) | NHWC 3+0, mirrored
    # one relayout before the Split, not one per piece
    in x f32[1,64,38,38]; w W f32[64,64,3,3]; y = Conv(x,W); r = Relu(y); a,b = Split(r) axis=1; out a,b
tvm_cv_split_uneven | 2/0 | test_conv_split_convert_layout (3) | NHWC 4+0, mirrored
    # three pieces that do not fill blocks of four
    in x f32[1,64,38,38]; w W f32[64,64,3,3]; y = Conv(x,W); r = Relu(y); a,b,d = Split(r,i{5,5,54}) axis=1; out a,b,d
tvm_cv_split_nchw4c | 2 | test_conv_split_convert_layout (blocking) | NCHW4c 3+0
    # the same for a blocked layout
    in x f32[1,64,38,38]; w W f32[64,64,3,3]; y = Conv(x,W); r = Relu(y); a,b = Split(r,i{32,32}) axis=1; out a,b
tvm_cv_different_ops | 2 | test_different_ops_convert_layout |
    in x f32[1,64,56,56]; w W1 f32[64,64,3,3]; y = Conv(x,W1) pads=[1,1,1,1]; a = QuantizeLinear(y,fs{1.0},i8s{1});
    w W2 i8[64,64,3,3]; b = QLinearConv(a,fs{1.0},i8s{1},W2,fs{1.0},i8s{1},fs{1.0},i8s{1}) pads=[1,1,1,1];
    d = DequantizeLinear(b,fs{1.0},i8s{1}); w W3 f32[64,64,3,3]; z = ConvTranspose(d,W3) pads=[1,1,1,1]; out z
tvm_cv_squeeze_one | 0 | test_conv_squeeze_convert_layout (1) | NHWC 2+0, mirrored
    # only C is larger than 1, so nothing moves
    in x f32[1,256,1,1]; w W f32[1000,256,1,1]; y = Conv(x,W); r = Relu(y); z = Squeeze(r,i{2}); out z
tvm_cv_squeeze_all | 0 | test_conv_squeeze_convert_layout (2) | NHWC 1+0, mirrored
    in x f32[1,256,1,1]; w W f32[1000,256,1,1]; y = Conv(x,W); r = Relu(y); z = Squeeze(r,i{0,2,3}); out z
== tvm/relay/test_pass_alter_op_layout.py
tvm_al_return_none | 0 | test_alter_return_none | NCHW 0+0
    in x f32[1,64,56,56]; z = GlobalMaxPool(x); out z
tvm_al_layout | 2 | test_alter_layout | NCHW16c 1+1
    # the same graph as tvm_cv_conv_bias_pool, for a blocked target
    in x f32[1,64,56,56]; w W f32[64,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; w B f32[64,1,1]; b = Add(y,B); r = Relu(b);
    p = MaxPool(r) kernel_shape=[2,2] strides=[1,1]; q = Cast(p) to=6; f = Flatten(q) axis=1; out f
tvm_al_dual_path | 3 | test_alter_layout_dual_path | NCHW16c 2+1
    in x f32[1,64,56,56]; w W f32[32,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; r = Relu(y); w W2 f32[32,32,3,3];
    y1 = Conv(r,W2) pads=[1,1,1,1]; r1 = Relu(y1); f = Flatten(r) axis=1; out r1,f
tvm_al_broadcast_scalar | 2/0 | test_alter_layout_broadcast_scalar_op | NCHW16c 2+0, mirrored
    # operands [1], [1,1] and [C,1,1], also on the left
    in x f32[1,64,500,500]; w W f32[64,64,3,3]; y = Conv(x,W); w B f32[64,1,1]; b = Add(B,y); r = Relu(b); w m1 f32[1];
    w m2 f32[1,1]; t = Mul(m1,r); z = Mul(t,m2); out z
tvm_al_upsampling | 2/0 | test_alter_layout_nchw_upsamping_op | NCHW16c 2+0
    in x f32[1,32,28,28]; w W f32[32,32,3,3]; y = Conv(x,W) pads=[1,1,1,1];
    u = Resize(y,_,f{1.0,1.0,2.0,2.0}) mode="nearest" coordinate_transformation_mode="asymmetric" nearest_mode="floor";
    z = AveragePool(u) kernel_shape=[2,2] strides=[2,2]; out z
tvm_al_depthwise | 2/0 | test_alter_layout_depthwise_conv2d | NCHW8c 2+0
    in x f32[1,32,56,56]; w W f32[32,1,3,3]; z = Conv(x,W) pads=[1,1,1,1] group=32; out z
tvm_al_pool | 2 | test_alter_layout_pool | NCHW16c 2+0
    in x f32[1,64,56,56]; w W f32[32,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; z = AveragePool(y) kernel_shape=[1,1];
    out z
tvm_al_sum | 1 | test_alter_layout_sum | NCHW16c 2+0
    # the result has one channel, so its order is free
    in x f32[1,64,56,56]; w W f32[32,64,3,3]; y = Conv(x,W) pads=[1,1,1,1]; z = ReduceSum(y,i{1}) keepdims=1; out z
tvm_al_dense | 0 | test_alter_op_dense | NC16n 0+0
    in x f32[32,1,128]; p = AveragePool(x) kernel_shape=[2] strides=[2]; s = Squeeze(p,i{1}); w W f32[48,64];
    z = Gemm(s,W) transB=1; out z
tvm_al_hw_transpose_between_convs | 1 | test_axis_semantic_change |
    # swapping H and W is real work; C = 1 makes everything else free
    in x f32[1,1,24,48]; w W1 f32[1,1,1,1]; y = Conv(x,W1); t = Transpose(y) perm=[0,1,3,2]; w W2 f32[1,1,1,1];
    z = Conv(t,W2); out z
== tvm/relax/test_transform_convert_layout.py
tvm_rx_conv2d | 2/0 | test_conv2d | NHWC 2+0, NCHW4c 0+0, NHWC4c 0+0
    # 3 channels: a blocked target leaves it alone
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; z = Conv(x,W); out z
tvm_rx_conv2d_blocked | 2 | test_conv2d_NCHW_sub_indexed | NCHW4c 2+0, NHWC4c 2+0
    in x f32[2,16,28,28]; w W f32[4,16,3,3]; z = Conv(x,W); out z
tvm_rx_conv2d_symbolic | 2 | test_conv2d_symbolic | NHWC 2+0
    in x f32[N,3,H,Wd]; w W f32[4,3,3,3]; z = Conv(x,W); out z
tvm_rx_conv2d_symbolic_blocked | 2 | test_conv2d_symbolic_sub_indexed | NCHW4c 2+0
    in x f32[N,16,H,Wd]; w W f32[4,16,3,3]; z = Conv(x,W); out z
tvm_rx_relu | 2/0 | test_conv2d_relu | NHWC 2+0
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); z = Relu(y); out z
tvm_rx_relu_blocked | 2 | test_conv2d_relu_sub_indexed | NCHW4c 2+0, NHWC4c 2+0
    in x f32[2,16,28,28]; w W f32[4,16,3,3]; y = Conv(x,W); z = Relu(y); out z
tvm_rx_relu_tanh | 2/0 | test_conv2d_relu_tanh | NHWC 2+0
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); r = Relu(y); z = Tanh(r); out z
tvm_rx_relu_tanh_blocked | 2 | test_conv2d_relu_tanh_sub_indexed | NCHW4c 2+0, NHWC4c 2+0
    in x f32[2,16,28,28]; w W f32[4,16,3,3]; y = Conv(x,W); r = Relu(y); z = Tanh(r); out z
tvm_rx_user_transpose | 2 | test_conv2d_transpose | NHWC 2+0
    # the reversing Transpose merges with the relayout at the output
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); z = Transpose(y) perm=[3,2,1,0]; out z
tvm_rx_user_transpose_blocked | 2 | test_conv2d_transpose_sub_indexed | NCHW4c 2+1, NHWC4c 2+1
    in x f32[2,16,28,28]; w W f32[4,16,3,3]; y = Conv(x,W); z = Transpose(y) perm=[3,2,1,0]; out z
tvm_rx_squeeze_blocked | 2 | test_conv2d_squeeze_sub_indexed | NCHW4c 1+1, NHWC4c 1+1
    # N goes away; NHWC passes as H,W,C
    in x f32[1,16,28,28]; w W f32[4,16,3,3]; y = Conv(x,W); z = Squeeze(y,i{0}); out z
tvm_rx_strided_slice | 2/0 | test_conv2d_strided_slice | NHWC 2+0
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); z = Slice(y,i{0,0,0},i{4,26,26},i{1,2,3},i{2,3,4}); out z
tvm_rx_strided_slice_blocked | 2 | test_conv2d_strided_slice_sub_indexed | NCHW4c 1+1, NHWC4c 1+1
    # a channel stride of 2 does not fit inside a block
    in x f32[2,16,28,28]; w W f32[4,16,3,3]; y = Conv(x,W); z = Slice(y,i{0,0,0},i{4,26,26},i{1,2,3},i{2,3,4}); out z
tvm_rx_adaptive_avgpool | 2/0 | test_conv2d_avgpool2d | NHWC 2+0
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); z = AveragePool(y) kernel_shape=[2,2] strides=[2,2]; out z
tvm_rx_adaptive_avgpool_blocked | 2 | test_conv2d_avgpool2d_sub_indexed | NCHW4c 2+0, NHWC4c 2+0
    in x f32[2,16,28,28]; w W f32[4,16,3,3]; y = Conv(x,W); z = AveragePool(y) kernel_shape=[2,2] strides=[2,2]; out z
tvm_rx_resize_conv2d | 2/0 | test_resize2d_conv2d | NHWC 2+0
    # relayout before the Resize, where the tensor is smaller
    in x f32[2,3,28,28]; r = Resize(x,_,_,i{2,3,52,52}) mode="linear"; w W f32[4,3,3,3]; z = Conv(r,W); out z
tvm_rx_dynamic_slice | 2 | test_conv2d_dynamic_strided_slice | NHWC 1+1
    # run-time bounds: permute three small vectors, never the activation
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); in be i64[4]=[0,1,0,2]; in en i64[4]=[2,4,26,20];
    in st i64[4]=[1,1,2,3]; z = Slice(y,be,en,i{0,1,2,3},st); out z~4
tvm_rx_flip_channel | 2/0 | test_conv2d_flip | NHWC 2+0
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); z = Slice(y,i{-1},i{-9223372036854775807},i{1},i{-1}); out z
tvm_rx_scatter_elements | 2 | test_conv2d_scatter_elements | NHWC 3+0
    # back to NCHW once and scatter there; the index tensor stays as it is
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); in n i64[2,4,26,26]=perm 1; r = Relu(y);
    z = ScatterElements(y,n,r) axis=1; out z
tvm_rx_scatter_nd | 2 | test_conv2d_scatter_nd | NHWC 2+0
    # the indices address N only
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); in n i64[2,1]=[1,0]; r = Relu(y); z = ScatterND(y,n,r); out z
tvm_rx_gather_elements | 2 | test_conv2d_gather_elements | NHWC 3+0
    # back to NCHW once and gather there
    in x f32[2,3,28,28]; w W f32[4,3,3,3]; y = Conv(x,W); in n i64[2,4,26,26]=0..4; z = GatherElements(y,n) axis=1;
    out z
tvm_rx_concat_unaligned_branch | 2 | test_conv2d_conv2d_callback_to_buffer_conv2d_concat | NCHW4c 1+2
    # 5 channels do not fill a block; NHWC does not care
    in x f32[2,32,40,40]; w W1 f32[96,32,2,2]; a = Conv(x,W1) strides=[2,2]; w B1 f32[1,96,1,1]; b = Add(a,B1);
    r = Relu(b); w W2 f32[32,96,2,2]; d = Conv(r,W2) strides=[2,2]; w W3 f32[5,96,2,2]; e = Conv(r,W3) strides=[2,2];
    z = Concat(d,e) axis=1; out z
== onnxruntime/transpose_optimizer_test.cc
ort_to_TestSplit | 0 | TestSplit | any 0+0
    in x f32[4,6,10]; t = Transpose(x) perm=[1,2,0]; a,b = Split(t) axis=1; u = Transpose(a) perm=[2,0,1];
    v = Transpose(b) perm=[2,0,1]; out u,v
ort_to_TestSplitDefaultAxis | 0 | TestSplitDefaultAxis | any 0+0
    in x f32[4,6,10]; t = Transpose(x) perm=[1,2,0]; a,b = Split(t); u = Transpose(a) perm=[2,0,1];
    v = Transpose(b) perm=[2,0,1]; out u,v
ort_to_TestPad | 0 | TestPad / TestPadOpset15 | any 0+0
    in x f32[4,6,2,10]; t = Transpose(x) perm=[0,3,1,2]; y = Pad(t,i{1,-2,3,4,5,6,7,8},fs{2.3}) mode="constant";
    z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestPadNonconst | 0 | TestPadNonconst | any 0+0
    # run-time pads
    in x f32[4,6,2,10]; in q i64[8]=[1,0,0,1,0,0,-1,1]; t = Transpose(x) perm=[0,3,1,2]; p = Add(q,i{1,-2,3,4,5,6,7,8});
    y = Pad(t,p,fs{2.3}) mode="constant"; z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestResize | 0 | TestResize / TestResizeOpset15 | any 0+0
    in x f32[4,6,2,10]; t = Transpose(x) perm=[0,3,1,2]; y = Resize(t,_,f{0.3,2.5,1.0,0.7});
    z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestResizeOpset11 | 0 | TestResizeOpset11 | any 0+0
    in x f32[4,6,2,10]; t = Transpose(x) perm=[0,3,1,2];
    y = Resize(t,f{0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0},f{0.3,2.5,1.0,0.7}); z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestResizeSizeRoi | 0 | TestResizeSizeRoi | any 0+0
    in x f32[4,6,2,10]; t = Transpose(x) perm=[0,3,1,2];
    y = Resize(t,f{0.1,0.2,0.3,0.4,0.9,0.8,0.7,0.6},_,i{10,9,8,7}) coordinate_transformation_mode="tf_crop_and_resize";
    z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestResizeRoiScalesZeroRank0 | 0 | TestResizeRoiScalesZeroRank0 | any 0+0
    in x u8[1,512,512,3]; t = Transpose(x) perm=[0,3,1,2]; y = Resize(t,f{},f{},i{1,256,32,32});
    z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestResizeNonconst | 0 | TestResizeNonconst / ...Opset13 | any 0+0
    # run-time region and scales
    in x f32[4,6,2,10]; in r f32[8]=[0.1,0.2,0.3,0.4,0.9,0.8,0.7,0.6]; in s f32[4]=[0.3,2.5,1.0,0.7];
    t = Transpose(x) perm=[0,3,1,2]; y = Resize(t,r,s) coordinate_transformation_mode="tf_crop_and_resize";
    z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestReduceMaxKeepdimsTrue | 0 | TestReduceMaxKeepdimsTrue | any 0+0
    in x f32[2,4,6,5]; t = Transpose(x) perm=[0,3,1,2]; y = ReduceMax(t) axes=[0,-2] keepdims=1;
    z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestReduceMaxDefaultAxes | 0 | TestReduceMaxDefaultAxes | any 1+0
    # one element is left: nothing to move
    in x f32[2,4,6,5]; t = Transpose(x) perm=[0,3,1,2]; y = ReduceMax(t); out y
ort_to_TestUnsqueeze | 0 | TestUnsqueezeOpset7/11/15 | any 0+0
    # rank 8
    in x f32[2,4,6,5]; t = Transpose(x) perm=[0,3,1,2]; y = Unsqueeze(t,i{0,-4,-1,5});
    z = Transpose(y) perm=[0,1,3,6,4,5,2,7]; out z
ort_to_TestWhere | 0 | TestWhere | any 0+0
    in c0 bool[4,6,10]; in s f32[]; in x f32[4,6,10]; a = Transpose(c0) perm=[1,2,0]; b = Transpose(x) perm=[1,2,0];
    d = Where(a,s,b); z = Transpose(d) perm=[2,0,1]; out z
ort_to_TestQuantizeLinearScalar | 0 | TestQuantizeLinearScalar | any 0+0
    in x f32[2,4,6,3]; in s f32[]=[0.05]; in p u8[]=[127]; t = Transpose(x) perm=[0,3,1,2]; y = QuantizeLinear(t,s,p);
    z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestQuantizeLinearVector | 0 | TestQuantizeLinearVector | any 0+0
    in x f32[2,4,6,3]; in s f32[2]=[0.05,0.08]; in p u8[2]=[10,120]; t = Transpose(x) perm=[0,3,1,2];
    y = QuantizeLinear(t,s,p) axis=0; z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestQuantizeLinearVectorAxis1 | 0 | TestQuantizeLinearVectorUnknownRank | any 0+0
    in x f32[2,4,6,3]; in s f32[3]=[0.05,0.08,0.02]; in p u8[3]=[10,120,3]; t = Transpose(x) perm=[0,3,1,2];
    y = QuantizeLinear(t,s,p) axis=1; z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestDequantizeLinearVector | 0 | TestDequantizeLinearVector | any 0+0
    in x u8[2,4,6,3]; in s f32[2]=[0.05,0.08]; in p u8[2]=[10,120]; t = Transpose(x) perm=[0,3,1,2];
    y = DequantizeLinear(t,s,p) axis=-4; z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestDequantizeLinearNoAxis | 0 | TestDequantizeLinearNoAxis | any 0+0
    in x u8[2,4,6,3]; in s f32[]=[0.05]; in p u8[]=[127]; t = Transpose(x) perm=[0,3,1,2]; y = DequantizeLinear(t,s,p);
    z = Transpose(y) perm=[0,2,3,1]; out z
ort_to_TestTransposeGraphOutput | 2 | TestTransposeGraphOutput | any 2+0
    # a and d are outputs and real, b is x
    in x f32[1,2,3,4]; a = Transpose(x) perm=[0,3,1,2]; b = Transpose(a) perm=[0,2,3,1];
    d = Transpose(a) perm=[2,0,1,3]; out a,b,d
ort_to_TestSimpleReshapeAsTranspose | 0 | TestSimpleReshapeAsTranspose | any 0+0
    in x f32[1,1,1,3]; in v f32[1,3]; m = Mul(x,v); t = Transpose(m) perm=[0,3,1,2]; r = Reshape(t,i{1,1,1,3});
    z = Identity(r); out m,z
ort_to_TestReshapeAsTransposeGraphOutput | 0 | TestReshapeAsTransposeGraphOutput | any 0+0
    in x f32[1,1,1,3]; in v f32[1,3]; m = Mul(x,v); t = Transpose(m) perm=[0,3,1,2]; z = Reshape(t,i{1,1,1,3}); out z
ort_to_TestCancelingNodesGraphOutputs | 0 | TestCancelingNodesGraphOutputs | any 0+0
    in x f32[1,1,1,3]; in v f32[1,3]; m = Mul(x,v); t = Transpose(m) perm=[0,3,1,2]; z = Reshape(t,i{1,1,1,3}); out m,z
ort_to_TransposeReshape | | TestReshape* (TestTransposeReshape helper) | any 0+1
    # the Reshape merges, keeps or splits transposed dimensions; m and z are both outputs
    in x f32$1; in s f32[1]; m = Mul(x,s); t = Transpose(m) perm=$2; r = Reshape(t,i$3); z = Identity(r); out m,z
    + Merge3D | 1 | [4,1,3] | [2,0,1] | {1,3,4}
    + Merge4D_a | 1 | [1,6,1,5] | [3,0,1,2] | {1,1,5,6}
    + Merge4D_b | 1 | [1,6,1,5] | [2,3,1,0] | {5,6,1,1}
    + Merge4D_c | 1 | [1,6,1,5] | [3,0,2,1] | {1,5,6,1}
    + CantMergeRank | 0 | [2,1,4] | [1,0,2] | {2,4}
    + CantMergeDim | 1 | [1,4,4,5] | [0,3,1,2] | {1,5,2,8}
    + CantMergeOrder | 1 | [1,4,8,3] | [0,3,1,2] | {1,3,8,4}
    + ZeroMerge | 1 | [1,5,7,1] | [0,3,2,1] | {1,7,1,0}
    + MinusOneMerge | 1 | [1,5,7,1] | [0,3,2,1] | {1,7,1,-1}
    + MinusOneUnchanged | 1 | [1,8,4,1] | [0,3,2,1] | {1,-1,2,8}
    + SplitChannel | 1 | [1,12,20,24] | [0,3,1,2] | {1,3,8,12,20}
    + SplitTwo | 1 | [2,4,6] | [2,0,1] | {2,3,2,2,2}
    + SplitBailsFlatten | 1 | [2,3,4] | [1,0,2] | {6,4}
ort_to_TransposeReshape | | TestReshape* (TestTransposeReshape helper) | any 0+0
    in x f32$1; in s f32[1]; m = Mul(x,s); t = Transpose(m) perm=$2; r = Reshape(t,i$3); z = Identity(r); out m,z
    + Cancel2D | 0 | [1,8] | [1,0] | {1,8}
    + Cancel3D | 0 | [2,1,4] | [1,0,2] | {2,1,4}
    + Cancel4D | 0 | [1,2,1,3] | [0,2,1,3] | {1,2,1,3}
ort_to_TestNonCancelingReshapeDueToNonConstShape | 0 | TestNonCancelingReshapeDueToNonConstShape | any 0+1
    # run-time shape; the Transpose moves unit dimensions only
    in x f32[1,1,1,3]; in v f32[1,3]; in sh i64[4]=[1,1,1,3]; m = Mul(x,v); t = Transpose(m) perm=[0,3,1,2];
    r = Reshape(t,sh); z = Identity(r); out m,z~4
ort_to_TestOptimizeBothInputs | 1 | TestOptimizeBothInputs | any 1+0
    # two Transposes become one behind the Mul
    in x f32[4,6,10]; in y f32[4,6,10]; a = Transpose(x) perm=[1,2,0]; b = Transpose(y) perm=[1,2,0]; z = Mul(a,b);
    out z
ort_to_RemoveEmptyDQQ | 0 | RemoveEmptyDQQAtGraphOutput | any 0+0
    in x f32[1,3,4,4]; a_q = QuantizeLinear(x,fs{0.05},u8s{128}); a = DequantizeLinear(a_q,fs{0.05},u8s{128});
    t = Transpose(a) perm=[0,2,3,1]; m = Mul(t,fs{2.0}); b_q = QuantizeLinear(m,fs{0.05},u8s{128});
    b = DequantizeLinear(b_q,fs{0.05},u8s{128}); u = Transpose(b) perm=[0,3,1,2];
    z = QuantizeLinear(u,fs{0.05},u8s{128}); out z
== onnxruntime/nhwc_transformer_test.cc
ort_nhwc_block_ | | ConvBlockBinary | NHWC 2+0
    in x u8[1,23,13,13]; w W1 u8[30,23,3,3]; w W2 u8[30,23,1,1];
    a = QLinearConv(x,fs{0.01},u8s{135},W1,fs{0.02},u8s{126},fs{0.37},u8s{131}) pads=[1,1,1,1];
    b = QLinearConv(x,fs{0.01},u8s{135},W2,fs{0.015},u8s{129},fs{0.37},u8s{131});
    fa = DequantizeLinear(a,fs{0.37},u8s{131}); fb = DequantizeLinear(b,fs{0.37},u8s{131}); s = $1(fa,fb);
    z = QuantizeLinear(s,fs{0.43},u8s{126}); out z
    + add | 2/0 | Add
    + mul | 2/0 | Mul
ort_nhwc_maxpool_ | | ConvMaxPool | NHWC 2+0
    # channels last for rank 3, 4 and 5
    in x u8$1; w W u8$2; a = QLinearConv(x,fs{0.01},u8s{135},W,fs{0.02},u8s{126},fs{0.37},u8s{131});
    z = MaxPool(a) kernel_shape=$3 pads=$4; out z
    + 1d | 2 | [5,12,37] | [128,12,5] | [3] | [1,1]
    + 2d | 2 | [3,14,13,13] | [64,14,3,3] | [3,3] | [1,1,1,1]
    + 3d | 2 | [1,15,11,13,15] | [31,15,5,3,3] | [3,3,3] | [1,1,1,1,1,1]
ort_nhwc_maxpool_indices | 2 | ConvMaxPoolIndexTensor | NHWC 1+1
    # flat indices are those of NCHW
    in x u8[1,16,17,17]; w W u8[16,16,3,3]; a = QLinearConv(x,fs{0.01},u8s{135},W,fs{0.02},u8s{126},fs{0.37},u8s{131});
    z,n = MaxPool(a) kernel_shape=[3,3]; out z,n
ort_nhwc_pad_ | | ConvPad | NHWC 2+0
    in x u8[1,23,13,13]; w W1 u8[30,23,3,3];
    a = QLinearConv(x,fs{0.01},u8s{135},W1,fs{0.02},u8s{126},fs{0.37},u8s{131}) pads=[1,1,1,1];
    p = Pad(a,i{0,0,1,2,0,0,3,4},u8s{131}) mode=$1; w W2 u8[16,30,3,3];
    b = QLinearConv(p,fs{0.37},u8s{131},W2,fs{0.015},u8s{129},fs{0.37},u8s{131});
    z = DequantizeLinear(b,fs{0.37},u8s{131}); out z
    + constant | 2/0 | "constant"
    + reflect | 2/0 | "reflect"
    + edge | 2/0 | "edge"
ort_nhwc_mixed_ranks | 2 | ConvMixTensorRanks | NHWC 2+2
    # rank 3 broadcast into rank 4; one channel after the convolutions
    in x u8[1,10,7]; in y u8[1,12,7,7]; w W1 u8[1,10,3]; w W2 u8[1,12,3,3];
    a = QLinearConv(x,fs{0.01},u8s{135},W1,fs{0.02},u8s{126},fs{0.37},u8s{131});
    b = QLinearConv(y,fs{0.01},u8s{135},W2,fs{0.02},u8s{126},fs{0.37},u8s{131});
    fa = DequantizeLinear(a,fs{0.37},u8s{131}); fb = DequantizeLinear(b,fs{0.37},u8s{131}); s = Add(fa,fb);
    z = QuantizeLinear(s,fs{0.39},u8s{126}); out z
== onnxruntime/nchwc_optimizer_test.cc
ort_nchwc_conv | 2/0 | ConvNchwc | NCHW8c/16c 2+0
    # 127 output channels
    in x f32[4,64,28,28]; w W f32[127,64,3,3]; w B f32[127]; y = Conv(x,W,B); z = LeakyRelu(y); out z
ort_nchwc_avgpool | 2/0 | ConvAveragePool | NCHW8c/16c 2+0
    in x f32[1,48,34,34]; w W f32[128,48,5,5]; w B f32[128]; y = Conv(x,W,B);
    z = AveragePool(y) kernel_shape=[4,4] auto_pad="SAME_UPPER" count_include_pad=1; out z
ort_nchwc_nobias_add_fusion | 2 | ConvNoBiasAddFusion | NCHW8c/16c 2+0
    in x f32[1,32,28,28]; w W1 f32[32,32,3,3]; w W2 f32[32,32,3,3]; a = Conv(x,W1); b = Conv(x,W2); z = Add(a,b); out z
ort_nchwc_binary_mul | 2/0 | ConvBinary (Mul) | NCHW8c/16c 2+0
    in x f32[1,32,23,23]; w W1 f32[32,32,3,3]; w B1 f32[32]; w W2 f32[32,32,3,3]; w B2 f32[32]; a = Conv(x,W1,B1);
    b = Conv(x,W2,B2); ra = Relu(a); rb = Relu(b); z = Mul(ra,rb); out z
ort_nchwc_reuse_weights | 4 | ConvReuseWeightsOIHWBiBo | NCHW8c/16c 4+0
    # one weight, three convolutions
    in x f32[1,64,7,7]; w W f32[60,64,3,3]; w B f32[60]; a = Conv(x,W,B); b = Conv(x,W,B) strides=[2,2];
    d = Conv(x,W,B) dilations=[2,2]; out a,b,d
ort_nchwc_reuse_weights_depthwise | 6 | ConvReuseWeightsOIHWBo | NCHW8c/16c 6+0
    # one weight, depthwise and plain; x3 and x4 have one channel, so only their results move
    in x1 f32[1,64,7,7]; in x2 f32[1,64,7,7]; in x3 f32[1,1,7,7]; in x4 f32[1,1,7,7]; w W f32[64,1,3,3]; w B f32[64];
    a = Conv(x1,W,B) group=64; b = Conv(x2,W,B) group=64; d = Conv(x3,W,B); e = Conv(x4,W,B); out a,b,d,e
ort_nchwc_upsample_nearest | 2/0 | UpsampleNearest (3,5) | NCHW8c/16c 2+0
    in x f32[3,16,27,15]; w W f32[42,16,1,1]; w B f32[42]; a = Conv(x,W,B);
    z = Resize(a,f{0.0,0.0,0.0,0.0,1.0,1.0,1.0,1.0},f{1.0,1.0,3.0,5.0}) mode="nearest"
        coordinate_transformation_mode="asymmetric" nearest_mode="floor";
    out z
ort_nchwc_upsample_nearest_frac | 2 | UpsampleNearest (2.2,2.8) | NCHW8c/16c 1+1
    # a scale that is no integer
    in x f32[3,16,27,15]; w W f32[42,16,1,1]; w B f32[42]; a = Conv(x,W,B);
    z = Resize(a,f{0.0,0.0,0.0,0.0,1.0,1.0,1.0,1.0},f{1.0,1.0,2.2,2.8}) mode="nearest"
        coordinate_transformation_mode="asymmetric" nearest_mode="floor";
    out z
ort_nchwc_upsample_linear_ | | UpsampleLinear | NCHW8c/16c 2+0
    in x f32[3,16,21,25]; w W f32[28,16,1,1]; w B f32[28]; a = Conv(x,W,B);
    z = Resize(a,_,f{1.0,1.0,3.0,5.0}) mode="linear" coordinate_transformation_mode=$1; out z
    + asymmetric | 2/0 | "asymmetric"
    + align_corners | 2/0 | "align_corners"
    + half_pixel | 2/0 | "half_pixel"
ort_nchwc_activation_ | | Activation | NCHW8c/16c 2+0
    in x f32[1,48,11,15]; w W1 f32[32,48,3,3]; w B1 f32[32]; a = Conv(x,W1,B1); r = $1(a); s = Add(a,r);
    w W2 f32[16,32,1,1]; w B2 f32[16]; z = Conv(s,W2,B2); out z
    + relu | 2/0 | Relu
    + sigmoid | 2/0 | Sigmoid
    + tanh | 2/0 | Tanh
== oneflow/auto_nhwc
of_conv_nobias | 2/0 | test_nhwc_conv.py |
    in x f32[2,3,4,5]; w W f32[4,3,2,2]; z = Conv(x,W); out z
of_conv_bias | 2/0 | test_nhwc_conv.py |
    in x f32[2,3,4,5]; w W f32[4,3,2,2]; w B f32[4]; z = Conv(x,W,B); out z
of_conv_relu | 2/0 | test_nhwc_conv_relu.py |
    in x f32[2,3,4,5]; w W f32[4,3,2,2]; w B f32[4]; y = Conv(x,W,B); z = Relu(y); out z
of_conv_relu_add | 2 | test_nhwc_conv_relu_add.py |
    # the same convolution twice: x is turned once
    in x f32[2,3,4,5]; w W f32[4,3,2,2]; w B f32[4]; a = Conv(x,W,B); ra = Relu(a); b = Conv(x,W,B); rb = Relu(b);
    z = Add(ra,rb); out z
of_conv_maxpool | 2/0 | test_nhwc_conv2d_maxpool2d.py |
    in x f32[2,3,4,5]; w W f32[4,3,2,2]; w B f32[4]; y = Conv(x,W,B);
    z = MaxPool(y) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]; out z
"""

if __name__ == "__main__":
    case_builder.main(__doc__.splitlines()[0], TABLE)
