#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `make wheel`: packs what the build has made, and bundles the libraries that it needs.
set -euo pipefail

if [[ $# -ne 3 ]]; then
  echo "usage: make-wheel.sh BUILD VENV OUTPUT" >&2
  exit 1
fi
build=$(realpath "$1")
venv=$(realpath "$2")
output=$3
source=$(dirname "$(dirname "$(realpath "$0")")")
# Of Debian 12's glibc, 2.36: what was linked here does not start with an older one.
platform=manylinux_2_36_x86_64

cmake --build "$build" --target wheel-files
work=$(mktemp -d "$build/wheel/packing.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$venv/bin/python" -m pip wheel "$source" --disable-pip-version-check --no-build-isolation --no-deps --quiet \
  --config-settings=cmake.define.NPU_BUILD="$build" \
  --config-settings=cmake.define.NPU_VENV="$venv" --config-settings=build-dir="$work/cmake" --wheel-dir "$work"
mkdir -p "$output"
rm -f "$output"/*.whl
# CMake leaves folders inside of the project out of what it installs as a run path.
highs=$(sed -n 's/^HIGHS_LIBRARY:FILEPATH=//p' "$build/CMakeCache.txt")
PATH="$venv/bin:$PATH" LD_LIBRARY_PATH="$build/lib:$(dirname "$highs")" \
  "$venv/bin/python" -m auditwheel repair --plat "$platform" --wheel-dir "$output" "$work"/*.whl
