# SPDX-License-Identifier: Apache-2.0
"""Installs, moves what was installed, hides the build, and uses it as its users do."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from acme_npu import test_acme_assembles_a_network, test_acme_kernel_and_op, test_acme_npu
from elf_files import installed_faults
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench" / "models"))

import zoo  # noqa: E402

HIDE = """
for folder; do
  shift
  test "$folder" = -- && break
  mount -t tmpfs -o mode=755 none "$folder"
done
exec "$@"
"""


class World:
    """A folder with what was installed, and commands that see nothing of the build."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.cpack = Path(shutil.which(arguments.cmake)).parent / "cpack"
        self.build, self.cmake, self.nm, self.folder = arguments.build, arguments.cmake, arguments.nm, folder
        self.source = arguments.source
        self.python = arguments.venv / "bin" / "python"
        # The build may lie in the source tree, and the environment in the build.
        places = {path.resolve() for path in (arguments.build, arguments.source, arguments.venv)}
        self.hidden = sorted(path for path in places if not any(other in path.parents for other in places))
        # By any spelling: /proc/self/exe and __FILE__ know no links.
        self.names = {str(path) for path in (arguments.build, arguments.source, arguments.venv)} | set(map(str, places))
        self.prefix = folder / "moved"
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C"}

    def run(self, *words: object, code: int = 0, **environment: object) -> str:
        """What a command says; it must end with `code`."""
        own = {**self.environment, **{key: str(value) for key, value in environment.items()}}
        own["PATH"] = f"{self.prefix / 'bin'}:{own['PATH']}"
        namespace = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        command = [*namespace, "bash", "-ec", HIDE, "hide", *self.hidden, "--", *words]
        done = subprocess.run([*map(str, command)], env=own, cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == code, (
            f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done.stdout + done.stderr

    def names_in(self, program: str) -> tuple[str, str]:
        """Of a program's input and output."""
        manifest = json.loads(self.run("npu-dump", program, "--manifest"))
        return manifest["inputs"][0]["name"], manifest["outputs"][0]["name"]

    def install(self, to: Path, *words: str) -> None:
        # The build is not hidden yet.
        command = [self.cmake, "--install", self.build, f"--prefix={to}", *words]
        subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)

    def build_project(self, name: str, *words: object) -> Path:
        """Configures and builds a project of this folder, which was copied: it is hidden."""
        build = self.folder / f"{name}-build"
        self.run("cmake", "-G", "Ninja", "-S", self.folder / name, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                 "-DCMAKE_BUILD_TYPE=None", *words)  # fmt: skip
        self.run("cmake", "--build", build)
        return build


def write_model(world: World) -> None:
    """A convolution with ReLU, its input, and what it gives."""
    random = np.random.default_rng(7)
    weight = random.standard_normal((8, 3, 3, 3)).astype(np.float32)
    x = random.standard_normal((1, 3, 10, 12)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Relu", ["c"], ["y"])],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 8, 8, 10))],
        [numpy_helper.from_array(weight, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), world.folder / "net.onnx")
    np.save(world.folder / "x.npy", x)
    x.tofile(world.folder / "x.bin")
    windows = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), (1, 2))
    y = np.maximum(np.einsum("chwij,ocij->ohw", windows, weight), 0)
    np.save(world.folder / "expected.npy", y[None])


