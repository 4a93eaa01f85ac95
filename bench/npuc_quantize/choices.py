# SPDX-License-Identifier: Apache-2.0
"""The words that options take; apart from what they stand for, which nobody needs for --help."""

ORDERS = ("nchw", "nhwc")
FITS = ("crop", "stretch", "pad")
TYPES = ("u8", "s8")
METHODS = ("minmax", "entropy", "percentile")
