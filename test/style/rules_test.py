# SPDX-License-Identifier: Apache-2.0
"""Every style check finds what it is for, and leaves a tidy tree alone."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import check_counts
import cpp_format
import doc_links
import file_size
import function_size
import layers
import licence
import lint_rules
import machine_paths
import one_definition
import pass_names
import plain_words
import readme_map
import spelling
import td_examples
import tree

SPDX = "SPDX-License-Identifier: Apache-2.0"
CPP = f"// {SPDX}\nint one() {{ return 1; }}\n"
BODY = """{
  let summary = "Folds.";
  let description = [{
    Text.
    ```mlir
    %0 = npu.relu %x
    ```
  }];
}
"""
PASS = f"""// {SPDX}
include "mlir/Pass/PassBase.td"
def FoldLayout : Pass<"npu-fold-layout"> {BODY}"""
# The op's class has a class between itself and Op, as the dialect's own do.
OP = f"""// {SPDX}
include "mlir/IR/OpBase.td"
def A_Dialect : Dialect {{
  let name = "npu";
}}
class A_Op<string mnemonic> : Op<A_Dialect, mnemonic>;
def A_ReluOp : A_Op<"relu"> {BODY}"""
COUNTED = "// CHECK-COUNT-2: npu.b\n// CHECK-NOT: npu.b\n// A-COUNT-3: npu.c\n// A-NEXT: return\n"
SUMMARY = '  let summary = "Folds.";\n'
DESCRIPTION = BODY[BODY.index("  let description") : BODY.rindex("}")]

TIDY = {
    "compiler/Layout/Passes.td": PASS,
    "compiler/Layout/FoldLayout.cpp": CPP,
    "compiler/NPUOps.td": OP,
    "compiler/README.md": "```layers\ncompiler/Layout\ncompiler\nkernels runtime\n```\n",
    "runtime/run.h": "// " + SPDX + "\n",
    "test/compiler/fold-layout.mlir": "// RUN: npu-opt\n",
    "test/a.mlir": COUNTED,
    "kernels/conv.cpp": CPP,
    "docs/README.md": "# docs\n[c](../kernels/conv.cpp) and `kernels/conv.cpp`, [out](https://example.org), `conv.cpp`, `BiasGelu`\n",
}

# Check, file, its content, part of the message.
VIOLATIONS = [
    (file_size, "kernels/conv.cpp", CPP + "\n" * 700, "702 lines"),
    (function_size, "kernels/conv.cpp", "int f(int a) {\n" + "  a++;\n" * 80 + "  return a;\n}\n", "83 lines in 'int f"),
    (function_size, "a.h", "class A {\n  int f(int a,\n        int b) const {\n" + "    a++;\n" * 80 + "  }\n};\n", "a.h:2"),
    (function_size, "a.py", "def f():\n" + "    pass\n" * 80, "81 lines in 'f'"),
    (licence, "kernels/conv.cpp", "int one();\n", "SPDX"),
    (machine_paths, "docs/README.md", "see /tmp/wt/x\n", "'/tmp/w'"),
    (machine_paths, "docs/README.md", "from https://pypi.org/simple\n", "pypi.org"),
    (lint_rules, "kernels/conv.cpp", '#include "llvm/ADT/Twine.h"\n', "LLVM-free"),
    (lint_rules, "runtime/a.h", "using namespace std;\n", "no using namespace"),
    (lint_rules, "compiler/a.cpp", "// TODO: later\n", "TODO names an issue"),
    (td_examples, "compiler/NPUOps.td", OP.replace("```", ""), "'relu' has no example"),
    (td_examples, "compiler/NPUOps.td", OP.replace(SUMMARY, ""), "'relu' has no summary"),
    (td_examples, "compiler/Layout/Passes.td", PASS.replace(DESCRIPTION, ""), "has no description"),
    (pass_names, "compiler/Layout/Passes.td", PASS.replace("npu-fold", "fold"), "must be called npu-"),
    (pass_names, "compiler/Layout/Passes.td", PASS.replace("npu-fold", "npu-sink"), "no file SinkLayout.cpp"),
    (pass_names, "compiler/Layout/Passes.td", PASS.replace("npu-fold", "npu-sink"), "no test sink-layout.mlir"),
    (plain_words, "README.md", "```\nbehind\n```\n`beside` and\na kernel\nlies behind it\n", "README.md:6: 'behind'; say: after"),
    (spelling, "docs/a.md", "they recie" "ve it\n", "docs/a.md:1: "),
    (spelling, "docs/install.md", "\nAt this point in time\n", "install.md:2: "),
    (plain_words, "docs/install.md", "[a](beside.md) is dearer\n", "install.md:1: 'dearer'; say: more expensive"),
    (layers, "compiler/up.cpp", CPP + '#include "compiler/Layout/a.h"\n', "compiler/up.cpp: includes compiler/Layout/a.h"),
    (layers, "kernels/conv.cpp", CPP + '#include "runtime/run.h"\n', "does not stand below kernels"),
    (layers, "kernels/conv.cpp", CPP + '#include "test/a.h"\n', "does not stand below kernels"),
    (layers, "cost/a.cpp", CPP, "lies in no folder"),
    (layers, "compiler/README.md", "```layers\ngone compiler kernels runtime\n```\n", "names gone, which is not there"),
    (layers, "compiler/README.md", "no picture\n", "has no block"),
    (readme_map, "docs/README.md", "| `gone.md` | x |\n", "names gone.md, which is not there"),
    (readme_map, "docs/README.md", "| `gone/` | x |\n", "names gone/, which is not there"),
    (doc_links, "docs/README.md", "see [it](gone.md)\n", "links to gone.md"),
    (doc_links, "docs/README.md", "| x | `kernels/gone.cpp` |\n", "names kernels/gone.cpp"),
    (doc_links, "docs/README.md", "it is in `gone.cpp`\n", "names gone.cpp, which no folder has"),
    (doc_links, "docs/README.md", "call `goneAway`\n", "names goneAway, which no code has"),
    (doc_links, "docs/README.md", "call `a::goneAway()`\n", "names a::goneAway, which no code has"),
    (doc_links, "docs/README.md", "raise `NPU_OP_GONE`\n", "names NPU_OP_GONE"),
    (doc_links, "docs/adding-an-op.md", "derive from `GoneInterface`\n", "names GoneInterface"),
    (check_counts, "test/a.mlir", COUNTED.replace("CHECK-NOT: npu.b", "CHECK: return"), "a.mlir:1: CHECK-COUNT-2"),
    (check_counts, "test/a.mlir", COUNTED.replace("NOT: npu.b", "NOT: npu.c"), "a.mlir:1: CHECK-COUNT-2"),
    (check_counts, "test/a.mlir", COUNTED.replace("COUNT-2", "COUNT-1"), "CHECK-COUNT-1 is CHECK"),
    (cpp_format, "kernels/conv.cpp", CPP.replace("int one", "int   one"), "make format"),
]

# What one file defines, what another may define too, and what it may not.
DEFINITIONS = """\
namespace a {
struct Table;
struct Table { struct Row { int cells; }; };
namespace inner { enum class Kind { Yes }; }
template <typename T> struct Of {};
static int g() { return 1; }
inline int f(const Table &table, int count = 0) { return count; }
namespace { struct Hidden { int h; }; int h() { return 2; } }
}
int main() { struct Local {}; return a::g(); }
"""
OTHERS = """\
namespace a {
struct Table;
struct Other { struct Row {}; };
namespace outer { enum class Kind { No }; }
static int g() { return 3; }
inline int f(const Table &table, double count) { return 4; }
int f(const Table &table, int);
namespace { struct Hidden {}; int h() { return 5; } }
}
namespace b { struct Table {}; }
int main() { struct Local { int l; }; return a::g(); }
"""
DEFINED_TWICE = {
    "namespace a {\nint f(const Table &other, int n) { return n; }\n}\n": "b.cpp:2: defines a::f(constTable&,int), as kernels/a.cpp:7 does",
    "namespace a {\nclass Table final : Base<int> {\n};\n}\n": "b.cpp:2: defines a::Table, as kernels/a.cpp:3",
    "namespace a::inner {\nenum Kind { No };\n}\n": "defines a::inner::Kind",
    "namespace a {\ntemplate <class T>\nclass Of { T t; };\n}\n": "b.cpp:3: defines a::Of",
    "namespace a {\n/* { */ const char *brace = \"{\";\nunion Table { int t; };\n}\n": "b.cpp:3: defines a::Table",
}

CLEAN_FUNCTIONS = """\
namespace a {
struct Table {
  int rows[3] = {
      1,
  };
};
int f() {
  for (int i = 0; i < 3; i++) {
    g(i);
  }
}
} // namespace a
""" + "// filler\n" * 90


def write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def run(check: tree.Check, files: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), files)
        return check(Path(folder))


def test_tidy_tree() -> None:
    for module in {violation[0] for violation in VIOLATIONS}:
        findings = run(module.check, TIDY)
        assert not findings, f"{module.__name__} found something in a tidy tree: {findings}"
    assert not run(function_size.check, {"a.cpp": CLEAN_FUNCTIONS})


def test_violations() -> None:
    for module, name, content, message in VIOLATIONS:
        findings = run(module.check, {**TIDY, name: content})
        assert any(message in finding for finding in findings), f"{module.__name__} {name} {message}: {findings}"


def test_readme_of_many_files() -> None:
    many = {f"kernels/part{index}.cpp": CPP for index in range(9)}
    (finding,) = run(readme_map.check, many)
    assert finding.startswith("kernels: 9 files and no README.md"), finding
    named = "".join(f"| `part{index}.cpp` | x |\n" for index in range(8))
    assert run(readme_map.check, {**many, "kernels/README.md": named}) == ["kernels/README.md: does not name part8.cpp"]
    named += "| `part8` | x |\n"
    assert run(readme_map.check, {**many, "kernels/README.md": named}) == []


def test_one_definition() -> None:
    both = {"kernels/a.cpp": DEFINITIONS, "kernels/b.cpp": OTHERS}
    assert not run(one_definition.check, both), run(one_definition.check, both)
    for content, message in DEFINED_TWICE.items():
        findings = run(one_definition.check, {**both, "kernels/b.cpp": content})
        assert len(findings) == 1 and message in findings[0], f"{message}: {findings}"


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    for test in (test_tidy_tree, test_violations, test_readme_of_many_files, test_one_definition):
        test()
        print(f"{test.__name__} ok")


if __name__ == "__main__":
    main()
