/** Names of generated files: short, one per spec, and never the name of another file. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { shortName } from '../../../src/core/plan/shortName';
import { specKey } from '../../../src/core/plan/specKey';
import { fileStem } from '../../../src/core/source/fileStem';
import { toSpec } from '../../../src/core/spec/toSpec';
import type { GemmSpec } from '../../../src/core/spec/schema';

const square = (size: number, more: Partial<GemmSpec['problem']> = {}) => ({
  m: size,
  n: size,
  k: size,
  ...more,
});
const tiled = (block: number) =>
  resolve({
    problem: square(256),
    schedule: { algorithm: 'shared-tile', block: { m: block, n: block, k: block } },
  });
const kernelOf = (block: number): string => {
  const planned = plan(tiled(block), 'cuda');
  assert.ok(planned.ok);
  return emit(planned.plan).source;
};
const specOf = (block: number): string => JSON.stringify(toSpec(tiled(block)));
const stemAmong = (files: Readonly<Record<string, string>>, block = 16): Promise<string> => {
  const spec = tiled(block);
  return fileStem(shortName(spec), specKey(spec), name => Promise.resolve(files[name]));
};

describe('the name of a generated file', () => {
  it('is the algorithm and the problem shape', () => {
    const nameOf = (problem: GemmSpec['problem'], algorithm: 'warp-tile' | 'wgmma') =>
      shortName(resolve({ problem, schedule: { algorithm } }));
    assert.equal(nameOf(square(256), 'warp-tile'), 'warp-tile-256');
    assert.equal(nameOf({ m: 1024, n: 512, k: 64 }, 'warp-tile'), 'warp-tile-1024x512x64');
    assert.equal(nameOf(square(1000, { a: { dtype: 'bf16' } }), 'wgmma'), 'wgmma-bf16-1000');
    assert.equal(shortName(tiled(16)), 'shared-tile-2d-256');
  });

  it('has at most 40 characters for usual problems', () => {
    const size = fc.constantFrom(64, 1000, 4096);
    const dtype = fc.constantFrom('f32', 'f16', 'bf16', 's8', 'f64');
    fc.assert(
      fc.property(size, size, size, dtype, (m, n, k, type) => {
        const name = shortName(resolve({ problem: { m, n, k, a: { dtype: type } } }));
        assert.ok(name.length <= 40, name);
        assert.match(name, /^[a-z0-9-]+$/);
      }),
    );
  });

  it('is kept for another file of the same spec', async () => {
    assert.equal(await stemAmong({}), 'shared-tile-2d-256');
    assert.equal(
      await stemAmong({
        'shared-tile-2d-256.cu': kernelOf(16),
        'shared-tile-2d-256.gemm.json': specOf(16),
      }),
      'shared-tile-2d-256',
    );
  });

  it('has a suffix if a different spec or a foreign file has the name', async () => {
    for (const files of [
      { 'shared-tile-2d-256.cu': kernelOf(8) },
      { 'shared-tile-2d-256.gemm.json': specOf(8) },
      { 'shared-tile-2d-256.cu': '__global__ void mine(float* a) {}\n' },
      { 'shared-tile-2d-256.wgsl': '' },
      { 'shared-tile-2d-256.gemm.json': '{' },
    ]) {
      assert.equal(await stemAmong(files), 'shared-tile-2d-256-2', JSON.stringify(files));
    }
    const two = { 'shared-tile-2d-256.cu': kernelOf(8), 'shared-tile-2d-256-2.cu': kernelOf(32) };
    assert.equal(await stemAmong(two), 'shared-tile-2d-256-3');
    assert.equal(await stemAmong(two, 32), 'shared-tile-2d-256-2');
  });

  it('is the key of the spec if every suffix is in use', async () => {
    const spec = tiled(16);
    const stem = await fileStem(shortName(spec), specKey(spec), () => Promise.resolve(''));
    assert.equal(stem, specKey(spec));
  });
});
