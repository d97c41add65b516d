#!/usr/bin/env bash
# Times kernels of other projects together with generated kernels, in one call each, on a CUDA GPU.
#
#   bench/src/foreignKernels.sh TRITON_MATMUL.py SGEMM_KERNEL_10.cuh FOLDER [PYTHON]
#
# TRITON_MATMUL.py is Triton's matrix multiplication tutorial (python/tutorials/03-*.py), and
# SGEMM_KERNEL_10.cuh is src/kernels/10_kernel_warptiling.cuh of SGEMM_CUDA. Both are read only.
# PYTHON (default python3) needs PyTorch and Triton. Requires dist/cli.js, node, nvcc and a GPU of
# compute capability 9.0; takes about two minutes. The environment variable GPU is the index of the
# GPU (default 0). The Measurements are written to FOLDER as JSON.
set -u
if [ $# -lt 3 ]; then
  sed -n '2,10p' "$0"
  exit 2
fi
triton=$1 sgemm=$2 out=$3 python=${4:-python3}
mkdir -p "$out" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
explorer() { timeout 300 node dist/cli.js "$@"; }

{
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  nvcc --version | tail -n 2
  "$python" -c 'import sys, torch, triton; print("python", sys.version.split()[0], "torch", torch.__version__, "triton", triton.__version__)'
} >"$out/environment.txt" 2>&1

# bench NAME ARGUMENTS...: writes NAME.json, NAME.log and the exit code.
bench() {
  local name=$1 began=$SECONDS
  shift
  explorer bench "$@" --backend cuda --gpu "${GPU:-0}" --json >"$out/$name.json" 2>"$out/$name.log"
  echo "$name: exit code $?, $((SECONDS - began)) s" | tee -a "$out/codes.txt"
  node -e '
    const text = require("node:fs").readFileSync(process.argv[1], "utf8");
    if (text.trim() === "") process.exit(0);
    const { kernels } = JSON.parse(text);
    for (const { path, outcome, timing, message = "" } of kernels)
      console.log("  " + path + ": " + outcome + (timing ? ", " + (timing.gflops / 1e3).toFixed(1) + " TFLOP/s" : ", " + message));
    for (const { name, gflops } of (kernels.find(({ baselines }) => baselines) || { baselines: [] }).baselines)
      console.log("  " + name + ": " + (gflops / 1e3).toFixed(1) + " TFLOP/s");
  ' "$out/$name.json"
}

spec() { # spec NAME TYPE BETA
  local type=$2
  echo "{\"problem\":{\"m\":4096,\"n\":4096,\"k\":4096,\"beta\":$3,\"a\":{\"dtype\":\"$type\"},\"b\":{\"dtype\":\"$type\"},\"c\":{\"dtype\":\"$type\"}},\"device\":\"h200\",\"targets\":[\"cuda\"]}" >"$work/$1.gemm.json"
}
spec f16 f16 0
spec bf16 bf16 0
spec f32 f32 1

# 1. The Triton tutorial: its function matmul, compared with a generated kernel and cuBLASLt.
bench triton "$work/f16.gemm.json" "$triton:matmul" --baseline cublaslt --python "$python"

# 2. SGEMM_CUDA's kernel 10: an annotated copy, without the header of cuBLAS, which it does not use.
sed '/#include <cublas_v2.h>/d' "$sgemm" >"$work/kernel10.cuh"
explorer annotate "$work/kernel10.cuh" --out "$work/kernel10.cu" --json >"$out/annotate.json" 2>"$out/annotate.log"
echo "annotate: exit code $?" | tee -a "$out/codes.txt"
bench sgemm "$work/f32.gemm.json" "$work/kernel10.cu" --baseline cublas

# 3. The same kernel as a cubin and as PTX. The annotation has the arguments of the source.
values=(--set 'problem.beta=1' --set 'grid=["ceil(n / 128)","ceil(m / 128)"]' --set 'block=[128]'
  --set 'args=["m","n","k","alpha","a","b","beta","c"]')
echo 'template __global__ void sgemmWarptiling<128, 128, 16, 64, 64, 4, 8, 4, 128>(int, int, int, float, float*, float*, float, float*);' \
  | cat "$work/kernel10.cuh" - >"$work/instance.cu"
nvcc -O3 -std=c++17 -arch=sm_90 -cubin -o "$work/k10.cubin" "$work/instance.cu" &&
  nvcc -O3 -std=c++17 -arch=sm_90 -ptx -o "$work/plain.ptx" "$work/instance.cu" &&
  explorer annotate "$work/k10.cubin" "${values[@]}" --write >>"$out/annotate.log" 2>&1 &&
  explorer annotate "$work/plain.ptx" "${values[@]}" --out "$work/k10.ptx" >>"$out/annotate.log" 2>&1
echo "annotate compiled: exit code $?" | tee -a "$out/codes.txt"
bench compiled "$work/kernel10.cu" "$work/k10.cubin" "$work/k10.ptx"

# 4. A PyTorch function in f16 and bf16, which do not state their problem.
printf 'import torch\n\n\ndef gemm(a, b):\n    return torch.matmul(a, b)\n' >"$work/pytorch.py"
bench pytorch "$work/bf16.gemm.json" "$work/pytorch.py" --baseline cublaslt --python "$python"

# 5. Kernels that are wrong: each has to be named, and none may hang or end the command.
cat >"$work/outside.cu" <<'KERNEL'
// @gemm {"problem":{"m":256,"n":256,"k":256},"grid":["ceil(n / 16)","ceil(m / 16)"],"block":[16,16],"args":["a","b","c","m","n","k"]}
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
  c[i * n + j] = sum;
  if (i == 0 && j == 0) c[-1] = 1;
}
KERNEL
sed 's/c\[-1\] = 1/c[1ll << 40] = 1/' "$work/outside.cu" >"$work/fault.cu"
cat >"$work/slice.py" <<'KERNEL'
# @gemm {"problem":{"m":256,"n":256,"k":256}}
def gemm(a, b):
    return (a @ b)[:-1]
KERNEL
cat >"$work/imprecise.py" <<'KERNEL'
# @gemm {"problem":{"m":256,"n":256,"k":256}}
def gemm(a, b):
    return (a.half() @ b.half()).float()
KERNEL
for each in outside.cu fault.cu slice.py imprecise.py; do
  explorer run "$work/$each" --backend cuda --gpu "${GPU:-0}" --python "$python" --json >"$out/${each%.*}.json" 2>"$out/${each%.*}.log"
  echo "${each%.*}: exit code $?" | tee -a "$out/codes.txt"
  node -e 'const { outcome, message } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")); console.log("  " + outcome + ": " + message);' "$out/${each%.*}.json"
done
