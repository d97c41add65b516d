/** The shipped dispatch tables, compared with the races in bench/ that they are made from. */
import assert from 'node:assert/strict';
import { recordedTables } from '../../scripts/dispatchTable';
import { familyOf } from '../../src/core/defaults/dispatch/adapterFamily';
import { findDevice } from '../../src/core/hardware/devices';
import { unpacked } from '../../src/core/defaults/dispatch/packed';
import { examiner } from '../../src/core/plan/examiner';
import { isPowerLimited } from '../../src/core/defaults/dispatch/predicted';
import { resolve, resolveWithOrigin } from '../../src/core/defaults/resolve';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import type { GemmSpec } from '../../src/core/spec/schema';

/** Rows of one shape in one layout together. */
function sameShapes<T extends { readonly shape: object; readonly layouts: string }>(
  rows: readonly T[],
): readonly (readonly [T, ...T[]])[] {
  const all = new Map<string, [T, ...T[]]>();
  for (const one of rows) {
    const key = JSON.stringify([one.shape, one.layouts]);
    const others = all.get(key);
    if (others === undefined) all.set(key, [one]);
    else others.push(one);
  }
  return [...all.values()];
}

describe('the shipped dispatch tables', function () {
  this.timeout(120_000);
  let tables: ReturnType<typeof recordedTables> | undefined;
  const recorded = () => (tables ??= recordedTables());

  it('are what was recorded, with where it comes from', () => {
    for (const { name, table, text, shipped } of recorded()) {
      assert.equal(shipped, text, `${name}: node out/scripts/dispatchTable.js`);
      assert.ok(findDevice(table.device) !== undefined || familyOf(table.device) !== undefined);
      assert.ok(table.source.record !== '' && table.source.driver !== undefined);
    }
  });

  it('give every measured shape its fastest schedule, or the next that is legal', () => {
    for (const { table } of recorded()) {
      for (const own of sameShapes(unpacked(table))) {
        const [{ shape, layouts }] = own;
        const layout = (i: number) => (layouts[i] === 'r' ? ('row' as const) : ('col' as const));
        const spec: GemmSpec = {
          problem: {
            ...shape,
            a: { dtype: table.types.a, layout: layout(0) },
            b: { layout: layout(1) },
            c: { dtype: table.types.c, layout: layout(2) },
          },
          device: table.device,
          targets: [table.target],
          webgpuLimits: { invocations: 1024, workgroupStorageBytes: 49_152 },
        };
        // What is no device of the table is an adapter's name.
        const family = findDevice(table.device) === undefined ? familyOf(table.device) : undefined;
        const adapter = family && { family, device: table.device };
        const { resolved, found } = resolveWithOrigin(spec, undefined, adapter);
        const best = own.toSorted((one, other) => other.gflops - one.gflops);
        const legality = examiner();
        const isLegal = (full: ResolvedSpec) => legality.isLegal(full, table.target);
        const suits = best.map(row => ({
          row,
          full: resolve({ ...spec, schedule: row.schedule }),
        }));
        const legal = suits.find(({ full }) => isLegal(full))?.row;
        if (legal === undefined) {
          // All measured schedules repack a matrix that exceeds the workspace limit.
          assert.equal(found, null);
          continue;
        }
        if (found?.how === 'predicted') {
          assert.equal(found.shortBatches?.gflops, legal.gflops);
          assert.ok(isPowerLimited(resolve({ ...spec, schedule: legal.schedule })));
          continue;
        }
        assert.equal(found?.how, 'measured');
        assert.equal(found.gflops, legal.gflops);
        assert.deepEqual(
          resolved.schedule,
          resolve({ ...spec, schedule: legal.schedule }).schedule,
        );
      }
    }
  });
});
