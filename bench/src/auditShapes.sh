#!/usr/bin/env bash
# Audits the shapes of four language models on a GPU. The audit is killed after 40 % of the shapes
# and started again. Afterwards, the rows of a CSV of the CUTLASS profiler are audited.
#
#   bash bench/src/auditShapes.sh OUT [SECONDS] [CUTLASS_SECONDS]
#
# Run it in the project root after `node esbuild.mjs`; `node`, nvcc and a GPU are required.
# SECONDS (default 300) is the time limit of the first list with both of its processes, and
# CUTLASS_SECONDS (default 30) that of the second list. With 106 shapes, 300 s are 2.8 s per shape:
# batches of about 120 ms. Files in OUT:
#   tunableop_untuned0.csv, cutlass.csv   the lists
#   killed.jsonl, resumed.jsonl           results of both processes as JSON lines
#   journal.jsonl                         the journal, with one line per measured shape
#   audit/                                audit.html, audit.jsonl and the specs
#   cutlass.jsonl                         results of the second list
#   check.json                            counts: shapes, kept and repeated results, seconds
set -euo pipefail

out=${1:?Usage: bash bench/src/auditShapes.sh OUT [SECONDS] [CUTLASS_SECONDS]}
seconds=${2:-300}
cutlass_seconds=${3:-30}
mkdir -p "$out"
out=$(cd "$out" && pwd)
list="$out/tunableop_untuned0.csv"
journal="$out/journal.jsonl"
rm -f "$journal"

# Columns and K extents of the weights (config.json of each model), and the number of their layers.
# An untuned file lists a shape once per recording process, so the lines are repeated per layer.
linear() { # operator, layers, n, k
  local m
  for m in 1 16 128 1024 4096; do
    for ((i = 0; i < $2; i++)); do
      echo "$1_BFloat16_TN,tn_$3_${m}_$4_ld_$4_$4_$3"
    done
  done
}
{
  echo 'Validator,PT_VERSION,2.11.0'
  # Llama 3.1 8B: query, key and value; output; gate and up; down; vocabulary.
  linear GemmTunableOp 32 6144 4096
  linear GemmTunableOp 32 4096 4096
  linear GemmTunableOp 32 28672 4096
  linear GemmTunableOp 32 4096 14336
  linear GemmTunableOp 1 128256 4096
  # Llama 3.1 70B: query, key and value; output; gate and up; down.
  linear GemmTunableOp 80 10240 8192
  linear GemmTunableOp 80 8192 8192
  linear GemmTunableOp 80 57344 8192
  linear GemmTunableOp 80 8192 28672
  # Qwen2.5 7B: query, key and value with a bias; output; gate and up; down.
  linear GemmAndBiasTunableOp 28 4608 3584
  linear GemmTunableOp 28 3584 3584
  linear GemmTunableOp 28 37888 3584
  linear GemmTunableOp 28 3584 18944
  # DeepSeek-V3: low-rank projections of the query and of key and value; output; shared expert.
  linear GemmTunableOp 61 1536 7168
  linear GemmTunableOp 61 24576 1536
  linear GemmTunableOp 61 576 7168
  linear GemmTunableOp 61 32768 512
  linear GemmTunableOp 61 7168 16384
  linear GemmTunableOp 58 4096 7168
  linear GemmTunableOp 58 7168 2048
  # Attention of 32 heads, scaled 8-bit floats, and FP32 with and without TF32.
  echo 'GemmStridedBatchedTunableOp_BFloat16_TN,tn_1024_1024_128_B_32_ld_128_128_1024'
  echo 'GemmStridedBatchedTunableOp_BFloat16_NN,nn_128_1024_1024_B_32_ld_128_1024_128'
  echo 'ScaledGemmTunableOp_Float8_e4m3fn_Float8_e4m3fn_BFloat16_TN,tn_4096_1024_4096_ld_4096_4096_4096_rw_1_bias_None'
  echo 'ScaledGemmTunableOp_Float8_e4m3fn_Float8_e4m3fn_BFloat16_TN,tn_4096_4096_14336_ld_14336_14336_4096_rw_0_bias_None'
  echo 'GemmTunableOp_float_TN,tn_4096_1024_4096_ld_4096_4096_4096'
  echo 'GemmTunableOp_tf32_TN,tn_4096_1024_4096_ld_4096_4096_4096'
  # Without an equivalent, and a last line that is cut short: both are reported.
  echo 'GemmTunableOp_c10::complex<float>_NN,nn_64_64_64_ld_64_64_64'
  printf 'GemmTunableOp_BFloat16_TN,tn_4096_20'
} >"$list"

