# SPDX-License-Identifier: Apache-2.0
"""Turns rows of a case table into ONNX models and a manifest. build_cases.py holds the table.

A table is text. '== FILE' names the test file that the next rows come from. A row is

    NAME | LEAST[/NHWC] | TEST | STATED
        # a note
        GRAPH, over as many indented lines as it takes
        + SUFFIX | LEAST[/NHWC] | value of $1 | value of $2 ...

LEAST is the fewest relayouts, NHWC the same for the variant written on NHWC tensors (no slash: no
such variant). STATED is what the source's own test expects per target layout, as relayouts at the
graph's boundary + inside; 'mirrored' if it states that for the opposite direction, 'loose' if the
numbers are ill-conditioned. A '+' line adds a case that fills in the graph above; the row itself is
a case too unless its LEAST is empty.

A graph is a list of statements separated by ';':

    in NAME TYPE[d0,d1]           graph input; a dimension that is no number is symbolic
    in NAME TYPE[d0] = [v,..]     ... with the sample to run it with (inputs that decide a shape)
    in NAME TYPE[d0] = lo..hi     ... with random samples from this range
    in NAME TYPE[d0] = perm K     ... with a random permutation of 0,1,.. along axis K
    w NAME TYPE[d0,d1]            constant, seeded random data
    c NAME TYPE[d0] = [v,..]      constant with this data; a single value is repeated
    A,B = Op(X,_,Y) key=value     node; '_' is an absent operand
    out A,B~4,C~[1,2]             graph outputs, with rank or shape where ONNX cannot infer it

Constants may stand inside a node: i{1,2} is an int64 vector, i32{..} and f{..} likewise; is{1},
fs{1}, u8s{1}, i8s{1} are scalars.
"""
import argparse
import hashlib
import json
import re
import zlib
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

OPSET = 17
TYPES = {name: np.dtype(t) for name, t in dict(
    f32="float32", f16="float16", i64="int64", i32="int32", i8="int8", u8="uint8", u32="uint32",
    bool="bool").items()}
TYPE_NAMES = {helper.np_dtype_to_tensor_dtype(t): name for name, t in TYPES.items()}
INLINE = {"i": "i64", "is": "i64", "i32": "i32", "f": "f32", "fs": "f32", "u8s": "u8", "i8s": "i8"}
SYMBOLS = {"N": 2, "H": 12, "Wd": 14}           # what symbolic dimensions are when a case runs
NHWC, NCHW = [0, 2, 3, 1], [0, 3, 1, 2]


# ---------------------------------------------------------------- table -> rows
def read_table(text):
    rows, file, base = [], "", {}
    for line in text.strip().splitlines():
        fields = [field.strip() for field in line.strip(" +").split("|")]
        if line.startswith("== "):
            file = line[3:]
        elif line.startswith("    +"):
            rows.append(filled_in(base, *fields))
        elif line.startswith("    #"):
            base["note"] = line.strip(" #")
        elif line.startswith("    "):
            base["graph"] += " " + line.strip()
        elif line:
            name, least, test, stated = fields
            base = dict(name=name, source=f"{file}:{test}", note="", graph="",
                        mirror="mirrored" in stated, loose="loose" in stated, **least_of(least or "0"),
                        stated=re.findall(r"(\S+) (\d+)\+(\d+)", stated))
            if least:
                rows.append(base)
    return rows


def least_of(field):
    least, _, nhwc = field.partition("/")
    return dict(least=int(least), least_nhwc=int(nhwc) if nhwc else None)


def filled_in(base, suffix, least, *values):
    graph = base["graph"]
    for k, value in enumerate(values, 1):
        graph = graph.replace(f"${k}", value)
    return dict(base, name=base["name"] + suffix, graph=graph, **least_of(least))


# ---------------------------------------------------------------- notation -> ONNX
def split_top(text, separator):
    """Split outside brackets."""
    parts, depth, start = [], 0, 0
    for k, ch in enumerate(text):
        depth += (ch in "([{") - (ch in ")]}")
        if ch == separator and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    return [p.strip() for p in parts + [text[start:]] if p.strip()]


def number(text):
    text = text.strip()
    return float(text) if re.search(r"[.eE]", text) else int(text)


def numbers(text):
    return [number(t) for t in text.strip("[]{} ").split(",") if t.strip()]


