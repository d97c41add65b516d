/** Finding a kernel's launch in a report of several. */
import assert from 'node:assert/strict';
import { matchKernel } from '../../../../src/core/profile/ncu/match';
import type { NcuKernel } from '../../../../src/core/profile/ncu/report';

const SIZE = { x: 32, y: 16, z: 1 };
const BLOCK = { x: 256, y: 1, z: 1 };
const launch = (id: string, entry: string, grid = SIZE): NcuKernel => ({
  id,
  entry,
  name: `${entry}()`,
  grid,
  block: BLOCK,
  metrics: new Map(),
});
const wanted = { entry: 'gemm', grid: SIZE, block: BLOCK };

describe('A kernel in a report', () => {
  it('is the last of its launches of that size', () => {
    const other = { x: 1, y: 1, z: 1 };
    const kernels = [
      launch('0', 'gemm'),
      launch('1', 'gemm'),
      launch('2', 'gemm', other),
      launch('3', 'fill'),
    ];
    const found = matchKernel({ kernels }, wanted);
    assert.ok(found.ok);
    assert.deepEqual([found.kernel.id, found.others], ['1', 1]);
  });

  it('does not match another name', () => {
    const found = matchKernel({ kernels: [launch('0', 'fill')] }, wanted);
    assert.ok(!found.ok);
    assert.match(found.why, /no kernel gemm\. Kernels: fill/);
  });

  it('does not match another or an unknown size', () => {
    const [other, untold] = [launch('0', 'gemm', { x: 8, y: 8, z: 1 }), launch('0', 'gemm')];
    const found = matchKernel({ kernels: [other] }, wanted);
    assert.ok(!found.ok);
    assert.match(
      found.why,
      /grid 8 x 8 x 1 and block 256 x 1 x 1, not 32 x 16 x 1 and 256 x 1 x 1/,
    );
    const { id, name, entry, block, metrics } = untold;
    const rest = { id, name, entry, ...(block === undefined ? {} : { block }), metrics };
    assert.ok(!matchKernel({ kernels: [rest] }, wanted).ok);
  });
});
