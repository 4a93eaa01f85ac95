// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_INTERFACES_TD
#define NPU_INTERFACES_TD

include "mlir/IR/OpBase.td"

def NPU_LayoutOpInterface : OpInterface<"LayoutOpInterface"> {
  let cppNamespace = "::npu";
  let description = [{
    All that the layout stage knows of an op. Strategies ask these questions and
    never name an op.
  }];
  let methods = [
    InterfaceMethod<[{
      How much the op cares: agnostic (any order, the same for all), lightly
      (any order, attributes speak of some dimensions), heavily (its kernel
      decides).
    }], "::npu::Sensitivity", "getSensitivity">,
    InterfaceMethod<[{
      Which dimensions of operands and results are the same dimension.
    }], "::npu::LayoutRelation", "getLayoutRelation">,
    InterfaceMethod<[{
      The name of an operand in a target's demands: "data", "weight", ...
    }], "::llvm::StringRef", "getOperandRole", (ins "unsigned":$operand)>,
    InterfaceMethod<[{
      The op that a target's demands speak of; a fused kernel answers for the op
      that it is built around.
    }], "::llvm::StringRef", "getDemandName">,
    InterfaceMethod<[{
      The image axes of operand `index`, if the op itself knows them (conv,
      pooling); one role for each logical dimension, else empty.
    }], "::npu::ImageAxes", "getOperandAxes", (ins "unsigned":$index)>,
    InterfaceMethod<[{
      The same for a result.
    }], "::npu::ImageAxes", "getResultAxes", (ins "unsigned":$index)>,
  ];
}

def NPU_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::npu";
  let description = [{
    An op that becomes one kernel by itself or as the root of a fused one.
  }];
  let methods = [
    InterfaceMethod<[{
      The kind of kernel and its attributes, for npu_kernel_desc.
    }], "::npu_op", "getKernel", (ins "::npu_attrs &":$attributes)>,
  ];
}

def NPU_StepsOpInterface : OpInterface<"StepsOpInterface"> {
  let cppNamespace = "::npu";
  let description = [{
    An elementwise op that several npu.eltwise stand for, one after the other;
    no kernel computes it as it is.
  }];
  let methods = [
    InterfaceMethod<[{
      Makes the steps; gives the result of the last one.
    }], "::mlir::Value", "makeSteps", (ins "::npu::StepBuilder &":$steps)>,
  ];
}

#endif // NPU_INTERFACES_TD
