#!/usr/bin/env bash
# Runs random wgmma kernels under the tools of compute-sanitizer:
#   wgmma.sh TENSOR_RACE RESULTS [GPUS] [COUNT] [FIRST] [TOOLS] [PARTS]
# TENSOR_RACE is out/bench/tensorRace.js or a copy of it. RESULTS is a folder for records and logs.
# GPUS has one index per tool, such as 0,1,2, or a single index (default 0). Tools on different GPUs
# run in parallel. Defaults: COUNT 100, FIRST 90000, TOOLS memcheck,racecheck,synccheck, PARTS 1.
# PARTS processes per tool share its GPU. They need root: each has a network namespace of its own,
# because the lock of the GPU is a local socket. Another call with the same RESULTS, COUNT, FIRST
# and PARTS continues an interrupted run.
# Run it from the root of the project. Needs Node, nvcc, compute-sanitizer and Hopper GPUs.
# Next step: node out/bench/sanitizeWgmma.js RESULTS OUT.json
set -uo pipefail
race=${1:?usage: wgmma.sh TENSOR_RACE RESULTS [GPUS] [COUNT] [FIRST] [TOOLS]}
results=$(mkdir -p "${2:?RESULTS is missing}" && cd "$2" && pwd)
IFS=, read -ra gpus <<<"${3:-0}"
count=${4:-100}
first=${5:-90000}
IFS=, read -ra tools <<<"${6:-memcheck,racecheck,synccheck}"
parts=${7:-1}
alone=()
[ "$parts" -gt 1 ] && alone=(unshare --net)
export PATH="$PATH:/usr/local/cuda/bin"
limit=${SANITIZER_SECONDS:-400}

# The collect step compares this list with its logs.
printf '%s\n' "${tools[@]}" >"$results/tools.txt"
{
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1
  nvcc --version | grep release
  compute-sanitizer --version | grep -i version
} >"$results/machine.txt"

# The first run has no tool. It compiles the runner and the kernels into the cache.
if ! grep -q '"type":"end"' "$results/none.jsonl" 2>/dev/null; then
  node "$race" --only random --sanitized --count "$count" --first "$first" --gpu "${gpus[0]}" \
    --seconds "$limit" --out "$results/none.jsonl" >"$results/none.txt" 2>&1
  echo "exit code $?" | tee -a "$results/none.txt"
fi

# Records whether the tool is loaded in a process that uses CUDA. childEnvironment keeps GEMM_TOOL.
watch_attached() {
  local maps folder
  while :; do
    for maps in /proc/[0-9]*/maps; do
      folder=${maps%/maps}
      tr '\0' '\n' 2>/dev/null <"$folder/environ" | grep -qx "GEMM_TOOL=$1" || continue
      if grep -q 'libcuda\.so' "$maps" 2>/dev/null; then
        grep -o '/[^ ]*sanitizer[^ ]*\.so[^ ]*' "$maps" 2>/dev/null | sort -u >>"$results/$1.attached.txt"
      fi
    done
    sleep 1
  done
}

# Runs one part of the kernels under a tool: part TOOL GPU I OPTIONS...
part() {
  local tool=$1 gpu=$2 i=$3
  shift 3
  GEMM_TOOL=$tool timeout "$limit" "${alone[@]}" compute-sanitizer --tool "$tool" "$@" \
    --error-exitcode 9 --log-file "$results/$tool.$i.$(date +%s).log" \
    node "$race" --only random --like "$results/none.jsonl" --part "$i/$parts" --gpu "$gpu" \
    --seconds "$limit" --out "$results/$tool.$i.jsonl"
  echo "exit code $?"
}

under() {
  local tool=$1 gpu=$2 watcher i running=()
  local options=(--target-processes all --print-limit 0 --launch-timeout 300)
  # The runner deliberately calls cuFuncGetParamInfo for one parameter too many.
  [ "$tool" = memcheck ] && options+=(--report-api-errors no)
  [ "$tool" = racecheck ] && options+=(--racecheck-report all)
  # A block has two barriers per stage, and at most 16 stages. The tools may count fewer.
  [ "$tool" != memcheck ] && options+=(--num-cuda-barriers 64)
  watch_attached "$tool" &
  watcher=$!
  {
    echo "options ${options[*]}"
    SECONDS=0
    for ((i = 1; i <= parts; i++)); do
      part "$tool" "$gpu" "$i" "${options[@]}" &
      running+=($!)
    done
    wait "${running[@]}"
    echo "seconds $SECONDS"
  } >>"$results/$tool.txt" 2>&1
  kill "$watcher"
  wait "$watcher" 2>/dev/null
  cat "$results/$tool".[0-9]*.log >"$results/$tool.log"
  cat "$results/$tool".[0-9]*.jsonl >"$results/$tool.jsonl"
}

jobs=()
for at in "${!tools[@]}"; do
  tool=${tools[$at]}
  if [ "${#gpus[@]}" -gt 1 ]; then
    under "$tool" "${gpus[$at]:?GPUS has fewer indices than TOOLS has tools}" &
    jobs+=($!)
  else
    under "$tool" "${gpus[0]}"
  fi
done
[ "${#jobs[@]}" -gt 0 ] && wait "${jobs[@]}"
for tool in "${tools[@]}"; do
  echo "$tool: $(grep -h 'SUMMARY' "$results/$tool.log" | sort | uniq -c | tr '\n' ';')"
  tail -2 "$results/$tool.txt"
done
