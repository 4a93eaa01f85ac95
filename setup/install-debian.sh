#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages listed in the given files, if any is missing.
# Without root it prints the one line to run, and fails.
set -euo pipefail

if [[ $# -eq 0 || $1 == --help ]]; then
  echo "usage: install-debian.sh LIST...   (files with one package a line, # for comments)"
  exit 0
fi

mapfile -t wanted < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$@")

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $state == *installed && $state != *not-installed ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

if [[ $(id -u) -ne 0 ]]; then
  echo "npuc needs Debian packages that are not installed. As root, run this line, then repeat the command:" >&2
  echo "  apt-get update && apt-get install --yes --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

echo "installing ${#missing[@]} Debian packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update --quiet=2
apt-get install --yes --quiet=2 --no-install-recommends "${missing[@]}"
