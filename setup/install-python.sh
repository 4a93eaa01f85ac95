#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes or updates a Python environment from a list of pinned packages.
set -euo pipefail

if [[ $# -ne 2 ]]; then
  echo "usage: install-python.sh FOLDER REQUIREMENTS" >&2
  exit 1
fi
folder=$1
requirements=$2

# Debian's own Python if it is new enough, otherwise whatever is first.
for python in "${PYTHON:-/usr/bin/python3}" python3; do
  if command -v "$python" >/dev/null &&
    "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    found=$python
    break
  fi
done
if [[ -z ${found:-} ]]; then
  echo "no Python 3.11 or newer with the modules venv and ensurepip was found;" \
    "install python3-venv or set PYTHON=/path/to/python3" >&2
  exit 1
fi

# An environment that broke half way, or whose Python was replaced, is made anew.
if ! "$folder/bin/python" -c 'import pip' 2>/dev/null; then
  rm -rf "$folder"
  "$found" -m venv "$folder"
fi
echo "installing the Python packages of $requirements into $folder"
"$folder/bin/python" -m pip install --disable-pip-version-check --no-input --quiet --progress-bar=on \
  --requirement "$requirements"
