# SPDX-License-Identifier: Apache-2.0
"""npu-bench: compares layouts with each other and with other runtimes, in one run."""
