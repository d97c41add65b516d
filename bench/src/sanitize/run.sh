#!/usr/bin/env bash
# Compiles the programs in this folder and runs each under the tools of compute-sanitizer: run.sh RESULTS
# Needs nvcc, compute-sanitizer and an NVIDIA GPU; no network, no Node.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
results=$(mkdir -p "${1:?usage: run.sh RESULTS}" && cd "$1" && pwd)
export PATH="$PATH:/usr/local/cuda/bin"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
{
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1
  nvcc --version | grep release
  compute-sanitizer --version | tail -1
} >"$results/machine.txt"
for program in "$here"/*.cu; do
  name=$(basename "$program" .cu)
  nvcc -O3 -std=c++17 -lineinfo "-arch=sm_$capability" "$program" -o "$work/$name" >"$results/$name.compile.txt" 2>&1 &
done
wait
# Programs run concurrently, tools sequentially.
for tool in memcheck racecheck synccheck; do
  for program in "$here"/*.cu; do
    name=$(basename "$program" .cu)
    mkdir -p "$results/$tool"
    {
      timeout 150 compute-sanitizer --tool "$tool" --error-exitcode 9 "$work/$name" "$here/data" "$results/$tool"
      echo "exit code $?"
    } >"$results/$name.$tool.txt" 2>&1 &
  done
  wait
done
grep -H "SUMMARY\|exit code" "$results"/*check.txt
