# SPDX-License-Identifier: Apache-2.0
"""npu-layout-diff: what changed between two reports of npuc."""
