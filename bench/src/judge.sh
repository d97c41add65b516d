#!/bin/bash
# Runs the judge on an NVIDIA GPU with nvcc: all kernels of test/fixtures/cheats, random generated
# kernels, the cost of the judge, and the repeatability of the energy. Takes about 3 minutes.
# Build first, on any machine: npm run build:bench
# Usage, from the root of the project: bench/src/judge.sh OUT_FOLDER [--random 204] [--seconds 240]
set -euo pipefail
if [ $# -lt 1 ]; then
  echo "Expected a folder for the records. Usage: bench/src/judge.sh OUT_FOLDER [OPTIONS]" >&2
  exit 2
fi
if [ ! -f out/bench/judgeOnGpu.js ]; then
  echo "out/bench/judgeOnGpu.js is missing. Fix: run npm run build:bench." >&2
  exit 2
fi
exec node --enable-source-maps out/bench/judgeOnGpu.js "$@"
