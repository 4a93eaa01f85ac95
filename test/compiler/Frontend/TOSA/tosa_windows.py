# SPDX-License-Identifier: Apache-2.0
"""TOSA ops with random shapes and attributes: convolutions, products, pooling, reductions, resizing."""

from __future__ import annotations

import numpy as np

from tosa_builder import Builder, between, indices_text, mlir_type, number, one_of, some_shape, values

# Element type of data, of the sum, of the result.
SUMS = (("i8", "i32", "i32"), ("f16", "f16", "f16"), ("f16", "f32", "f16"), ("f32", "f32", "f32"))


def windows(b: Builder, rank: int, dilated: bool = True) -> tuple[list[int], list[int], dict[str, list[int]]]:
    """Extents of the input and the result, and the attributes; TOSA wants divisions without remainder."""
    inputs, outputs, window = [], [], {"kernel": [], "pad": [], "stride": [], "dilation": []}
    for _ in range(rank):
        kernel, stride, dilation = between(b, 1, 4), between(b, 1, 3), between(b, 1, 2) if dilated else 1
        pads = [between(b, 0, kernel - 1) for _ in range(2)]
        reach = (kernel - 1) * dilation + 1
        output = between(b, 1, 5)
        while (output - 1) * stride + reach - sum(pads) < 1:
            output += 1
        inputs.append((output - 1) * stride + reach - sum(pads))
        outputs.append(output)
        for name, numbers in (("kernel", [kernel]), ("pad", pads), ("stride", [stride]), ("dilation", [dilation])):
            window[name] += numbers
    return inputs, outputs, window


def text_of(window: dict[str, list[int]], *names: str) -> str:
    return ", ".join(f"{name} = {indices_text(window[name])}" for name in names)


def conv_operands(b: Builder, types: tuple[str, str, str], data: tuple, weight: tuple, outputs: int) -> list:
    """Data, weight, bias (one number, or one for each output) and zero points."""
    element, _, result = types
    bias = values(b, result, (one_of(b, [1, outputs]),))
    if element == "i8":
        points = [number("i8", between(b, -128, 127)), number("i8", one_of(b, [0, 0, 7, -128]))]
    else:
        points = [number(element, 0)] * 2
    constants = [values(b, element, weight), bias, *points]
    return [b.input(values(b, element, data))] + [b.constant(array) for array in constants]


def convolutions(b: Builder) -> None:
    for types in SUMS:
        element, total, result = types
        batch, channels, outputs = between(b, 1, 3), between(b, 1, 9), between(b, 1, 9)
        for name, rank in (("conv2d", 2), ("conv3d", 3)):
            extents, places, window = windows(b, rank)
            operands = conv_operands(
                b, types, (batch, *extents, channels), (outputs, *window["kernel"], channels), outputs
            )
            b.op(name, operands, mlir_type((batch, *places, outputs), result),
                 f"acc_type = {total}, {text_of(window, 'pad', 'stride', 'dilation')}")  # fmt: skip
        extents, places, window = windows(b, 2)
        times = between(b, 1, 3)
        operands = conv_operands(
            b, types, (batch, *extents, channels), (*window["kernel"], channels, times), channels * times
        )
        b.op("depthwise_conv2d", operands, mlir_type((batch, *places, channels * times), result),
             f"acc_type = {total}, {text_of(window, 'pad', 'stride', 'dilation')}")  # fmt: skip


def transposed_convolutions(b: Builder) -> None:
    for types in SUMS:
        element, total, result = types
        batch, channels, outputs = between(b, 1, 2), between(b, 1, 6), between(b, 1, 6)
        kernel, stride = [between(b, 1, 4) for _ in range(2)], [between(b, 1, 3) for _ in range(2)]
        extents = [between(b, 1, 5) for _ in range(2)]
        added, places = [], []
        for i in range(2):
            added += [between(b, 1 - kernel[i], 2) for _ in range(2)]
            places.append((extents[i] - 1) * stride[i] + added[-2] + added[-1] + kernel[i])
        if min(places) < 1:
            added, places = [0] * 4, [(e - 1) * s + k for e, s, k in zip(extents, stride, kernel)]
        operands = conv_operands(b, types, (batch, *extents, channels), (outputs, *kernel, channels), outputs)
        b.op("transpose_conv2d", operands, mlir_type((batch, *places, outputs), result),
             f"acc_type = {total}, out_pad = {indices_text(added)}, stride = {indices_text(stride)}")  # fmt: skip


