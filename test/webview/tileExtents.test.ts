/** Extents that the handles of the tile map select, and lines of two sources of a kernel. */
import assert from 'node:assert/strict';
import { planSpec } from '../../src/core/defaults/check';
import type { GemmSpec } from '../../src/core/spec/schema';
import { alignedLines } from '../../webview/alignedLines';
import { resolvedOf } from '../../webview/derive';
import { applyChanges } from '../../webview/edit';
import { legalExtents, nearestExtent, nextExtent, type TilePath } from '../../webview/tileExtents';

const SPEC: GemmSpec = {
  problem: { m: 1024, n: 512, k: 256 },
  schedule: { algorithm: 'warp-tile', block: { m: 128, n: 128, k: 16 } },
};
const PATHS: readonly TilePath[] = [
  'schedule.block.m',
  'schedule.block.n',
  'schedule.warp.m',
  'schedule.warp.n',
];

describe('extents of tiles', () => {
  for (const path of PATHS)
    it(`are legal, in ascending order: ${path}`, () => {
      const legal = legalExtents(SPEC, path, 'cuda');
      assert.ok(legal.length > 2);
      assert.deepEqual(
        legal,
        legal.toSorted((one, other) => one.extent - other.extent),
      );
      for (const { extent, changes } of legal) {
        assert.equal(changes[path], extent);
        const decoded = applyChanges(SPEC, resolvedOf(SPEC), changes);
        assert.ok(decoded.ok && planSpec(decoded.spec, 'cuda').ok, JSON.stringify(changes));
      }
    });

  it('of a warp tile change both sides, because a warp has 32 lanes', () => {
    const wide = legalExtents(SPEC, 'schedule.warp.n', 'cuda').find(({ extent }) => extent === 64);
    assert.deepEqual(wide?.changes, { 'schedule.warp.n': 64, 'schedule.warp.m': 32 });
  });

  it('are the nearest and the next ones', () => {
    const legal = [32, 64, 128].map(extent => ({ extent, changes: {} }));
    assert.equal(nearestExtent(legal, 90)?.extent, 64);
    assert.equal(nearestExtent(legal, 1000)?.extent, 128);
    assert.equal(nearestExtent([], 1), null);
    assert.equal(nextExtent(legal, 64, true)?.extent, 128);
    assert.equal(nextExtent(legal, 64, false)?.extent, 32);
    assert.equal(nextExtent(legal, 128, true), null);
  });
});

describe('aligned lines', () => {
  it('map lines that both sources contain', () => {
    const inOther = alignedLines('a\nold\nb\nc', 'new\na\nb\nc');
    assert.deepEqual(inOther({ first: 1, last: 1 }), { first: 2, last: 2 });
    assert.deepEqual(inOther({ first: 3, last: 4 }), { first: 3, last: 4 });
    assert.equal(inOther({ first: 2, last: 2 }), null);
  });
});
