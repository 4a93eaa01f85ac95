// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_DIALECT_TD
#define NPU_DIALECT_TD

include "mlir/IR/OpBase.td"

def NPU_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::npu";
  let summary = "Neural networks on an NPU, with the data layout in the type.";
  let description = [{
    Shapes and attributes are logical: activations N,C,spatial, weights
    O,I,spatial, anything else as in the model. How a value is stored is the
    encoding of its type, `#npu.layout<acdb>`; no encoding means that it has not
    been decided. No attribute of any op changes when a layout does.

    What a run leaves for the next one, past frames for instance, is a *state*: an
    argument and a result of the function with the same `npu.state`, behind all
    others, in the same sequence and of the same type. `npu.begins_as` of the
    argument says what it is before the first run, if not zeros.

    Example:
    ```mlir
    %y = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]}
       : (tensor<1x3x8x8xf32, #npu.layout<acdb>>, tensor<4x3x1x1xf32, #npu.layout<cdab>>)
      -> tensor<1x4x8x8xf32, #npu.layout<acdb>>
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();

    /// What plugins bring to all that this context holds; null: nothing. Set
    /// before anything is read.
    const ::npu::plugin::Use *plugins = nullptr;
    /// Whether a target that a pass reads may load the libraries that it names.
    bool allowsTargetPlugins = false;
    /// What they said of their ops' dimensions (CustomOp.cpp).
    std::shared_ptr<::npu::RelationMemo> relations;
  }];
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // NPU_DIALECT_TD
