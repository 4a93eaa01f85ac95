# SPDX-License-Identifier: Apache-2.0
"""The .npu files that npuc writes: self-contained, page aligned, reproducible, refused when damaged."""

from __future__ import annotations

import ctypes
import json
import random
import re
import shutil
import struct
import subprocess
from pathlib import Path

import jsonschema
import numpy as np
import onnx
import programs
from npu_bench.installation import npuc_of
from onnx import TensorProto, helper
from programs import Bench

FOOTER_BYTES = 64
SAMPLES = 10_000
PAGE = 4096


def unary_kinds() -> onnx.ModelProto:
    """Every kind of maths that generated kernels have."""
    return programs.chain(
        "maths", [2, 300], "Exp", "Tanh", "Erf", "Sigmoid", "Softplus", "Sqrt", "Log", "Reciprocal", "Floor", "Ceil",
        "Round", "Neg", "Abs", "Sign", "Elu", "HardSwish", "LeakyRelu",
    )  # fmt: skip


def integers() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Div", ["x", "w"], ["a"]),
        helper.make_node("Mod", ["a", "w"], ["b"]),
        helper.make_node("Mul", ["b", "x"], ["c"]),
        helper.make_node("Less", ["c", "w"], ["d"]),
        helper.make_node("Where", ["d", "a", "b"], ["y"]),
    ]
    weights = {"w": np.array([3, -7, 5, 2], np.int64)}
    return programs.network("integers", nodes, weights, {"x": [1000, 4]}, ["y"], TensorProto.INT64)


def powers(element: int, name: str) -> onnx.ModelProto:
    nodes = [
        helper.make_node("Exp", ["x"], ["a"]),
        helper.make_node("Pow", ["a", "x"], ["b"]),
        helper.make_node("Cast", ["b"], ["y"], to=TensorProto.FLOAT),
    ]
    return programs.network(name, nodes, {}, {"x": [70, 33]}, ["y"], element, TensorProto.FLOAT)


def copies() -> onnx.ModelProto:
    """Large values that only move."""
    nodes = [
        helper.make_node("Transpose", ["x"], ["a"], perm=[1, 2, 0]),
        helper.make_node("Concat", ["a", "a"], ["b"], axis=1),
        helper.make_node("Slice", ["b", "starts", "ends"], ["c"]),
        helper.make_node("Expand", ["c", "shape"], ["y"]),
    ]
    weights = {
        "starts": np.array([0, 3], np.int64), "ends": np.array([64, 300], np.int64),
        "shape": np.array([3, 64, 297, 128], np.int64),
    }  # fmt: skip
    return programs.network("copies", nodes, weights, {"x": [128, 64, 256]}, ["y"])


def every_kind() -> list[onnx.ModelProto | str]:
    networks = [unary_kinds(), integers(), copies(), "residual", "squeeze_excite", "upsample", "classifier"]
    halves = [powers(TensorProto.FLOAT16, "half"), powers(TensorProto.BFLOAT16, "brain")]
    return [*networks, *halves]


def tool(*words: object) -> str:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def test_nothing_undefined(bench: Bench) -> None:
    for model in every_kind():
        words = ["--batch=1"] if isinstance(model, str) else []
        for cpu in ("native", "x86-64-v3", "x86-64-v4"):
            path = bench.compile(model, f"--mcpu={cpu}", *words)
            undefined = tool("nm", "-D", "--undefined-only", path)
            assert undefined == "", f"{bench.folder}: {cpu}: undefined {undefined}"
            defined = [line.split()[-1] for line in tool("nm", "-D", "--defined-only", path).splitlines()]
            assert defined == ["npu_program"], defined
            assert "(NEEDED)" not in tool("readelf", "-d", path)


def test_sections(bench: Bench) -> None:
    path = bench.compile("classifier", "--batch=1", "--report=report.json")
    rows = re.findall(r"(\.npu\.\w+)\s+PROGBITS\s+(\w+) (\w+) (\w+) \w+\s+(\w+) .* (\d+)$",
                      tool("readelf", "-SW", path), re.MULTILINE)  # fmt: skip
    sections = {name: (int(address, 16), int(offset, 16), int(size, 16), flags, int(align))
                for name, address, offset, size, flags, align in rows}  # fmt: skip
    address, offset, size, flags, alignment = sections[".npu.weights"]
    assert address % PAGE == offset % PAGE == 0 and alignment == PAGE, sections
    assert flags == "A", f"weights are neither written nor run, found {flags}"
    report = json.loads(bench.path("report.json").read_text(encoding="utf-8"))
    assert size == report["memory"]["weight_bytes"] > 0, (size, report["memory"])
    assert not path.stat().st_mode & 0o111, "a .npu file is no program"
    assert len(list(bench.folder.iterdir())) == 3, "temporary files are left"


def test_names_with_equals_signs(bench: Bench) -> None:
    """Of inputs a and a=b, the longer one that fits is meant."""
    nodes = [helper.make_node("Sub", ["a", "a=b"], ["y"])]
    path = bench.compile(programs.network("names", nodes, {}, {"a": [2], "a=b": [2]}, ["y"]))
    arrays = {"a": np.array([5, 7], np.float32), "a=b": np.array([1, 2], np.float32)}
    assert bench.execute(path, arrays, "y")[0].tolist() == [4, 5]


