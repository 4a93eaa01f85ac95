# SPDX-License-Identifier: Apache-2.0
"""lit configuration; ctest runs it with the build folder as a parameter."""
import os
import sys

import lit.formats

params = lit_config.params
config.name = "npuc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(params["build"], "test", "lit")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(params["build"], "bin"), params["llvm_tools"], os.environ["PATH"]])
# No test reads the table that its user has measured.
config.environment["XDG_CACHE_HOME"] = os.path.join(params["build"], "test", "cache")
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%source", os.path.dirname(config.test_source_root)))
config.substitutions.append(("%build", params["build"]))