def products(b: Builder) -> None:
    for element, result in (("i8", "i32"), ("f16", "f16"), ("f16", "f32"), ("f32", "f32")):
        batch, rows, inner, columns = between(b, 1, 3), between(b, 1, 9), between(b, 1, 33), between(b, 1, 9)
        data = [values(b, element, shape) for shape in ((batch, rows, inner), (batch, inner, columns))]
        points = [number(element, between(b, -128, 127) if element == "i8" else 0) for _ in range(2)]
        operands = [b.input(array) for array in data] + [b.constant(point) for point in points]
        b.op("matmul", operands, mlir_type((batch, rows, columns), result))


def pools(b: Builder) -> None:
    for element, total, _ in SUMS:
        extents, places, window = windows(b, 2, dilated=False)
        if not any(window["pad"]) or max(window["kernel"]) > 1:
            batch, channels = between(b, 1, 3), between(b, 1, 9)
            value = b.input(values(b, element, (batch, *extents, channels)))
            attributes, result = text_of(window, "kernel", "pad", "stride"), mlir_type((batch, *places, channels), element)
            b.op("max_pool2d", [value], result, attributes)
            points = [number(element, between(b, -128, 127) if element == "i8" else 0) for _ in range(2)]
            operands = [value] + [b.constant(point) for point in points]
            b.op("avg_pool2d", operands, result, f"acc_type = {total}, {attributes}")


REDUCED = {
    "max": ("i8", "i16", "i32", "f16", "f32"),
    "min": ("i8", "i16", "i32", "f16", "f32"),
    "sum": ("i32", "f16", "f32"),
    "product": ("f16", "f32"),
    "all": ("i1",),
    "any": ("i1",),
}


def reductions(b: Builder) -> None:
    for name, elements in REDUCED.items():
        for element in elements:
            x = values(b, element, some_shape(b), 0.5, 1.5)
            axis = between(b, 0, x.ndim - 1)
            shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
            b.op(f"reduce_{name}", [b.input(x)], mlir_type(shape, element), f"axis = {axis} : i32")
    for element in ("i8", "f16", "f32"):
        x = np.round(values(b, element, some_shape(b)))  # so that some are equal
        axis = between(b, 0, x.ndim - 1)
        b.op("argmax", [b.input(x)], mlir_type((*x.shape[:axis], *x.shape[axis + 1 :]), "i32"), f"axis = {axis} : i32")


def resize_axis(b: Builder, extent: int) -> tuple[int, int, int, int, int]:
    """Numerator, denominator, offset, border and the result's extent."""
    while True:
        up, down = between(b, 1, 8), between(b, 1, 8)
        offset, border = between(b, -up, 8), between(b, -8, up - 1)
        last = (extent - 1) * up - offset + border
        if last >= 0 and last % down == 0 and last // down < 40:
            return up, down, offset, border, last // down + 1


# Half pixels, corners aligned, as it is; up and down.
USUAL_RESIZES = (((4, 2, 4, 2), (-1, -1), (1, 1)), ((4, 2, 6, 2), (0, 0), (0, 0)), ((2, 4, 2, 4), (1, 1), (-1, -1)),
                 ((4, 2, 8, 2), (-1, -3), (1, 3)))  # fmt: skip


def resizes(b: Builder) -> None:
    ways = list(USUAL_RESIZES)
    image = (between(b, 1, 7), between(b, 1, 7))
    rows, columns = (resize_axis(b, extent) for extent in image)
    ways.append(((*rows[:2], *columns[:2]), (rows[2], columns[2]), (rows[3], columns[3])))
    for scale, offset, border in ways:
        height, width = image if scale == ways[-1][0] else (6, 8)
        extents = [((e - 1) * scale[2 * i] - offset[i] + border[i]) // scale[2 * i + 1] + 1
                   for i, e in enumerate((height, width))]  # fmt: skip
        for element in ("f32", "f16", "i8"):
            value = b.input(values(b, element, (between(b, 1, 2), height, width, between(b, 1, 5))))
            for mode in ("NEAREST_NEIGHBOR", "BILINEAR"):
                result = "i32" if element == "i8" and mode == "BILINEAR" else element
                operands = [value, b.shape(list(scale)), b.shape(list(offset)), b.shape(list(border))]
                batch, channels = b.inputs[value[0][1:]].shape[::3]
                b.op("resize", operands, mlir_type((batch, *extents, channels), result), f"mode = {mode}")


ALL = (convolutions, transposed_convolutions, products, pools, reductions, resizes)