class Graph:
    """Reads the notation of one case."""

    def __init__(self, name, text):
        self.name = name
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.inputs, self.outputs, self.constants, self.nodes = [], {}, [], []
        self.samples = {}                       # input -> sample, range or permuted_axis
        for statement in split_top(" ".join(text.split()), ";"):
            self.read(statement)

    def read(self, statement):
        declaration = re.match(r"(in|w|c) (\w+) (\w+)\[([^\]]*)\](?:\s*=\s*(.+))?$", statement)
        if declaration:
            self.declare(*declaration.groups())
        elif statement.startswith("out "):
            for output in split_top(statement[4:], ","):
                name, _, shape = output.partition("~")
                self.outputs[name] = numbers(shape) if "[" in shape else [None] * int(shape or 0)
        else:
            self.node(*re.match(r"([^=]+?)\s*=\s*(\w+)\((.*?)\)(.*)$", statement).groups())

    def declare(self, kind, name, kind_of_element, dims, data):
        dtype = TYPES[kind_of_element]
        dims = [int(d) if d.strip().isdigit() else d.strip() for d in dims.split(",") if d.strip()]
        if kind == "in":
            element = helper.np_dtype_to_tensor_dtype(dtype)
            self.inputs.append(helper.make_tensor_value_info(name, element, dims))
            if data and ".." in data:
                self.samples[name] = {"range": [number(t) for t in data.split("..")]}
            elif data and data.startswith("perm"):
                self.samples[name] = {"permuted_axis": int(data[4:])}
            elif data:
                self.samples[name] = {"sample": self.filled(data, dims, dtype).ravel().tolist()}
        elif kind == "w":
            self.constant(name, self.random(dims, dtype))
        else:
            self.constant(name, self.filled(data, dims, dtype))

    @staticmethod
    def filled(data, dims, dtype):
        values = np.array(numbers(data), dtype)
        return values.reshape(dims) if data.startswith("[") else np.full(dims, values[0], dtype)

    def random(self, dims, dtype):
        if dtype.kind == "f":
            fan_in = max(1, int(np.prod(dims[1:])) if len(dims) > 1 else 1)
            return (self.rng.standard_normal(dims) / np.sqrt(fan_in)).astype(dtype)
        low, high = {"int8": (-63, 64), "uint8": (0, 255), "bool": (0, 2)}.get(dtype.name, (0, 8))
        return self.rng.integers(low, high, dims).astype(dtype)

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def operand(self, token):
        inline = re.match(r"(\w+)\{(.*)\}$", token)
        if not inline:
            return "" if token == "_" else token
        kind, values = inline.groups()
        data = np.array(numbers(values), TYPES[INLINE[kind]])
        scalar = len(kind) > 1 and kind.endswith("s")
        return self.constant(f"k{len(self.constants)}", data[0] if scalar else data)

    def node(self, outputs, op, operands, attributes):
        values = {}
        for attribute in attributes.split():
            key, text = attribute.split("=", 1)
            plain = text.strip('"')
            values[key] = plain if plain != text else numbers(text) if text[0] == "[" else number(text)
        self.nodes.append(helper.make_node(
            op, [self.operand(t) for t in split_top(operands, ",")],
            [o.strip() for o in outputs.split(",")], name=f"{op}_{len(self.nodes)}", **values))

    def model(self):
        return finish(self.name, self.nodes, self.inputs, self.outputs, self.constants)


def finish(name, nodes, inputs, outputs, constants):
    """A checked model; outputs: name -> shape for those that ONNX cannot infer."""
    graph = helper.make_graph(nodes, re.sub(r"\W", "_", name), inputs, [], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)],
                              producer_name="layout-cases", ir_version=8)
    types = typed_values(model)
    for output, shape in outputs.items():
        model.graph.output.append(graph_output(types[output], shape))
    onnx.checker.check_model(model, full_check=True)
    return model


def graph_output(value, shape):
    dims = value.type.tensor_type.shape.dim
    dims.extend(onnx.TensorShapeProto.Dimension() for _ in range(len(shape) - len(dims)))
    for k, dim in enumerate(dims):
        if k < len(shape) and shape[k] is not None:
            dim.dim_value = shape[k]
        elif not dim.WhichOneof("value"):
            dim.dim_param = f"{value.name}_d{k}"
    return value


def typed_values(model):
    inferred = shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    values = [*inferred.graph.value_info, *inferred.graph.input, *inferred.graph.output]
    return {v.name: v for v in values}


def shape_of(value):
    return [d.dim_value if d.HasField("dim_value") else d.dim_param
            for d in value.type.tensor_type.shape.dim]


# ---------------------------------------------------------------- the NHWC-written variant
SAME_AXES = {"Relu", "LeakyRelu", "Tanh", "Sigmoid", "Neg", "Clip", "Cast", "Identity", "Elu", "Abs"}
ARITHMETIC = {"Add", "Mul", "Sub", "Div", "Sum", "Max", "Min"}
ONE_AXIS = {"Concat": 0, "Split": 0, "ArgMax": 0, "ArgMin": 0, "Softmax": -1, "LogSoftmax": -1, "TopK": -1}


