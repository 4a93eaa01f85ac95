# SPDX-License-Identifier: Apache-2.0
"""Everything that the programs write as JSON against its schema in docs/, over many networks and targets."""

from __future__ import annotations

import json

import jsonschema
import programs
from programs import Bench

MODELS = ("conv_relu", "residual", "depthwise", "grouped", "dense_concat", "upsample", "squeeze_excite", "hard_swish",
          "channels_last", "classifier", "quantized", "image_ops", "many_kernels")  # fmt: skip
TARGETS = ("npu-nhwc", "npu-nchw16c", "npu-tiles", "host")
VERSIONED = ("report", "run", "dump", "certificate", "certificate-check")


def schema(name: str) -> jsonschema.Draft202012Validator:
    text = (programs.ROOT / "docs" / f"{name}.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    return jsonschema.Draft202012Validator(json.loads(text))


def holds(name: str, text: str) -> dict:
    value = json.loads(text)
    errors = sorted(schema(name).iter_errors(value), key=lambda error: list(map(str, error.path)))
    assert not errors, (name, [(list(error.path), error.message[:300]) for error in errors[:3]])
    return value


def test_every_output(bench: Bench) -> None:
    alike = 0
    for number, model in enumerate(MODELS):
        target = TARGETS[number % len(TARGETS)]
        program = bench.compile(model, "--batch=1", f"--target={target}", "--report=report.json", "--explain-layout")
        report = holds("report", bench.path("report.json").read_text(encoding="utf-8"))
        manifest = holds("manifest", bench.run("npu-dump", program, "--manifest").stdout)
        alike += sum(isinstance(kernel, list) for kernel in manifest["kernels"])
        for parts in ((), ("--manifest", "--disassemble"), ("--signature",), ("--kernels", "--memory", "--sections")):
            dump = holds("dump", bench.run("npu-dump", program, "--json", *parts).stdout)
            assert dump.get("manifest", manifest) == manifest
        kernels = {len(row["kernels"]) for row in (report, manifest, holds("run", bench.run("npu-run", program, "--random-inputs", "--json").stdout))}
        assert len(kernels) == 1, kernels
    assert alike > 0, "no program has kernels that are alike"


def test_runs(bench: Bench) -> None:
    program = bench.compile("residual", "--batch=1")
    bench.run("npu-run", program, "--random-inputs", "--repeat=3", "--profile=profile.json")
    holds("run", bench.path("profile.json").read_text(encoding="utf-8"))
    simulated = holds("run", bench.run("npu-run", program, "--simulate-only", "--json").stdout)
    assert "latency_ms" not in simulated and "host_ms" not in simulated["kernels"][0]


def test_certificates(bench: Bench) -> None:
    for model in ("conv_relu", "residual", "squeeze_excite", "concat"):
        path = bench.save(model)
        bench.npuc(path, "--batch=1", "--certificate=proof.json", "-q")
        proof = holds("certificate", bench.path("proof.json").read_text(encoding="utf-8"))
        found = holds("certificate-check", bench.run("npu-check-certificate", "--json", "proof.json").stdout)
        assert found["holds"] and found["cost"] == proof["plan"]["cost"]
    proof["plan"]["cost"] -= 1
    bench.path("wrong.json").write_text(json.dumps(proof), encoding="utf-8")
    assert not holds("certificate-check", bench.run("npu-check-certificate", "--json", "wrong.json").stdout)["holds"]


def test_schemas_refuse(bench: Bench) -> None:
    """A schema that takes everything would hold for everything."""
    program = bench.compile("conv_relu", "--batch=1", "--report=report.json", "--certificate=certificate.json")
    values = {
        "report": bench.path("report.json").read_text(encoding="utf-8"),
        "certificate": bench.path("certificate.json").read_text(encoding="utf-8"),
        "dump": bench.run("npu-dump", program, "--json").stdout,
        "run": bench.run("npu-run", program, "--random-inputs", "--json").stdout,
        "certificate-check": bench.run("npu-check-certificate", "--json", "certificate.json").stdout,
    }
    assert set(values) == set(VERSIONED)
    for name, text in values.items():
        holds(name, text)
        for change in ({"version": 99}, {"version": None}):
            assert list(schema(name).iter_errors({**json.loads(text), **change})), name
        for key in ("kernels", "values", "holds"):
            if key in json.loads(text):
                assert list(schema(name).iter_errors({**json.loads(text), key: [{}]})), (name, key)


if __name__ == "__main__":
    programs.main(__doc__)