def expect(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def expect_result(world: World, y: np.ndarray) -> None:
    np.testing.assert_allclose(y, np.load(world.folder / "expected.npy"), rtol=1e-4, atol=1e-5)


def test_hidden(world: World) -> None:
    for folder in world.hidden:
        expect(world.run("ls", folder) == "", f"{folder} is not hidden")


def test_elf_files(world: World) -> None:
    """Libraries are looked for beside the programs and in the system's folders; everything is hardened."""
    faults = installed_faults(world.prefix)
    expect(not faults, "\n".join(faults))


def test_nothing_names_the_build(world: World) -> None:
    for path in world.prefix.rglob("*"):
        if path.is_symlink():
            expect(not os.readlink(path).startswith("/"), f"{path} is a link to {os.readlink(path)}")
        elif path.is_dir():
            expect(any(path.iterdir()), f"{path} is empty")
        else:
            content = path.read_bytes()
            for name in world.names:
                expect(name.encode() not in content, f"{path} contains {name}")


def test_programs(world: World) -> None:
    """All start; npuc finds its targets, and what it writes runs."""
    for program in sorted((world.prefix / "bin").iterdir()):
        if program.read_bytes()[:4] == b"\x7fELF" and program.name != "npu-lsp-server":
            expect("--help" in world.run(program.name, "--help").lower(), f"{program.name} --help says nothing")
    world.run("npu-run", "net.npu", "--input", "x=x.npy", "--output", "y=y.npy")
    expect_result(world, np.load(world.folder / "y.npy"))
    said = world.run("npuc", "net.onnx", "--target=npu-none", code=2)
    expect("npu-nhwc" in said, f"npuc does not list its targets: {said}")


def test_moved_link(world: World) -> None:
    """A link to a program is as good as the program."""
    (world.folder / "links").mkdir()
    (world.folder / "links" / "compile").symlink_to(world.prefix / "bin" / "npuc")
    world.run(world.folder / "links" / "compile", "net.onnx", "-o", "linked.npu")


def test_completions(world: World) -> None:
    """Of every program that has --completion, for each shell, where the shell looks."""
    for program in ("npuc", "npu-run", "npu-dump", "npu-check-certificate", "npu-bench", "npu-sweep", "npuc-quantize"):
        files = (f"bash-completion/completions/{program}", f"zsh/site-functions/_{program}", f"fish/vendor_completions.d/{program}.fish")
        for file in files:
            text = (world.prefix / "share" / file).read_text(encoding="utf-8")
            expect(program in text and "version" in text, f"{file}: {text[:200]}")
        world.run("bash", "-n", world.prefix / "share" / files[0])


def test_python_programs(world: World) -> None:
    said = world.run("npu-bench", "net.onnx", code=1, NPU_PYTHON="/usr/bin/python3")
    expect("requirements.txt" in said and "Traceback" not in said, f"npu-bench does not say what is missing: {said}")
    said = world.run("npu-bench", "--help", NPU_PYTHON="/usr/bin/python3")
    expect(said.startswith("usage: npu-bench"), f"npu-bench --help: {said}")
    # With packages, which the environment has; nothing else of the build is used.
    environment = {**world.environment, "NPU_PYTHON": str(world.python)}
    measures = ["npu-bench", "net.onnx", "--plans=npu-nhwc/optimal", "--rounds=1", "--threads=1"]
    for words in (["npu-layout-diff", "report.json", "report.json"], ["npu-compare", "net.onnx"], measures):
        command = [world.prefix / "bin" / words[0], *words[1:]]
        done = subprocess.run(command, env=environment, cwd=world.folder, capture_output=True, text=True)
        expect(done.returncode == 0, f"{words}: {done.stdout}{done.stderr}")


def test_python_module(world: World) -> None:
    code = (
        "import npuc, numpy; p = npuc.compile('net.onnx'); numpy.save('module.npy', p(numpy.load('x.npy'))); "
        "print(npuc.__file__)"
    )
    (folder,) = world.prefix.glob("lib*/npuc/python")
    environment = {**world.environment, "PYTHONPATH": str(folder)}
    command = [world.python, "-c", code]
    done = subprocess.run(command, env=environment, cwd=world.folder, capture_output=True, text=True)
    expect(done.returncode == 0, f"the installed module: {done.stdout}{done.stderr}")
    expect(done.stdout.startswith(str(folder)), f"another module was imported: {done.stdout}")
    expect_result(world, np.load(world.folder / "module.npy"))


def run_consumer(world: World, program: Path, **environment: object) -> None:
    output = world.folder / "y.bin"
    output.unlink(missing_ok=True)
    world.run(program, "net.npu", "x.bin", output, **environment)
    expect_result(world, np.fromfile(output, np.float32).reshape(1, 8, 8, 10))
    said = world.run(program, "absent.npu", "x.bin", output, code=1, **environment)
    expect("absent.npu" in said, f"{program} does not say which file: {said}")


def test_find_package(world: World) -> None:
    build = world.build_project("runtime_consumer")
    for program in ("run_c", "run_cpp", "run_static"):
        run_consumer(world, build / program)
    world.run("npu-run", "net.npu", f"--plugin={build / 'nothing.so'}", "--random-inputs")


def test_pkg_config(world: World) -> None:
    found = {"PKG_CONFIG_PATH": world.prefix / "lib" / "pkgconfig"}
    for compiler, source, package in (("gcc", "run.c", "npu"), ("g++", "run.cpp", "npu"), ("gcc", "run.c", "npu-static")):
        words = world.run("pkg-config", "--cflags", "--libs", package, **found).split()
        program = world.folder / f"{package}-{compiler}"
        world.run(compiler, "-O0", "-Wall", "-Wextra", "-Werror", world.folder / "runtime_consumer" / source, "-o", program, *words)
        run_consumer(world, program)


def test_compiler_consumer(world: World) -> None:
    build = world.build_project("compiler_consumer", "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_C_COMPILER=gcc")
    for strategy, least in (("naive", 1), ("optimal", 0)):
        said = world.run(build / "count_relayouts", "net.onnx", "npu-nhwc", strategy)
        relayouts = int(said.split()[0])
        expect(relayouts >= least, said)
    words = world.run("pkg-config", "--cflags", "--libs", "npuc", PKG_CONFIG_PATH=world.prefix / "lib" / "pkgconfig").split()
    by_hand = world.folder / "compile-by-hand"
    world.run("gcc", "-Wall", "-Werror", world.folder / "compiler_consumer" / "compile.c", "-o", by_hand, *words)
    for program in (build / "compile", by_hand):
        world.run(program, "net.onnx", "library.npu", "npu-nhwc")
        world.run("npu-run", "library.npu", "--input", "x=x.npy", "--output", "y=library.npy")
        expect_result(world, np.load(world.folder / "library.npy"))
    said = world.run(build / "compile", "absent.onnx", "absent.npu", "npu-nhwc", code=1)
    expect("absent.onnx: cannot be read" in said, f"the library does not say which file: {said}")


def test_hello(world: World) -> None:
    """The commands of its page, and CMake: what npu-run computes."""
    examples = world.folder / "hello-examples"
    shutil.copytree(world.prefix / "share" / "npuc" / "examples", examples)
    page = (examples / "hello" / "README.md").read_text(encoding="utf-8").split("```")[1]
    (examples / "P").symlink_to(world.prefix)
    printed = world.run("bash", "-c", f"cd '{examples}'\nexec 2>said\nset -e\n{page}").split()
    np.save(world.folder / "half.npy", np.full((1, 3, 16, 16), 0.5, np.float32))
    world.run("npu-run", examples / "net.npu", "--input", "x=half.npy", "--output", "y=hello.npy")
    wanted = np.load(world.folder / "hello.npy").ravel()
    np.testing.assert_allclose(np.array(printed, np.float32), wanted, rtol=1e-5)
    build = examples / "build"
    world.run("cmake", "-G", "Ninja", "-S", examples / "hello", "-B", build, f"-DCMAKE_PREFIX_PATH={world.prefix}")
    world.run("cmake", "--build", build)
    expect(world.run(build / "hello", examples / "net.npu").split() == printed, "CMake's program says something else")
    said = world.run(build / "hello", "absent.npu", code=1)
    expect("absent.npu" in said, said)


def test_embed(world: World) -> None:
    """The example: no file, memory and threads of its own, no oneDNN, and small."""
    build = world.folder / "embed-build"
    example = world.prefix / "share" / "npuc" / "examples" / "embed"
    world.run("cmake", "-G", "Ninja", "-S", example, "-B", build, f"-DCMAKE_PREFIX_PATH={world.prefix}")
    world.run("cmake", "--build", build)
    expect_embedded(world, build)


def configure_with_sources(world: World) -> Path:
    """The example with the runtime from npuc's sources, which cannot be hidden then."""
    build = world.folder / "source-build"
    environment = {**world.environment, "PATH": f"{world.prefix / 'bin'}:{world.environment['PATH']}"}
    command = [world.cmake, "-G", "Ninja", "-S", world.source / "examples" / "embed", "-B", build,
               f"-DNPUC_SOURCE_DIR={world.source}", "-DCMAKE_CXX_COMPILER=clang++-22",
               "-DCMAKE_C_COMPILER=clang-22"]  # fmt: skip
    done = subprocess.run([*map(str, command)], env=environment, capture_output=True, text=True)
    expect(done.returncode == 0, done.stdout + done.stderr)
    return build


def test_add_subdirectory_configures(world: World) -> None:
    """Without LLVM, oneDNN, and what only tests and programs need."""
    cache = (configure_with_sources(world) / "CMakeCache.txt").read_text()
    for package in ("MLIR_DIR", "NPU_ONEDNN_LIBRARY", "GTest_DIR", "CLI11_DIR"):
        expect(f"\n{package}:" not in cache, f"{package} is looked for")


def test_add_subdirectory(world: World) -> None:
    build = configure_with_sources(world)
    subprocess.run([world.cmake, "--build", build], check=True, stdout=subprocess.DEVNULL)
    expect_embedded(world, build)


def expect_embedded(world: World, build: Path) -> None:
    """That it prints what npu-run computes of the same program."""
    program = world.folder / "embed"
    world.run("strip", "-o", program, build / "embed")
    # Of it 4 % are the stack protector's and what cmake/Hardening.cmake asks for besides.
    expect(program.stat().st_size < 2_300_000, f"embed has {program.stat().st_size} bytes")
    libraries = world.run("readelf", "-d", program)
    expect("NEEDED" in libraries and "dnnl" not in libraries, libraries)
    shutil.copy(build / "net.npu", world.folder / "embedded.npu")
    ramp = (np.arange(16 * 16 * 3) % 17).astype(np.float32) / 8 - 1
    np.save(world.folder / "ramp.npy", ramp.reshape(1, 16, 16, 3))
    x, y = world.names_in("embedded.npu")
    world.run("npu-run", "embedded.npu", "--input", f"{x}=ramp.npy", "--output", f"{y}=embedded.npy")
    lines = world.run(program).splitlines()
    expect("own kernels" in lines[-1], lines[-1])
    np.testing.assert_allclose(
        np.array(lines[:-1], np.float32), np.load(world.folder / "embedded.npy").ravel(), rtol=1e-5, atol=1e-6
    )


def test_debian_packages(world: World) -> None:
    """What cpack makes: dependencies, and programs that run out of the package's files."""
    packages = world.folder / "packages"
    command = [world.cpack, "--config", world.build / "CPackConfig.cmake", "-G", "DEB", "-B", packages,
               "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-D", "CPACK_COMPONENTS_ALL=runtime;compiler"]  # fmt: skip
    subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL, cwd=world.folder)
    made = {path.name.split("_")[0]: path for path in packages.glob("*.deb")}
    expect(set(made) == {"npuc-runtime", "npuc-compiler"}, f"{sorted(made)}")
    depends = {name: world.run("dpkg-deb", "-f", path, "Depends") for name, path in made.items()}
    expect("libstdc++6" in depends["npuc-runtime"] and "libmlir" not in depends["npuc-runtime"], str(depends))
    expect("libmlir-22" in depends["npuc-compiler"] and "npuc-runtime (=" in depends["npuc-compiler"], str(depends))
    for path in made.values():
        world.run("dpkg-deb", "-x", path, world.folder / "root")
    faults = installed_faults(world.folder / "root")
    expect(not faults, "\n".join(faults))
    programs = world.folder / "root" / "usr" / "bin"
    world.run(programs / "npuc", "net.onnx", "-o", "packaged.npu")
    world.run(programs / "npu-run", "packaged.npu", "--input", "x=x.npy", "--output", "y=packaged.npy")
    expect_result(world, np.load(world.folder / "packaged.npy"))


