/** Fixes of memory accesses, from facts as the PTX analysis reports them. */
import assert from 'node:assert/strict';
import type { GlobalAccess, SharedAccess } from '../../../src/core/memory/access';
import type { CompiledAccesses } from '../../../src/core/memory/compiledAccesses';
import { parseKernelText } from '../../../src/core/source/kernelFile';
import { accessFix, accessProblems } from '../../../src/extension/editor/accessProblems';
import type { CompiledFacts } from '../../../src/extension/toolchain/facts';

const annotation =
  '// @gemm {"problem":{"m":64,"n":64,"k":64},"grid":[4,4],"block":[16,16],"args":["a","b","c","n"]}';
const text = `${annotation}
__global__ void k(const float* A, const float* B, float* C, int N) {
  __shared__ float As[16][16];
  int row = blockIdx.x * 16 + threadIdx.x, col = blockIdx.y * 16 + threadIdx.y;
  As[threadIdx.x][threadIdx.y] = A[row * N + col];
  C[row * N + col] = As[threadIdx.y][threadIdx.x] + B[col];
}
`;
const global = (code: string, lanesApart: number, line = 5): GlobalAccess => ({
  site: `${code}, line ${line}`,
  operand: 'a',
  op: 'load',
  widthBytes: 4,
  sectorsPerRequest: Math.abs(lanesApart) > 1 ? 32 : 4,
  idealSectors: 4,
  usedBytesPerRequest: 128,
  movedBytesPerRequest: 128,
  requests: 1,
  laneStride: lanesApart,
  source: { line, code, lanesApart, apartName: null },
});
const shared = (curingPadding: number | null): SharedAccess => ({
  site: 'As[threadIdx.x][threadIdx.y], line 5',
  operand: 'a',
  op: 'store',
  widthBytes: 4,
  wavefrontsPerRequest: 16,
  idealWavefronts: 1,
  conflictsPerRequest: 15,
  requests: 1,
  curingPadding,
  source: { line: 5, code: 'As[threadIdx.x][threadIdx.y]', lanesApart: 16, apartName: null },
});

const NO_ACCESSES: CompiledAccesses = {
  global: [],
  shared: [],
  pictures: [],
  globalBytes: 0,
  sharedBytes: 0,
  warps: 1,
  blocks: 1,
  limits: [],
  notes: [],
};

function titlesOf(accesses: { global?: GlobalAccess[]; shared?: SharedAccess[] }, source = text) {
  const file = parseKernelText(source, 'k.cu');
  const facts: readonly CompiledFacts[] = [
    {
      entry: 'k',
      arch: 'sm_90',
      compiler: 'nvcc',
      registers: 32,
      sharedBytes: 0,
      spillStores: 0,
      spillLoads: 0,
      accesses: { ...NO_ACCESSES, ...accesses },
    },
  ];
  const problems = accessProblems(file, facts);
  assert.ok(problems.length > 0);
  return problems.map(problem => accessFix(file, problem, facts)?.title);
}

describe('the fix of an access', () => {
  it('swaps the thread axes for an access across rows', () => {
    assert.deepEqual(titlesOf({ global: [global('A[row * N + col]', 64), global('B[col]', 0)] }), [
      'Swap threadIdx.x and threadIdx.y',
    ]);
  });

  it('is missing if the swap would make another access uncoalesced', () => {
    const accesses = [global('A[row * N + col]', 64), global('B[row]', 1)];
    assert.deepEqual(titlesOf({ global: accesses }), [undefined]);
  });

  it('is missing for consecutive elements per thread, and for a block that is not square', () => {
    assert.deepEqual(titlesOf({ global: [global('A[4 * row]', 4)] }), [undefined]);
    const flat = text.replace('"block":[16,16]', '"block":[256]');
    assert.deepEqual(titlesOf({ global: [global('A[row * N + col]', 64)] }, flat), [undefined]);
  });

  it('pads the shared array of a bank conflict by the analyzed padding', () => {
    assert.deepEqual(titlesOf({ shared: [shared(1)] }), ['Pad the rows of As by 1']);
    assert.deepEqual(titlesOf({ shared: [shared(null)] }), [undefined]);
  });
});