class NhwcWritten:
    """The same computation as a converter from an NHWC framework writes it: rank-4 inputs, outputs
    and values are NHWC, elementwise and axis ops work on them directly, every other op stands
    between a Transpose to NCHW and one back."""

    def __init__(self, model):
        self.source = model
        self.types = typed_values(model)
        self.arrays = {c.name: numpy_helper.to_array(c) for c in model.graph.initializer}
        self.constants = list(model.graph.initializer)
        self.nodes, self.count = [], 0

    def model(self):
        graph = self.source.graph
        for node in graph.node:
            operands = self.on_nhwc(node) if any(self.is_image(v) for v in node.input) else None
            if operands is None:
                self.wrap(node)
            else:
                inputs, attributes = operands
                self.nodes.append(helper.make_node(node.op_type, inputs, list(node.output),
                                                   name=node.name + "_nhwc", **attributes))
        used = {v for n in self.nodes for v in n.input}
        return finish(graph.name + "_explicit", self.nodes, [self.graph_input(v) for v in graph.input],
                      {o.name: [None] * len(shape_of(o)) for o in graph.output},
                      [c for c in self.constants if c.name in used])

    def is_image(self, value):
        known = self.types.get(value) if value not in self.arrays else None
        return known is not None and len(shape_of(known)) == 4

    def fresh(self, base):
        self.count += 1
        return f"{base}__e{self.count}"

    def constant(self, array):
        name = self.fresh("const")
        self.constants.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def graph_input(self, value):
        if not self.is_image(value.name):
            return value
        shape = shape_of(value)
        return helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type,
                                             [shape[i] for i in NHWC])

    def wrap(self, node):
        """Transposes around the op as it is."""
        inner, after = onnx.NodeProto(), []
        inner.CopyFrom(node)
        for k, v in enumerate(node.input):
            if self.is_image(v):
                inner.input[k] = self.fresh(v)
                self.transpose(v, inner.input[k], NCHW, self.nodes)
        for k, v in enumerate(node.output):
            if self.is_image(v):
                inner.output[k] = self.fresh(v)
                self.transpose(inner.output[k], v, NHWC, after)
        self.nodes += [inner, *after]

    @staticmethod
    def transpose(source, target, perm, nodes):
        name = "T_" + max(source, target, key=len)
        nodes.append(helper.make_node("Transpose", [source], [target], name=name, perm=perm))

    def on_nhwc(self, node):
        """Operands and attributes of the op on NHWC values, or None if it has to be wrapped."""
        op, inputs = node.op_type, list(node.input)
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        array = [self.arrays.get(v) for v in inputs]
        axis = lambda a: NHWC.index(int(a) % 4)
        if op in SAME_AXES:
            return inputs, attributes
        if op in ("QuantizeLinear", "DequantizeLinear"):
            return (inputs, attributes) if array[1] is not None and array[1].ndim == 0 else None
        if op in ARITHMETIC:
            new = [v if self.is_image(v) else self.broadcast(v) for v in inputs]
            return (new, attributes) if all(new) else None
        if op in ONE_AXIS:
            if op.startswith("Arg") and not attributes.get("keepdims", 1):
                return None
            if op == "Concat" and not all(self.is_image(v) for v in inputs):
                return None
            attributes["axis"] = axis(attributes.get("axis", ONE_AXIS[op]))
            return inputs, attributes
        if op.startswith("Reduce"):
            return self.reduction(op, inputs, array, attributes, axis)
        place = {"Slice": 3, "Pad": 1, "Tile": 1}.get(op)
        if place is None or len(inputs) <= place or array[place] is None:
            return None
        inputs[place] = self.constant(dict(
            Slice=lambda a: np.array([axis(k) for k in a], a.dtype), Tile=lambda a: a[NHWC],
            Pad=lambda a: a.reshape(2, 4)[:, NHWC].reshape(8))[op](array[place]))
        return inputs, attributes

    def broadcast(self, value):
        """A constant operand of lower rank, as seen from NHWC; None for a run-time one."""
        array = self.arrays.get(value)
        if array is None or (array.size == 1 and array.ndim <= 1):
            return value if array is not None else None
        return self.constant(array.reshape((1,) * (4 - array.ndim) + array.shape).transpose(NHWC))

    def reduction(self, op, inputs, array, attributes, axis):
        by_input = op == "ReduceSum"
        if by_input and (len(inputs) < 2 or array[1] is None):
            return None
        axes = [int(a) % 4 for a in (array[1] if by_input else attributes.get("axes", []))]
        kept = [a for a in NHWC if a not in axes]
        if not axes or (not attributes.get("keepdims", 1) and kept != sorted(kept)):
            return None
        moved = sorted(axis(a) for a in axes)
        if by_input:
            inputs[1] = self.constant(np.array(moved, np.int64))
        else:
            attributes["axes"] = moved
        return inputs, attributes


