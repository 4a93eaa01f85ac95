// SPDX-License-Identifier: Apache-2.0
//
// The base class, constants, views and fused kernels. Ops by family: the files
// included at the end.
#ifndef NPU_OPS_TD
#define NPU_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "compiler/Dialect/NPU/NPUDialect.td"
include "compiler/Dialect/NPU/NPUAttrs.td"
include "compiler/Dialect/NPU/NPUInterfaces.td"

def NPU_Tensor : Type<CPred<"::npu::isNpuTensor($_self)">,
    "a tensor with at most 8 dimensions, all known, and at most 2^40 elements "
    "of f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32 or ui64",
    "::mlir::TensorType">;

def NPU_TakesElementTypes : NativeOpTrait<"TakesElementTypes"> {
  let cppNamespace = "::npu";
}

class NPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<NPU_Dialect, mnemonic,
         !listconcat(traits, [Pure, NPU_TakesElementTypes])> {
  let hasVerifier = 1;
}

/// An op that is written `npu.name(%a, %b) {...} : (types) -> type`.
class NPU_PlainOp<string mnemonic, list<Trait> traits = []>
    : NPU_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<NPU_LayoutOpInterface>])> {
  let assemblyFormat =
      "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

/// A plain op that has a kernel of its own.
class NPU_KernelOp<string mnemonic, list<Trait> traits = []>
    : NPU_PlainOp<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<NPU_KernelOpInterface>])>;

def NPU_ConstantOp : NPU_Op<"constant", [ConstantLike]> {
  let summary = "A tensor known at compile time.";
  let description = [{
    The elements are in logical order whatever the layout of the result; the
    layout acts when the constant is emitted. With `taps` and `tile` it is what
    `npu.winograd_weight` gives of `taps`, which the file has in its place.

    Example:
    ```mlir
    %w = npu.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value, OptionalAttr<ElementsAttr>:$taps,
                       OptionalAttr<I64Attr>:$tile);
  let results = (outs NPU_Tensor:$result);
  let builders = [OpBuilder<(ins "Type":$result, "ElementsAttr":$value), [{
    build($_builder, $_state, result, value, ::mlir::ElementsAttr(), ::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = "attr-dict $value `->` type($result)";
  let hasFolder = 1;
}

def NPU_RelayoutOp : NPU_KernelOp<"relayout"> {
  let summary = "The same tensor, stored in another order.";
  let description = [{
    The only op that moves bytes because of layout.

    Example:
    ```mlir
    %y = npu.relayout(%x) : (tensor<1x8x4x4xf32, #npu.layout<abcd>>) -> tensor<1x8x4x4xf32, #npu.layout<acdb>>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input);
  let results = (outs NPU_Tensor:$result);
}

def NPU_TransposeOp : NPU_KernelOp<"transpose"> {
  let summary = "Permutes logical dimensions.";
  let description = [{
    Result dimension i is input dimension permutation[i]. It is a free view
    where the result's layout stores the same bytes.

    Example:
    ```mlir
    %y = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, I64ArrayAttr:$permutation);
  let results = (outs NPU_Tensor:$result);
}

def NPU_ReshapeOp : NPU_KernelOp<"reshape"> {
  let summary = "The same elements in logical row-major order, another shape.";
  let description = [{
    It is a free view where the dimensions that it merges or splits lie next to
    each other, in order, in memory.

    Example:
    ```mlir
    %y = npu.reshape(%x) : (tensor<1x8x4x4xf32>) -> tensor<1x128xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input);
  let results = (outs NPU_Tensor:$result);
}

def NPU_EltwiseOp : NPU_Op<"eltwise", [
    DeclareOpInterfaceMethods<NPU_LayoutOpInterface>,
    DeclareOpInterfaceMethods<NPU_KernelOpInterface>]> {
  let summary = "A scalar function on every element.";
  let description = [{
    Operands are broadcast, aligned at the right. The functions and their
    operands are the table NPU_INSTR_KINDS in program_format.h.

    Example:
    ```mlir
    %y = npu.eltwise add(%x, %bias) : (tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<1x8x4x4xf32>
    %z = npu.eltwise clip(%y) {alpha = 0.0 : f32, beta = 6.0 : f32} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins I32Attr:$kind, Variadic<NPU_Tensor>:$inputs,
                       DefaultValuedAttr<F32Attr, "0.0f">:$alpha,
                       DefaultValuedAttr<F32Attr, "0.0f">:$beta);
  let results = (outs NPU_Tensor:$result);
  let assemblyFormat = [{
    custom<InstrKind>($kind) `(` $inputs `)` attr-dict `:`
    functional-type($inputs, $result)
  }];
}

def NPU_FusedOp : NPU_Op<"fused", [
    IsolatedFromAbove, SingleBlockImplicitTerminator<"::npu::YieldOp">,
    DeclareOpInterfaceMethods<NPU_LayoutOpInterface>]> {
  let summary = "Ops that run as one kernel.";
  let description = [{
    The body holds at most one op that is not elementwise, first; then
    elementwise ops of the result's shape. Block arguments stand for the
    operands. Layouts inside follow those outside.

    Example:
    ```mlir
    %y = npu.fused(%x, %w, %r) : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
    ^bb0(%a: tensor<1x4x8x8xf32>, %b: tensor<4x4x1x1xf32>, %c: tensor<1x4x8x8xf32>):
      %0 = npu.conv2d(%a, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]}
         : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
      %1 = npu.eltwise add(%0, %c) : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
      npu.yield %1 : tensor<1x4x8x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<NPU_Tensor>:$inputs);
  let results = (outs NPU_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` attr-dict `:` functional-type($inputs, $result) $body
  }];
  let extraClassDeclaration = [{
    /// The op that is not elementwise, or null.
    ::mlir::Operation *getRoot();
    /// The value that the body yields.
    ::mlir::Value getYielded();
  }];
}

def NPU_YieldOp : Op<NPU_Dialect, "yield", [
    Pure, Terminator, HasParent<"FusedOp">]> {
  let summary = "Ends a fused kernel's body with its result.";
  let description = [{
    Example:
    ```mlir
    %y = npu.fused(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32> {
    ^bb0(%a: tensor<1x8xf32>):
      %0 = npu.eltwise relu(%a) : (tensor<1x8xf32>) -> tensor<1x8xf32>
      npu.yield %0 : tensor<1x8xf32>
    }
    ```
  }];
  let arguments = (ins NPU_Tensor:$value);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

include "compiler/Dialect/NPU/NPUKernelOps.td"
include "compiler/Dialect/NPU/NPUChipOps.td"
include "compiler/Dialect/NPU/NPUQuantizeOps.td"

#endif // NPU_OPS_TD
