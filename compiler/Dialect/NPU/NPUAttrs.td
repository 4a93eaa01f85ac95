// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_ATTRS_TD
#define NPU_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "compiler/Dialect/NPU/NPUDialect.td"
include "compiler/Dialect/NPU/NPUEnums.td"

def NPU_LayoutAttr : AttrDef<NPU_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "The order in which a value's logical dimensions are stored.";
  let description = [{
    One letter for each logical dimension (`a` is the first), outermost first,
    then inner blocks as size and letter. A blocked dimension is written in
    upper case at its outer place and is padded with zeros up to a multiple of
    the block. Rank 0 is `scalar`. Names of image orders (`NHWC`, `HWOI`,
    `NCHW16c`) are accepted and printed as letters.

    Example:
    ```mlir
    %0 = npu.relayout(%x) : (tensor<1x64x8x8xf32, #npu.layout<acdb>>) -> tensor<1x64x8x8xf32, #npu.layout<aBcd16b>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$order,
                        ArrayRefParameter<"::npu::LayoutBlock">:$blocks);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Row-major in logical order: abcd.
    static LayoutAttr getRowMajor(::mlir::MLIRContext *context, int64_t rank);
    /// Reads letters or a name; null and a reason in `error` where it is
    /// neither.
    static LayoutAttr fromText(::mlir::MLIRContext *context,
                               ::llvm::StringRef text, std::string &error);

    int64_t getRank() const { return getOrder().size(); }
    bool isBlocked() const { return !getBlocks().empty(); }
    /// Product of the block sizes of one dimension, 1 if it is not blocked.
    int64_t getBlockOf(int64_t dim) const;
    /// Whether a value of this shape is stored the same way in both: unit
    /// dimensions may stand anywhere.
    bool isEquivalent(LayoutAttr other, ::llvm::ArrayRef<int64_t> shape) const;
    bool isRowMajor(::llvm::ArrayRef<int64_t> shape) const;
    /// Elements in memory, block padding included.
    int64_t getStoredElements(::llvm::ArrayRef<int64_t> shape) const;
    /// "acdb", "aBcd16b", "scalar".
    std::string getLetters() const;
  }];
}

#endif // NPU_ATTRS_TD
