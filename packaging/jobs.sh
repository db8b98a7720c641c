#!/usr/bin/env bash
# How many files to compile at once: one per core, but no more than memory allows (a file that sees LibTorch's
# headers takes up to 1.5 GB).
set -euo pipefail
cores=$(nproc)
gigabytes=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
by_memory=$((gigabytes * 2 / 3))
jobs=$((cores < by_memory ? cores : by_memory))
echo $((jobs > 0 ? jobs : 1))