# Rows of the CUTLASS documentation (profiler.md, SGEMM and HGEMM) and of the tests of SuperBench
# (gemm-flops, TF32), which were measured on other GPUs.
header=Problem,Provider,OperationKind,Operation,Disposition,Status,gemm_kind,m,n,k,A,B,C,alpha,beta,split_k_slices,batch_count,op_class,accum,Bytes,Flops,Runtime,GB/s,GFLOPs
{
  echo "$header"
  echo '1,CUTLASS,gemm,cutlass_simt_sgemm_128x128_8x2_nn_align1,passed,success,universal,3456,4096,4096,f32:column,f32:column,f32:column,1,0,1,1,simt,f32,180355072,115992428544,6.73655,24.934,17218.4'
  echo '1,CUTLASS,gemm,cutlass_tensorop_s16816gemm_f16_256x128_32x3_nn_align8,passed,success,universal,3456,4096,8192,f16:column,f16:column,f32:column,1,0,1,1,tensorop,f32,180355072,231956545536,0.98647,170.272,235138'
  echo '1,CUTLASS,gemm,cutlass_tensorop_tf32_s1688gemm_tf32_256x128_16x3_nn_align4,passed,success,universal,16384,16384,16384,tf32:column,tf32:column,tf32:column,1,0,1,1,tensorop,f32,3221225472,8796629893120,88.5764,33.8691,99311.2'
  echo '1,CUTLASS,gemm,cutlass_tensorop_tf32_s1688gemm_tf32_256x128_16x3_nt_align4,passed,success,universal,16384,16384,16384,tf32:column,tf32:row,tf32:column,1,0,1,1,tensorop,f32,3221225472,8796629893120,70.3503,42.6438,125040'
  echo '1,CUTLASS,gemm,cutlass_tensorop_tf32_s1688gemm_tf32_256x128_16x3_tn_align4,passed,success,universal,16384,16384,16384,tf32:row,tf32:column,tf32:column,1,0,1,1,tensorop,f32,3221225472,8796629893120,86.5167,34.6754,101676'
  echo '1,CUTLASS,gemm,cutlass_tensorop_tf32_s1688gemm_tf32_256x128_16x3_tt_align4,passed,success,universal,16384,16384,16384,tf32:row,tf32:row,tf32:column,1,0,1,1,tensorop,f32,3221225472,8796629893120,68.3621,43.884,128677'
} >"$out/cutlass.csv"

audit() { node dist/cli.js audit "$@" --json; }
lines() { [ -f "$1" ] && grep -c '^{"audit":1,' "$1" || true; }

shapes=$(sort -u "$list" | grep -c 'TunableOp_[BFSft]')
limit=$((shapes * 2 / 5))
began=$SECONDS
node dist/cli.js audit "$list" --journal "$journal" --time "$seconds" --json \
  >"$out/killed.jsonl" 2>"$out/killed.log" &
first=$!
while kill -0 "$first" 2>/dev/null; do
  count=$(lines "$journal")
  if [ "${count:-0}" -ge "$limit" ]; then
    kill -KILL "$first"
    break
  fi
  sleep 0.2
done
code=0
wait "$first" || code=$?
killed_at=$((SECONDS - began))
cp "$journal" "$out/journal-killed.jsonl"
echo "Killed after $(lines "$journal") shapes and $killed_at s (exit code $code)."

left=$((seconds - killed_at))
resumed=0
audit "$list" --journal "$journal" --time $((left > 1 ? left : 1)) --out "$out/audit" \
  >"$out/resumed.jsonl" 2>"$out/resumed.log" || resumed=$?
took=$((SECONDS - began))
echo "Resumed with exit code $resumed; $took s for both processes."

cutlass=0
audit "$out/cutlass.csv" --journal "$out/journal-cutlass.jsonl" --time "$cutlass_seconds" \
  >"$out/cutlass.jsonl" 2>"$out/cutlass.log" || cutlass=$?

node - "$out" "$code" "$resumed" "$cutlass" "$took" >"$out/check.json" <<'NODE'
const { readFileSync } = require('node:fs');
const [out, ...codes] = process.argv.slice(2);
const read = name => readFileSync(`${out}/${name}`, 'utf8').split('\n').filter(Boolean);
const parsed = lines => lines.flatMap(line => { try { return [JSON.parse(line)]; } catch { return []; } });
const keys = name => parsed(read(name)).map(({ key }) => key).filter(Boolean);
const [killed, journal, resumed] = ['journal-killed.jsonl', 'journal.jsonl', 'resumed.jsonl'].map(keys);
const { summary } = parsed(read('resumed.jsonl')).at(-1);
const other = parsed(read('cutlass.jsonl')).at(-1)?.summary;
console.log(JSON.stringify({
  exitCodes: { killed: Number(codes[0]), resumed: Number(codes[1]), cutlass: Number(codes[2]) },
  seconds: Number(codes[3]),
  shapes: summary.shapes,
  measuredBeforeKill: killed.length,
  lostByKill: killed.filter(key => !resumed.includes(key)).length,
  repeated: journal.length - new Set(journal).size,
  keptUnchanged: read('journal-killed.jsonl').every((line, i) => read('journal.jsonl')[i] === line),
  ended: summary.ended, counts: summary.counts, meanRatio: summary.meanRatio, totals: summary.totals,
  issues: summary.issues, notes: summary.notes,
  cutlass: other && { counts: other.counts, ranking: other.ranking },
}, null, 2));
NODE
cat "$out/check.json"
