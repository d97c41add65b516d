/** Made by scripts/ladderTable.ts; a test compares it with what was recorded. */
import type { MeasuredTable } from './table';

const TABLE0 = {
  source: 'bench/h200-ladder-cuda.json, bench/h200-ladder-cuda-added.json',
  device: 'h200',
  target: 'cuda',
  compiler: 'nvcc 13.0.88',
} as const;

// prettier-ignore
const ROWS0: MeasuredTable['rows'] = [
  {"schedule":{"algorithm":"naive","block":{"m":32,"n":32}},"gflops":{"1024":484,"4096":498}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"swap"},"gflops":{"1024":6266,"4096":6207}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"remap"},"gflops":{"1024":6299,"4096":6305}},
  {"schedule":{"algorithm":"shared-tile","block":{"m":32,"n":32,"k":32},"variant":"2d"},"gflops":{"1024":8591,"4096":8810}},
  {"schedule":{"algorithm":"thread-tile-1d","block":{"m":64,"n":64,"k":8},"thread":{"m":8}},"gflops":{"1024":17449,"4096":17653}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":64,"n":64,"k":8},"thread":{"m":4,"n":4}},"gflops":{"1024":19340,"4096":26999}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8}},"gflops":{"1024":8464,"4096":25088}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1}},"gflops":{"1024":8959,"4096":27774}},
  {"schedule":{"algorithm":"layout","block":{"m":128,"n":128,"k":8},"threadLayout":{"a":"(32,8):(1,32)","b":"(32,8):(1,32)","c":"(16,16):(1,16)"}},"gflops":{"1024":8695,"4096":23391}},
  {"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4},"gflops":{"1024":12366,"4096":41146}},
  {"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}},"gflops":{"1024":12356,"4096":41621}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}},"gflops":{"1024":15317,"4096":41557}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"swizzle":"xor"},"gflops":{"1024":14718,"4096":41043}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2},"gflops":{"1024":16452,"4096":34682}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2,"swizzle":"xor"},"gflops":{"1024":19325,"4096":44104}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":3,"padding":{"a":4},"minBlocksPerSm":2},"gflops":{"1024":20170,"4096":45258}},
  {"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":4,"padding":{"a":4},"minBlocksPerSm":4},"gflops":{"1024":35875,"4096":43667}},
  {"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":4,"padding":{"a":4},"raster":{"order":"row","group":8},"minBlocksPerSm":4},"gflops":{"1024":33987,"4096":42691}},
  {"schedule":{"algorithm":"pipelined","block":{"m":256,"n":128,"k":8},"warp":{"m":64,"n":64},"thread":{"m":16,"n":8},"vector":4,"stages":4,"padding":{"a":4}},"gflops":{"1024":10692,"4096":43311}},
  {"schedule":{"algorithm":"pipelined","block":{"m":64,"n":64,"k":16},"warp":{"m":32,"n":32},"thread":{"m":4,"n":8},"vector":4,"stages":4,"padding":{"a":4}},"gflops":{"1024":28651,"4096":38920}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"remap","raster":{"order":"col"}},"gflops":{"1024":5923,"4096":6199}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4},"gflops":{"1024":15021,"4096":40203}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":2}},"gflops":{"1024":15190,"4096":41026}},
];

const TABLE1 = {
  source: 'bench/h200-ladder-webgpu.json, bench/h200-ladder-webgpu-added.json',
  device: 'h200',
  target: 'wgsl',
  compiler: 'nvidia nvidia-h200 NVIDIA: 580.159.04 580.159.4.0',
} as const;

// prettier-ignore
const ROWS1: MeasuredTable['rows'] = [
  {"schedule":{"algorithm":"naive","block":{"m":32,"n":32}},"gflops":{"4096":499}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"swap"},"gflops":{"4096":1397}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"remap"},"gflops":{"4096":1439}},
  {"schedule":{"algorithm":"shared-tile","block":{"m":32,"n":32,"k":32},"variant":"2d"},"gflops":{"4096":8343}},
  {"schedule":{"algorithm":"thread-tile-1d","block":{"m":64,"n":64,"k":8},"thread":{"m":8}},"gflops":{"4096":15192}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":64,"n":64,"k":8},"thread":{"m":4,"n":4}},"gflops":{"4096":18463}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8}},"gflops":{"4096":16150}},
  {"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1}},"gflops":{"4096":16298}},
  {"schedule":{"algorithm":"layout","block":{"m":128,"n":128,"k":8},"threadLayout":{"a":"(32,8):(1,32)","b":"(32,8):(1,32)","c":"(16,16):(1,16)"}},"gflops":{"4096":15180}},
  {"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4},"gflops":{"4096":33703}},
  {"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}},"gflops":{"4096":33724}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}},"gflops":{"4096":34095}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"swizzle":"xor"},"gflops":{"4096":27897}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2},"gflops":{"4096":38724}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2},"gflops":{"4096":36018}},
  {"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":2},"gflops":{"4096":20270}},
  {"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2,"swizzle":"xor"},"gflops":{"4096":25329}},
  {"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"remap","raster":{"order":"col"}},"gflops":{"4096":1436}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4},"gflops":{"4096":26406}},
  {"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":2}},"gflops":{"4096":37144}},
];

export const MEASURED: readonly MeasuredTable[] = [
  { ...TABLE0, rows: ROWS0 },
  { ...TABLE1, rows: ROWS1 },
];
