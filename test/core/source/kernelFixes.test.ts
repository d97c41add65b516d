/** Edits of hand-written kernels: coalescing, row padding, and when they are not offered. */
import assert from 'node:assert/strict';
import {
  padSharedArray,
  swapThreadAxes,
  type TextEdit,
} from '../../../src/core/source/kernelFixes';
import { locateKernels } from '../../../src/core/source/kernelSites';

const BLOCK = { x: 16, y: 16, z: 1 };
const applied = (text: string, edits: readonly TextEdit[] | undefined): string | undefined =>
  edits?.reduceRight(
    (all, { start, end, text: by }) => all.slice(0, start) + by + all.slice(end),
    text,
  );
const swapped = (text: string, block = BLOCK): string | undefined =>
  applied(text, swapThreadAxes(text, locateKernels(text, 'cuda'), 'k', block));
const padded = (text: string, array = 'As'): string | undefined => {
  const [kernel] = locateKernels(text, 'cuda');
  assert.ok(kernel);
  return applied(text, padSharedArray(text, kernel, array, 1));
};

describe('swapped thread axes', () => {
  const kernel = `__global__ void k(float* C) {
  int row = blockIdx.x * 16 + threadIdx.x; // threadIdx.x is the row
  int col = blockIdx.y * 16 + threadIdx . y;
  C[row * 64 + col] = 1;
}
__global__ void other(float* C) { C[threadIdx.x] = 0; }
`;

  it('exchange x and y in this kernel only, outside comments', () => {
    const text = swapped(kernel) ?? '';
    assert.match(text, /row = blockIdx\.x \* 16 \+ threadIdx\.y; \/\/ threadIdx\.x is/);
    assert.match(text, /col = blockIdx\.y \* 16 \+ threadIdx \. x;/);
    assert.match(text, /other\(float\* C\) \{ C\[threadIdx\.x\]/);
    assert.equal(swapped(text), kernel, 'twice is the original');
  });

  it('need a square block', () => {
    for (const block of [
      { x: 32, y: 8, z: 1 },
      { x: 1, y: 1, z: 1 },
      { x: 8, y: 8, z: 2 },
    ])
      assert.equal(swapped(kernel, block), undefined);
  });

  it('are not offered if other code depends on the order of the threads', () => {
    for (const line of ['int v = __shfl_sync(~0u, 1, 0);', 'asm("bar.sync 0;");', 'f(threadIdx);'])
      assert.equal(swapped(kernel.replace('  C[row', `  ${line}\n  C[row`)), undefined, line);
    assert.equal(swapped(`__device__ int t() { return threadIdx.x; }\n${kernel}`), undefined);
    assert.equal(swapped(`#define TX threadIdx.x\n${kernel}`), undefined);
    assert.equal(swapped(kernel.replace(/threadIdx \. y/, '0')), undefined, 'x alone');
  });
});

describe('padded rows of a shared array', () => {
  const kernel = `__global__ void k(float* C) {
  __shared__ float Bs[8][8], As[16][TILE];
  As[threadIdx.y][threadIdx.x] = 0; // As is a tile
  C[0] = As[threadIdx.x][idx[0]] + Bs[0][0];
}
`;

  it('extend the last dimension in the declaration', () => {
    assert.match(padded(kernel) ?? '', /__shared__ float Bs\[8\]\[8\], As\[16\]\[TILE \+ 1\];/);
    assert.match(padded(kernel, 'Bs') ?? '', /Bs\[8\]\[8 \+ 1\], As\[16\]\[TILE\];/);
  });

  it('are not offered for arrays that are accessed in other ways', () => {
    for (const use of ['f(&As[0][0]);', 'f(As);', 'f(As[1]);'])
      assert.equal(padded(kernel.replace('  C[0]', `  ${use}\n  C[0]`)), undefined, use);
    assert.equal(padded(kernel.replace('float Bs', 'float4 Bs')), undefined, 'vector type');
    assert.equal(padded(kernel.replace('As[16][TILE]', 'As[256]')), undefined, 'one dimension');
    assert.equal(padded(kernel, 'C'), undefined, 'no shared array');
  });
});
