/**
 * Comparison of the first rungs with five tutorials: kernels and figures of the tutorials next to
 * the rungs of the ladder.
 */
import { analyze } from '../../src/core/report/analyze';
import type { Analysis } from '../../src/core/report/analysis';
import { isDeviceId } from '../../src/core/hardware/devices';
import { emit } from '../../src/core/kernel/emit';
import { reportOf } from '../../src/core/layout/print';
import type { Step } from '../../src/core/search/ladder/ladderSteps';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import { table } from '../sections';
import type { Recorded } from './recorded';

const figures = (spec: GemmSpec): Analysis => {
  const planned = plan(resolve(spec), 'cuda');
  if (!planned.ok) throw new Error(JSON.stringify(planned.violations));
  const { device } = planned.plan.spec;
  if (!isDeviceId(device)) throw new Error(`${device} is not in the device table`);
  return analyze(emit(planned.plan), { device });
};
const cube = (size: number) => ({ m: size, n: size, k: size });
const code = (text: string): string => `\`${text}\``;
const fixed = (value: number, digits = 2): string => value.toFixed(digits);

const rung = (recorded: Recorded, size: number, name: string, change = ''): Step | undefined =>
  recorded.steps
    .get(size)
    ?.find(
      ({ hold: { rung: one }, measurement }) =>
        one.algorithm === name && one.change.includes(change) && measurement?.timing !== undefined,
    );
const rate = (recorded: Recorded, size: number, name: string, change = ''): number =>
  rung(recorded, size, name, change)?.measurement?.timing?.gflops ?? NaN;
const tflops = (gflops: number): string =>
  Number.isNaN(gflops) ? 'not measured' : fixed(gflops / 1000);
const sentence = (gflops: number, text: (rate: string) => string): string =>
  Number.isNaN(gflops) ? '' : text(tflops(gflops));

export const seeds = (cuda: Recorded): string =>
  [hierarchy(cuda), cute(cuda), ratios(cuda), worklog(cuda), tiledMatmul()].join('\n\n');

function hierarchy(cuda: Recorded): string {
  return `### A description of a simple GEMM hierarchy

Python loops show the nesting of block, warp and thread tiles. The tutorial has no kernel and no measured times. Block tiles are
8 x 32 x 6, warp tiles 4 x 8 x 3 and thread tiles 4 x 4. The equivalent here is \`warp-tile\`, with \`BM, BN, BK\`, \`WM, WN\` and \`TM, TN\`.
\`warp-tile\` has warps of 32 lanes (2 in the tutorial), and its warp tiles have the K extent of the block tile.
${sentence(rate(cuda, 4096, 'warp-tile'), made => `The first rung of \`warp-tile\` reaches ${made} TFLOP/s on the H200 at 4096.`)}`;
}

function cute(cuda: Recorded): string {
  const layoutRow = (name: string, expression: string): readonly string[] => {
    const report = reportOf(expression);
    const text = 'layout' in report ? report.layout : '';
    return [name, code(text), code(`layout "${expression}"`)];
  };
  const rows = [
    layoutRow('sA, sB', '(128,8):(1,128)'),
    layoutRow('gA, gB', 'tile((5120,4096):(1,5120), (128,128,8), (0,0,_), (1,X,1))'),
    layoutRow('gC', 'tile((5120,5120):(1,5120), (128,128,8), (0,0,_), (1,1,X))'),
    layoutRow('tA, tB', '(32,8):(1,32)'),
    layoutRow('tC', '(16,16):(1,16)'),
  ];
  return `### CuTe's dense matrix-matrix multiply tutorial

The tutorial uses shapes and strides instead of indices: 128 x 128 x 8 tiles, copied by thread layouts of 32 x 8 and
computed by a 16 x 16 layout. It prints these layouts (leading dimensions 5120, K = 4096), as do the head of our \`layout\` kernel and the
\`layout\` command:

${table(['tensor', 'CuTe prints', 'here'], rows)}

The tutorial states neither a GPU nor times. Our kernel with the same tiles reaches ${tflops(rate(cuda, 1024, 'layout'))} TFLOP/s at 1024 and
${tflops(rate(cuda, 4096, 'layout'))} at 4096 on the H200, with row-major A. Loads of A are then uncoalesced, unlike in
the tutorial's NT case (M-major A, N-major B).`;
}

