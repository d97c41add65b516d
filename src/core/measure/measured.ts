/** Made by scripts/ladderTable.ts; a test compares it with what was recorded. */
import type { MeasuredTable } from './table';

const TABLE = {
  source: 'bench/h200-ladder-cuda.json',
  device: 'h200',
  target: 'cuda',
  compiler: 'nvcc 13.0.88',
} as const;

// prettier-ignore
const ROWS: MeasuredTable['rows'] = [
  {"size":1024,"gflops":484,"schedule":{"algorithm":"naive","block":{"m":32,"n":32}}},
  {"size":1024,"gflops":6290,"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"swap"}},
  {"size":1024,"gflops":6297,"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"remap"}},
  {"size":1024,"gflops":8645,"schedule":{"algorithm":"shared-tile","block":{"m":32,"n":32,"k":32},"variant":"2d"}},
  {"size":1024,"gflops":17493,"schedule":{"algorithm":"thread-tile-1d","block":{"m":64,"n":64,"k":8},"thread":{"m":8}}},
  {"size":1024,"gflops":19749,"schedule":{"algorithm":"thread-tile-2d","block":{"m":64,"n":64,"k":8},"thread":{"m":4,"n":4}}},
  {"size":1024,"gflops":8600,"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8}}},
  {"size":1024,"gflops":9021,"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1}}},
  {"size":1024,"gflops":8780,"schedule":{"algorithm":"layout","block":{"m":128,"n":128,"k":8},"threadLayout":{"a":"(32,8):(1,32)","b":"(32,8):(1,32)","c":"(16,16):(1,16)"}}},
  {"size":1024,"gflops":12498,"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4}},
  {"size":1024,"gflops":12502,"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}}},
  {"size":1024,"gflops":15263,"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}}},
  {"size":1024,"gflops":14696,"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"swizzle":"xor"}},
  {"size":1024,"gflops":17483,"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2}},
  {"size":1024,"gflops":19278,"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2,"swizzle":"xor"}},
  {"size":1024,"gflops":20178,"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":3,"padding":{"a":4},"minBlocksPerSm":2}},
  {"size":1024,"gflops":35629,"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":4,"padding":{"a":4},"minBlocksPerSm":4}},
  {"size":1024,"gflops":33671,"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":4,"padding":{"a":4},"raster":{"order":"row","group":8},"minBlocksPerSm":4}},
  {"size":1024,"gflops":10509,"schedule":{"algorithm":"pipelined","block":{"m":256,"n":128,"k":8},"warp":{"m":64,"n":64},"thread":{"m":16,"n":8},"vector":4,"stages":4,"padding":{"a":4}}},
  {"size":1024,"gflops":28752,"schedule":{"algorithm":"pipelined","block":{"m":64,"n":64,"k":16},"warp":{"m":32,"n":32},"thread":{"m":4,"n":8},"vector":4,"stages":4,"padding":{"a":4}}},
  {"size":4096,"gflops":498,"schedule":{"algorithm":"naive","block":{"m":32,"n":32}}},
  {"size":4096,"gflops":6300,"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"swap"}},
  {"size":4096,"gflops":6301,"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"remap"}},
  {"size":4096,"gflops":8861,"schedule":{"algorithm":"shared-tile","block":{"m":32,"n":32,"k":32},"variant":"2d"}},
  {"size":4096,"gflops":17818,"schedule":{"algorithm":"thread-tile-1d","block":{"m":64,"n":64,"k":8},"thread":{"m":8}}},
  {"size":4096,"gflops":27054,"schedule":{"algorithm":"thread-tile-2d","block":{"m":64,"n":64,"k":8},"thread":{"m":4,"n":4}}},
  {"size":4096,"gflops":25023,"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8}}},
  {"size":4096,"gflops":27747,"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1}}},
  {"size":4096,"gflops":23427,"schedule":{"algorithm":"layout","block":{"m":128,"n":128,"k":8},"threadLayout":{"a":"(32,8):(1,32)","b":"(32,8):(1,32)","c":"(16,16):(1,16)"}}},
  {"size":4096,"gflops":40818,"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4}},
  {"size":4096,"gflops":41336,"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}}},
  {"size":4096,"gflops":41543,"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4}}},
  {"size":4096,"gflops":41017,"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"swizzle":"xor"}},
  {"size":4096,"gflops":35756,"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2}},
  {"size":4096,"gflops":43936,"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2,"swizzle":"xor"}},
  {"size":4096,"gflops":45220,"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":3,"padding":{"a":4},"minBlocksPerSm":2}},
  {"size":4096,"gflops":43580,"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":4,"padding":{"a":4},"minBlocksPerSm":4}},
  {"size":4096,"gflops":42585,"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":4,"padding":{"a":4},"raster":{"order":"row","group":8},"minBlocksPerSm":4}},
  {"size":4096,"gflops":42822,"schedule":{"algorithm":"pipelined","block":{"m":256,"n":128,"k":8},"warp":{"m":64,"n":64},"thread":{"m":16,"n":8},"vector":4,"stages":4,"padding":{"a":4}}},
  {"size":4096,"gflops":38733,"schedule":{"algorithm":"pipelined","block":{"m":64,"n":64,"k":16},"warp":{"m":32,"n":32},"thread":{"m":4,"n":8},"vector":4,"stages":4,"padding":{"a":4}}},
];

export const MEASURED: readonly MeasuredTable[] = [{ ...TABLE, rows: ROWS }];
