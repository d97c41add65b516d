#!/usr/bin/env bash
# Builds, tests and times exports on a machine with an NVIDIA GPU. It needs python3 with PyTorch and
# nvcc; CMake and CuPy are used if they are installed. It needs neither Node nor a network.
#
#   node out/scripts/writeExports.js /tmp/exports    # beforehand, on a machine with Node
#   bash scripts/export/onGpu.sh /tmp/exports RESULTS       # writes RESULTS/exports.json
#
# The run takes about 4 minutes, most of which are C++ and CUDA compilation, in parallel.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/onGpu.py" "$1" "$2"
