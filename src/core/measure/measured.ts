/** Made by scripts/ladderTable.ts; a test compares it with what was recorded. */
import type { MeasuredTable } from './table';

const TABLE0 = {
  source: 'bench/h200-ladder-cuda.json',
  device: 'h200',
  target: 'cuda',
  compiler: 'nvcc 13.0.88',
} as const;

// prettier-ignore
const ROWS0: MeasuredTable['rows'] = [
  {"schedule":{"algorithm":"naive","block":{"m":32,"n":32}},"gflops":{"1024":484,"4096":498}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"swap"},"gflops":{"1024":6290,"4096":6303}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"remap"},"gflops":{"1024":6299,"4096":6305}},
  {"schedule":{"algorithm":"shared-tile","block":{"m":32,"n":32,"k":32},"variant":"2d"},"gflops":{"1024":8639,"4096":8870}},
  {"schedule":{"algorithm":"thread-tile-1d","block":{"m":64,"n":64,"k":8},"thread":{"m":8}},"gflops":{"1024":17527,"4096":17823}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":64,"n":64,"k":8},"thread":{"m":4,"n":4}},"gflops":{"1024":19654,"4096":27090}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8}},"gflops":{"1024":8575,"4096":25056}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1}},"gflops":{"1024":9048,"4096":27769}},
  {"schedule":{"algorithm":"layout","block":{"m":128,"n":128,"k":8},"threadLayout":{"a":"(32,8):(1,32)","b":"(32,8):(1,32)","c":"(16,16):(1,16)"}},"gflops":{"1024":8741,"4096":23424}},
  {"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4},"gflops":{"1024":12478,"4096":40931}},
  {"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}},"gflops":{"1024":12505,"4096":41434}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}},"gflops":{"1024":15317,"4096":41557}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"swizzle":"xor"},"gflops":{"1024":14718,"4096":41043}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2},"gflops":{"1024":16505,"4096":34676}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2,"swizzle":"xor"},"gflops":{"1024":19360,"4096":44074}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":3,"padding":{"a":4},"minBlocksPerSm":2},"gflops":{"1024":20190,"4096":45257}},
  {"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":4,"padding":{"a":4},"minBlocksPerSm":4},"gflops":{"1024":35805,"4096":43621}},
  {"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":4,"padding":{"a":4},"raster":{"order":"row","group":8},"minBlocksPerSm":4},"gflops":{"1024":33899,"4096":42662}},
  {"schedule":{"algorithm":"pipelined","block":{"m":256,"n":128,"k":8},"warp":{"m":64,"n":64},"thread":{"m":16,"n":8},"vector":4,"stages":4,"padding":{"a":4}},"gflops":{"1024":10696,"4096":43296}},
  {"schedule":{"algorithm":"pipelined","block":{"m":64,"n":64,"k":16},"warp":{"m":32,"n":32},"thread":{"m":4,"n":8},"vector":4,"stages":4,"padding":{"a":4}},"gflops":{"1024":28521,"4096":38624}},
];

const TABLE1 = {
  source: 'bench/h200-ladder-webgpu.json',
  device: 'h200',
  target: 'wgsl',
  compiler: 'nvidia nvidia-h200 NVIDIA: 580.159.04 580.159.4.0',
} as const;

// prettier-ignore
const ROWS1: MeasuredTable['rows'] = [
  {"schedule":{"algorithm":"naive","block":{"m":32,"n":32}},"gflops":{"4096":500}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"swap"},"gflops":{"4096":1443}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"remap"},"gflops":{"4096":1439}},
  {"schedule":{"algorithm":"shared-tile","block":{"m":32,"n":32,"k":32},"variant":"2d"},"gflops":{"4096":8400}},
  {"schedule":{"algorithm":"thread-tile-1d","block":{"m":64,"n":64,"k":8},"thread":{"m":8}},"gflops":{"4096":15096}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":64,"n":64,"k":8},"thread":{"m":4,"n":4}},"gflops":{"4096":18638}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8}},"gflops":{"4096":16465}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1}},"gflops":{"4096":16581}},
  {"schedule":{"algorithm":"layout","block":{"m":128,"n":128,"k":8},"threadLayout":{"a":"(32,8):(1,32)","b":"(32,8):(1,32)","c":"(16,16):(1,16)"}},"gflops":{"4096":15323}},
  {"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4},"gflops":{"4096":34154}},
  {"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}},"gflops":{"4096":34158}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}},"gflops":{"4096":34095}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"swizzle":"xor"},"gflops":{"4096":27897}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2},"gflops":{"4096":34078}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2},"gflops":{"4096":30554}},
  {"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":2},"gflops":{"4096":24004}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2,"swizzle":"xor"},"gflops":{"4096":26660}},
];

export const MEASURED: readonly MeasuredTable[] = [
  { ...TABLE0, rows: ROWS0 },
  { ...TABLE1, rows: ROWS1 },
];