function ratios(cuda: Recorded): string {
  const theirs = [
    {
      name: 'naive',
      ratio: '0.25',
      times: '4.69 / 4.9',
      schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 } },
    },
    {
      name: 'block tile 32 x 32',
      ratio: '8',
      times: '5.91 / 5.7',
      schedule: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 } },
    },
    {
      name: 'thread tile 4 x 4, block 64 x 64',
      ratio: '15.1',
      times: '6.03 / 11.48',
      schedule: {
        algorithm: 'thread-tile-2d',
        block: { m: 64, n: 64, k: 8 },
        thread: { m: 4, n: 4 },
      },
    },
  ] as const;
  const rows = theirs.map(({ name, ratio, times, schedule }) => {
    const { roofline } = figures({ problem: cube(1024), schedule, device: 'rtx-4090' });
    const ours = [1024, 4096].map(size => tflops(rate(cuda, size, schedule.algorithm)));
    return [name, ratio, fixed(roofline.kernelRatio.value), times, ours.join(' / ')];
  });
  const { roofline } = figures({
    problem: cube(1024),
    device: 'rtx-4090',
    schedule: { algorithm: 'naive' },
  });
  return `### Gemm on an RTX 4090

The tutorial computes the ridge point of the device and the arithmetic intensity of the problem and of each kernel. It
lists results at four problem sizes on an RTX 4090 (82 TFLOP/s, 1,008 GB/s). Its traffic includes a read and a write of C. Ridge point: 81.3 there, ${fixed(roofline.deviceRatio.value, 1)} here (RTX 4090 in the device
table); problem intensity at 1024: 128 there, ${fixed(roofline.problemRatio.value, 0)} here.

${table(
  [
    'its kernel',
    'its kernel ratio',
    'ours',
    'its TFLOP/s, RTX 4090, 1024 / 4096',
    'ours, H200, 1024 / 4096',
  ],
  rows,
)}

Its "naive" kernel is as fast as a coalesced kernel, so it is compared with our coalesced kernel. Its library (PyTorch)
reached 41.72 and 56.42 TFLOP/s; cuBLAS next to ours ${tflops(cuda.library.get(1024) ?? NaN)} and ${tflops(cuda.library.get(4096) ?? NaN)}.`;
}

function worklog(cuda: Recorded): string {
  const kernels: readonly (readonly [string, string, string, string, string])[] = [
    ['1 naive', '125', '138', 'naive', ''],
    ['1.1 coalesced, x and y swapped', '25', '680', 'coalesced', 'two-dimensional'],
    ['2 coalesced, from one index', '20', '810', 'coalesced', 'one-dimensional'],
    ['3 shared memory', '15.5', '1100', 'shared-tile', ''],
  ];
  const rows = kernels.map(([name, ms, gflops, algorithm, change]) => [
    name,
    ms,
    gflops,
    tflops(rate(cuda, 4096, algorithm, change)),
  ]);
  const { occupancy } = figures({
    problem: cube(2048),
    schedule: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 } },
    device: 'rtx-3070-laptop',
  });
  const held =
    occupancy === null
      ? ''
      : `${occupancy.activeWarps} of ${occupancy.maxWarps} warps (${fixed(100 * occupancy.occupancy, 1)} %), limited by ${occupancy.limiters.join(', ')}`;
  return `### GEMM on an RTX 3070 Laptop

A worklog with kernels from one thread per element to shared memory, timed at 2048 (GPU: 16 TFLOP/s, 384 GB/s):

${table(['its kernel', 'its ms', 'its GFLOP/s', 'ours, H200 at 4096, TFLOP/s'], rows)}

The worklog does not explain why kernel 1.1 is slower than kernel 2, although both are coalesced. They differ in thread index and block order:
columns of tiles from blockIdx.x in 1.1, rows of tiles in 2, as in rungs 2 and 3. Sectors, occupancy and waves of these kernels
are equal. The worklog gives the occupancy of the shared-memory kernel (8 KB, 1,024 threads, 27 registers) as "50 or 66 %"; the model here predicts
${held}. Its shared-memory kernel does not compile as printed (semicolons, an undeclared index, \`B\` for \`Bs\`). Its last rung,
1-D block tiling, is a sketch; ours reaches ${tflops(rate(cuda, 4096, 'thread-tile-1d'))} TFLOP/s.`;
}

function tiledMatmul(): string {
  const row = (name: string, variant: 'transposed' | '2d'): readonly string[] => {
    const { globalMemory, sharedMemory } = figures({
      problem: { ...cube(1024), a: { dtype: 's32' } },
      schedule: { algorithm: 'shared-tile', variant, block: { m: 16, n: 16, k: 16 } },
    });
    const sectors = (operand: 'a' | 'b'): string => {
      const site = globalMemory.find(access => access.operand === operand && access.op === 'load');
      return site === undefined ? '' : `${site.sectorsPerRequest} (${site.idealSectors} needed)`;
    };
    const worst = Math.max(...sharedMemory.map(site => site.wavefrontsPerRequest));
    return [name, sectors('a'), sectors('b'), String(worst)];
  };
  return `### Tiled Matmul 101

The tutorial reorders loops until two of them are the grid and two are the block. It then shows an integer kernel with
16 x 16 tiles. It reports no times. Its threadIdx.x indexes rows, so neighboring lanes access different rows of A, B and C; \`shared-tile\` has that mapping as
the variant \`transposed\`. The cost of this mapping, and the savings of mapping threadIdx.x to columns (\`2d\`), are derived:

${table(
  ['mapping', 'sectors per load of A', 'of B', 'wavefronts of the worst-case shared access'],
  [row('as printed (transposed)', 'transposed'), row('2d', '2d')],
)}`;
}