def test_manifest(bench: Bench) -> None:
    """What docs/manifest.schema.json says of it."""
    schema = json.loads((programs.ROOT / "docs" / "manifest.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for target in ("npu-nhwc", "npu-nchw16c", "host"):
        path = bench.compile("squeeze_excite", "--batch=1", f"--target={target}")
        jsonschema.validate(bench.program(path, 1).manifest, schema)


def test_same_bytes(bench: Bench) -> None:
    """From run to run, whatever the file is called and wherever it lies."""
    bench.path("deep").mkdir()
    for model in ("residual", "squeeze_excite"):
        first = bench.compile(model, "--batch=1", out="one.npu").read_bytes()
        for out in ("one.npu", "another-name.npu", "deep/er.npu", str(bench.path("absolute.npu"))):
            assert bench.compile(model, "--batch=1", out=out).read_bytes() == first, f"{model} as {out} differs"
        assert str(bench.folder).encode() not in first, "the file holds the path of this machine"
        shutil.move(bench.path(f"{model}.onnx"), bench.path("deep") / f"{model}.onnx")
        bench.npuc(f"deep/{model}.onnx", "--batch=1", "-q", "-o", "moved.npu")
        assert bench.path("moved.npu").read_bytes() == first, f"{model} from another folder differs"


def test_links(bench: Bench) -> None:
    """A link stays; what it names is replaced."""
    bench.path("there").mkdir()
    bench.path("link.npu").symlink_to("there/real.npu")
    bench.path("there/real.npu").write_bytes(b"old")
    bench.compile("conv_relu", "--batch=1", out="link.npu")
    assert bench.path("link.npu").is_symlink()
    assert bench.path("there/real.npu").read_bytes()[:4] == b"\x7fELF"


class Victim:
    """A copy of a .npu file that is damaged and loaded, without a process each."""

    def __init__(self, bench: Bench, source: Path) -> None:
        self.path = bench.path("victim.npu")
        self.whole = source.read_bytes()
        self.npuc = npuc_of(bench.build)

    def refused(self) -> str:
        """The message, which must name the file; the file must not load."""
        try:
            self.npuc.load(self.path, threads=1)
        except self.npuc.RunError as error:
            assert str(self.path) in str(error), error
            return str(error)
        raise AssertionError("a damaged file was loaded")


def test_truncations(bench: Bench) -> None:
    victim = Victim(bench, bench.compile("conv_relu", "--batch=1"))
    victim.path.write_bytes(victim.whole)
    with open(victim.path, "r+b") as file:
        for size in range(len(victim.whole) - 1, -1, -1):
            file.truncate(size)
            victim.refused()


def test_flipped_bits(bench: Bench) -> None:
    """Each bit of the header, the manifest's end and the footer, then random ones.

    runtime-DamageTest flips all positions of a small file; this is a real one.
    """
    victim = Victim(bench, bench.compile("residual", "--batch=1"))
    bits = 8 * len(victim.whole)
    ends = [*range(8 * 64), *range(bits - 8 * 2 * FOOTER_BYTES, bits)]
    chosen = random.Random(1)
    victim.path.write_bytes(victim.whole)
    with open(victim.path, "r+b", buffering=0) as file:
        for bit in [*ends, *(chosen.randrange(bits) for _ in range(SAMPLES))]:
            at, mask = bit // 8, 1 << bit % 8
            for byte in (victim.whole[at] ^ mask, victim.whole[at]):
                file.seek(at)
                file.write(bytes([byte]))
                if byte != victim.whole[at]:
                    victim.refused()
    assert victim.path.read_bytes() == victim.whole


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def checksum(body: bytes) -> bytes:
    """XXH3_128bits in canonical form, from the library that the runtime has, too."""
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_128bits.restype = Hash128
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    value = library.XXH3_128bits(body, len(body))
    return struct.pack(">QQ", value.high, value.low)


def resealed(content: bytes, version: int | None = None, manifest: bytes | None = None) -> bytes:
    """The file with another version or manifest, and a checksum that fits."""
    footer = bytearray(content[-FOOTER_BYTES:])
    file_size, offset, size = struct.unpack_from("<QQQ", footer, 16)
    assert file_size == len(content)
    body = content[: offset + size]
    if manifest is not None:
        body = content[:offset] + manifest
        struct.pack_into("<QQQ", footer, 16, len(body) + FOOTER_BYTES, offset, len(manifest))
    if version is not None:
        struct.pack_into("<I", footer, 8, version)
    body += bytes(footer[: FOOTER_BYTES - 16])
    return body + checksum(body)


def test_versions_and_processors(bench: Bench) -> None:
    victim = Victim(bench, bench.compile("conv_relu", "--batch=1"))
    _, offset, size = struct.unpack_from("<QQQ", victim.whole, len(victim.whole) - FOOTER_BYTES + 16)
    manifest = json.loads(victim.whole[offset : offset + size])
    assert resealed(victim.whole) == victim.whole, "the test knows the format"
    victim.path.write_bytes(resealed(victim.whole, version=99))
    assert "format version 99" in victim.refused()
    manifest["cpu_features"].append("quantum")
    victim.path.write_bytes(resealed(victim.whole, manifest=json.dumps(manifest).encode()))
    assert "quantum" in victim.refused()
    done = bench.run("npu-run", victim.path)
    assert done.returncode > 0 and "quantum" in done.stderr, done


def test_processor_decides_the_features(bench: Bench) -> None:
    """What --mcpu allows is what the manifest demands, and the plainest one runs."""
    x = {"x": programs.sample(2, 300)}
    wanted = None
    for cpu, demanded, absent in (("x86-64-v3", "avx2", "avx512f"), ("native", "avx2", "amx")):
        path = bench.compile(unary_kinds(), f"--mcpu={cpu}")
        content = path.read_bytes()
        _, offset, size = struct.unpack_from("<QQQ", content, len(content) - FOOTER_BYTES + 16)
        features = json.loads(content[offset : offset + size])["cpu_features"]
        assert demanded in features and absent not in features, (cpu, features)
        (found,) = bench.execute(path, x, "y")
        wanted = found if wanted is None else wanted
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    programs.main(__doc__)
