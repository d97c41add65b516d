/** Files of shapes in each format, and the lists that are read from them. */
import assert from 'node:assert/strict';
import { readShapes, type ShapeList } from '../../src/core/audit/shapes/read';

export const listOf = (text: string): ShapeList => {
  const read = readShapes(text);
  assert.ok(read.ok, JSON.stringify(read));
  return read.list;
};

export const messageOf = (text: string): string => {
  const read = readShapes(text);
  assert.ok(!read.ok, JSON.stringify(read));
  return read.message;
};

export const TUNABLE = `Validator,PT_VERSION,2.11.0
GemmTunableOp_BFloat16_TN,tn_4096_512_1024_ld_1024_1024_4096,Gemm_Rocblas_621,0.0196817
GemmTunableOp_Half_NT,nt_64_96_128_ld_70_100_64
GemmAndBiasTunableOp_float_TN,tn_768_32_1024_ld_1024_1024_768,Gemm_Hipblaslt_220580,0.0103395
GemmStridedBatchedTunableOp_tf32_NN,nn_64_128_32_B_96_ld_64_32_64
ScaledGemmTunableOp_Float8_e4m3fn_Float8_e5m2_BFloat16_TN,tn_64_128_256_ld_256_256_64_rw_1_bias_BFloat16
GemmTunableOp_c10::complex<float>_NN,nn_64_64_64_ld_64_64_64
GroupedGemmTunableOp_BFloat16_TN,tn_64_64_64_ld_64_64_64
GemmTunableOp_float_NT,nt_25088_4096_64
`;

export const HEADER =
  'Problem,Provider,OperationKind,Operation,Disposition,Status,gemm_kind,m,n,k,A,B,C,alpha,beta,split_k_slices,batch_count,op_class,accum,cta_m,cta_n,cta_k,stages,warps_m,warps_n,warps_k,inst_m,inst_n,inst_k,min_cc,max_cc,Bytes,Flops,Runtime,GB/s,GFLOPs';
/** A row of the CUTLASS profiler. */
export const row = (more: Readonly<Record<string, string>> = {}): string => {
  const values: Readonly<Record<string, string>> = {
    Problem: '1',
    Provider: 'CUTLASS',
    OperationKind: 'gemm',
    Operation: 'cutlass_simt_sgemm_128x128_8x2_nt_align1',
    Disposition: 'passed',
    Status: 'success',
    gemm_kind: 'universal',
    m: '3456',
    n: '4096',
    k: '4096',
    A: 'f32:column',
    B: 'f32:row',
    C: 'f32:column',
    alpha: '1',
    beta: '0',
    batch_count: '1',
    op_class: 'simt',
    accum: 'f32',
    Runtime: '6.73655',
    ...more,
  };
  return HEADER.split(',')
    .map(name => values[name] ?? '1')
    .join(',');
};

export const NVBENCH = {
  devices: [],
  benchmarks: [
    {
      name: 'gemm',
      states: [
        {
          name: 'Device=0 M=64',
          axis_values: [
            { name: 'M', type: 'int64', value: '64' },
            { name: 'N', type: 'int64', value: 128 },
            { name: 'K', type: 'int64', value: '256' },
            { name: 'T', type: 'string', value: 'BF16' },
          ],
          summaries: [
            {
              tag: 'nv/cold/time/gpu/mean',
              data: [{ name: 'value', type: 'float64', value: '1.25e-05' }],
            },
          ],
        },
        { axis_values: [{ name: 'Elements', type: 'int64', value: '7' }], summaries: null },
      ],
    },
  ],
};