# ---------------------------------------------------------------- manifest and samples
MOVES_ONLY = set("""Transpose Reshape Flatten Squeeze Unsqueeze Concat Split Slice Pad Tile Identity
    Shape GatherElements ScatterElements ScatterND Cast CastLike Where Equal Greater Less
    GreaterOrEqual LessOrEqual And Or Xor BitShift Max Min MaxPool GlobalMaxPool ReduceMax ReduceMin
    ArgMax ArgMin TopK Relu Neg Clip""".split())
QUANTISED = {"QuantizeLinear", "QLinearConv"}


def described(values, samples=None):
    return {v.name: dict(type=TYPE_NAMES[v.type.tensor_type.elem_type], shape=shape_of(v),
                         **(samples or {}).get(v.name, {})) for v in values}


def entry(name, variant, least, row, model, samples):
    graph = model.graph
    ops = sorted({n.op_type for n in graph.node})
    loose = row["loose"] or QUANTISED & set(ops)
    inputs, outputs = described(graph.input, samples), described(graph.output)
    stated = {target: [int(boundary), int(interior)] for target, boundary, interior in row["stated"]}
    return dict(
        id=name, file=name + ".onnx", source=row["source"], variant=variant, note=row["note"],
        oracle_min_total=least, stated=stated if variant != "explicit" else {},
        inputs=inputs, outputs=outputs, ops=ops, nodes=len(graph.node),
        transposes=sum(n.op_type == "Transpose" for n in graph.node),
        dynamic=any(not isinstance(d, int) or d < 0 for v in [*inputs.values(), *outputs.values()]
                    for d in v["shape"]),
        compare="exact" if set(ops) <= MOVES_ONLY else "loose" if loose else "float",
        sha256=hashlib.sha256(model.SerializeToString(deterministic=True)).hexdigest())


def sample_inputs(case_entry):
    """Input arrays to run a case of the manifest with; the same in every process."""
    rng = np.random.default_rng(zlib.crc32(case_entry["id"].encode()))
    arrays = {}
    for name, spec in case_entry["inputs"].items():
        shape = [SYMBOLS.get(d, d) for d in spec["shape"]]
        dtype = TYPES[spec["type"]]
        if "sample" in spec:
            array = np.array(spec["sample"]).reshape(shape)
        elif "permuted_axis" in spec:
            array = np.argsort(rng.random(shape), axis=spec["permuted_axis"])
        elif dtype.kind == "f":
            low, high = spec.get("range", (None, None))
            array = rng.standard_normal(shape) if low is None else rng.uniform(low, high, shape)
        else:
            full = {"int8": (-100, 100), "uint8": (0, 255), "bool": (0, 2)}.get(dtype.name, (0, 4))
            array = rng.integers(*spec.get("range", full), shape)
        arrays[name] = np.asarray(array).astype(dtype)
    return arrays


def build(outdir, rows, only=""):
    """Write the models of these rows and their manifest.json; returns the manifest's list."""
    outdir = Path(outdir)
    outdir.mkdir(parents=True, exist_ok=True)
    manifest = []
    for row in rows:
        if not re.search(only, row["name"]):
            continue
        graph = Graph(row["name"], row["graph"])
        models = [(row["name"], "mirror" if row["mirror"] else "direct", row["least"], graph.model())]
        if row["least_nhwc"] is not None:
            nhwc = NhwcWritten(models[0][-1]).model()
            models.append((row["name"] + "__explicit", "explicit", row["least_nhwc"], nhwc))
        for name, variant, least, model in models:
            onnx.save(model, str(outdir / f"{name}.onnx"))
            manifest.append(entry(name, variant, least, row, model, graph.samples))
    (outdir / "manifest.json").write_text(json.dumps(dict(opset=OPSET, cases=manifest), indent=1) + "\n")
    return manifest


def main(description, table):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("outdir")
    parser.add_argument("--only", default="", help="regular expression on the case name")
    args = parser.parse_args()
    manifest = build(args.outdir, read_table(table), args.only)
    least = sum(e["oracle_min_total"] for e in manifest)
    print(f"{len(manifest)} models in {args.outdir}, at least {least} relayouts in all")
