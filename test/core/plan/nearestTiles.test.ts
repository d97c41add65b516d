/** What is proposed for tiles that no single value makes legal. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../../src/core/spec/schema';
import { violation } from '../../helpers/violations';
import { isEnough, runs } from '../../helpers/depth';

const side = fc.constantFrom(1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 31, 32, 64, 100, 128);
const tile = fc.record({ m: side, n: side });

const warped: fc.Arbitrary<Schedule> = fc
  .record({
    algorithm: fc.constantFrom('warp-tile' as const, 'pipelined' as const, 'mma' as const),
    block: tile,
    warp: tile,
    thread: tile,
    k: fc.constantFrom(3, 6, 8, 16, 32),
  })
  .map(({ algorithm, block, warp, thread, k }) => ({
    algorithm,
    block: { ...block, k },
    warp,
    ...(algorithm === 'mma' ? {} : { thread }),
  }));

const SIZES = { m: 256, n: 256, k: 96 };
const specOf = (schedule: Schedule): GemmSpec => ({
  version: 1,
  problem: { ...SIZES, a: { dtype: schedule.algorithm === 'mma' ? 'f16' : 'f32' } },
  schedule,
  targets: ['cuda'],
});

const withoutTiles = (schedule: Schedule): Schedule => ({
  ...schedule,
  block: {},
  warp: { m: 1, n: 1 },
  thread: { m: 1 },
});

describe('tiles that do not fit together', () => {
  it('a warp tile without 32 lanes: legal tiles nearest to those asked for, not the defaults', () => {
    const { rule, path, nearest } = violation([
      'problem={"m":48,"n":128,"k":12}',
      'targets=["cuda"]',
      'schedule={"algorithm":"warp-tile","block":{"m":8,"n":32,"k":6},"warp":{"m":4,"n":8},"thread":{"m":4,"n":4}}',
    ]);
    assert.equal(rule, 'warp-lanes');
    assert.equal(path, 'schedule');
    const { algorithm, block, warp } = nearest as Schedule;
    assert.equal(algorithm, 'warp-tile');
    assert.ok(
      (block?.m ?? 0) <= 16 && (block?.n ?? 0) <= 64 && block?.k === 6,
      JSON.stringify(block),
    );
    assert.ok((warp?.m ?? 0) * (warp?.n ?? 0) >= 32, JSON.stringify(warp));
  });

  it('what is proposed at once for a whole schedule keeps the algorithm and every field that is no tile, and is legal', () => {
    let together = 0;
    fc.assert(
      fc.property(warped, schedule => {
        const resolved = resolve(specOf(schedule));
        const planned = plan(resolved, 'cuda');
        if (planned.ok) return;
        const { schedule: before } = resolved;
        for (const { path, nearest } of planned.violations) {
          if (path !== 'schedule') continue;
          together += 1;
          const after = nearest as Schedule;
          assert.deepEqual(withoutTiles(after), withoutTiles(before));
          const planAfter = plan(resolve(specOf(after)), 'cuda');
          assert.ok(planAfter.ok, `${JSON.stringify(schedule)} -> ${JSON.stringify(after)}`);
        }
      }),
      { ...runs(250) },
    );
    assert.ok(isEnough(together, 25), `${together} proposals`);
  }).timeout(120_000);

  it('one nearest value after the other ends in a legal spec', () => {
    fc.assert(
      fc.property(warped, given => {
        let schedule = given;
        for (let step = 0; step < 12; step++) {
          const planned = plan(resolve(specOf(schedule)), 'cuda');
          if (planned.ok) return;
          const [first] = planned.violations;
          assert.ok(first !== undefined && first.nearest !== null, JSON.stringify(planned));
          schedule = withValue(schedule, first.path, first.nearest);
        }
        assert.fail(`12 values were not enough for ${JSON.stringify(given)}`);
      }),
      { ...runs(200) },
    );
  }).timeout(120_000);
});

function withValue(schedule: Schedule, path: string, value: unknown): Schedule {
  const [, group, name] = path.split('.') as [string, keyof Schedule | undefined, string?];
  if (group === undefined) return value as Schedule;
  if (name === undefined) return { ...schedule, [group]: value };
  const tiles = schedule[group] as Readonly<Record<string, unknown>> | undefined;
  return { ...schedule, [group]: { ...tiles, [name]: value } };
}