def test_find_package_refuses(world: World) -> None:
    for words, message in (
        ("npuc 9.0 REQUIRED", "0.1.0"),
        ("npuc REQUIRED COMPONENTS runtime kernels", "no component 'kernels'"),
    ):
        source = world.folder / "refused"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(refused LANGUAGES C CXX)\nfind_package({words})\n"
        )
        said = world.run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={world.prefix}", code=1)
        expect(message in " ".join(said.split()), f"find_package({words}): {said}")


def test_runtime_alone(world: World) -> None:
    """The component runtime is all that running takes, and no more."""
    alone = world.folder / "alone"
    world.install(alone, "--component", "runtime")
    expect(not (alone / "include").exists() and not (alone / "bin" / "npuc").exists(), "more than the runtime")
    world.run(alone / "bin" / "npu-run", "net.npu", "--input", "x=x.npy", "--output", "y=alone.npy")
    expect_result(world, np.load(world.folder / "alone.npy"))


def test_symbols(world: World) -> None:
    """libnpu shows its API, and its soname carries the versions that may differ in it."""
    library = (world.prefix / "lib" / "libnpu.so").resolve()
    names = [line.split()[-1] for line in world.run(world.nm, "-D", "--defined-only", library).splitlines()]
    expect(bool(names) and all(name.startswith("npu_") for name in names), f"libnpu.so shows {names}")
    expect(library.name == "libnpu.so.0.1.0" and (world.prefix / "lib" / "libnpu.so.0.1").exists(), str(library))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "source", "venv"):
        parser.add_argument(f"--{name}", type=lambda word: Path(word).absolute(), required=True)
    for name in ("cmake", "nm"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--slow", action="store_true", help="only the tests that take a minute")
    parser.add_argument("--only", default="", help="tests whose names contain this")
    with tempfile.TemporaryDirectory(prefix="npuc-install-") as name:
        arguments = parser.parse_args()
        world = World(arguments, Path(name).resolve())
        world.install(world.folder / "installed")
        (world.folder / "installed").rename(world.prefix)
        for project in PROJECTS:
            shutil.copytree(HERE / project, world.folder / project)
        write_model(world)
        os.environ.setdefault("NPU_MODELS", str(arguments.build / "models"))
        shutil.copy(zoo.ensure("resnet50", verbose=False), world.folder / "resnet50.onnx")
        world.run("npuc", "net.onnx", "-o", "net.npu", "--target=npu-nchw16c", "--mcpu=native", "--report=report.json")
        chosen = [test for test in (SLOW_TESTS if arguments.slow else TESTS) if arguments.only in test.__name__]
        for test in chosen:
            start = time.monotonic()
            test(world)
            print(f"ok {test.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
    return 0 if chosen else 2


TESTS: list[Callable[[World], None]] = [
    test_hidden,
    test_elf_files,
    test_nothing_names_the_build,
    test_symbols,
    test_programs,
    test_moved_link,
    test_completions,
    test_python_programs,
    test_python_module,
    test_runtime_alone,
    test_find_package,
    test_pkg_config,
    test_find_package_refuses,
    test_hello,
    test_embed,
    test_add_subdirectory_configures,
    test_compiler_consumer,
    test_acme_npu,
    test_acme_kernel_and_op,
    test_acme_assembles_a_network,
]
SLOW_TESTS = [test_debian_packages, test_add_subdirectory]
PROJECTS = ("runtime_consumer", "compiler_consumer")


if __name__ == "__main__":
    sys.exit(main())
