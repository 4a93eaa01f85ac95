#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every libFuzzer program (bin/*Fuzz) of a build folder for some seconds.
set -euo pipefail

if [[ $# -ne 2 ]]; then
  echo "usage: run-fuzzers.sh BUILD_FOLDER SECONDS" >&2
  exit 1
fi

shopt -s nullglob
programs=("$1"/bin/*Fuzz)
if [[ ${#programs[@]} -eq 0 ]]; then
  echo "no program named *Fuzz in $1/bin" >&2
  exit 1
fi
for program in "${programs[@]}"; do
  name=$(basename "$program")
  corpus=$1/corpus/$name
  mkdir -p "$corpus"
  echo "$name: $2 seconds"
  "$program" -max_total_time="$2" -print_final_stats=1 -artifact_prefix="$1/$name-" "$corpus"
done
