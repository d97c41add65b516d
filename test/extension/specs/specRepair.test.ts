/**
 * A spec that is not legal, made legal by its own quick fixes: what the button of a notification
 * does.
 */
import assert from 'node:assert/strict';
import { specOf } from '../../../scripts/grid/specs';
import { check } from '../../../src/core/defaults/check';
import { parseSpec } from '../../../src/core/spec/decode';
import { repairOf } from '../../../src/extension/specs/specRepair';

const textOf = (fields: object): string => JSON.stringify(fields, null, 2);
const problem = { m: 256, n: 256, k: 256 };

function checked(text: string): ReturnType<typeof check> {
  const decoded = parseSpec(text);
  assert.ok(decoded.ok, text);
  return check(decoded.spec);
}

describe('the repair of a spec', () => {
  it('is named by what it changes, and leaves the rest of the text', () => {
    const cases = [
      [{ problem, schedule: { algorithm: 'wgmma' } }, /^Use (tf32|bf16x6)$/],
      [
        {
          problem: { ...problem, a: { dtype: 'bf16' } },
          schedule: { algorithm: 'wgmma' },
          device: 'a100-sxm-80gb',
          targets: ['cuda'],
        },
        /^Use (h200|mma)$/,
      ],
      [
        { problem, schedule: { algorithm: 'pipelined', stages: 9 }, targets: ['cuda'] },
        /^Set schedule\.stages to 5$/,
      ],
      [
        { problem, schedule: { algorithm: 'naive', stages: 2 }, targets: ['cuda'] },
        /^Remove schedule\.stages$/,
      ],
      [
        {
          problem: { m: 48, n: 128, k: 12 },
          schedule: {
            algorithm: 'warp-tile',
            block: { m: 8, n: 32, k: 6 },
            warp: { m: 4, n: 8 },
            thread: { m: 4, n: 4 },
          },
          targets: ['cuda'],
        },
        /^Use nearest tiles$/,
      ],
    ] as const;
    for (const [fields, title] of cases) {
      const text = textOf(fields);
      assert.equal(checked(text).ok, false);
      const repair = repairOf(text);
      assert.match(repair?.title ?? 'none', title);
      assert.equal(checked(repair?.text ?? text).ok, true, repair?.text);
    }
  });

  it('is none of a legal spec, of one that is torn, and of one whose language the device lacks', () => {
    assert.equal(repairOf(textOf({ problem })), undefined);
    assert.equal(repairOf('{"problem":'), undefined);
    assert.equal(repairOf(textOf({ problem, shedule: {} })), undefined);
  });

  it('makes every random illegal spec legal that it has a button for, and has one for nine of ten', () => {
    let [illegal, repaired] = [0, 0];
    const without: string[] = [];
    for (let seed = 0; illegal < 120; seed++) {
      const text = textOf(specOf(seed));
      if (checked(text).ok) continue;
      illegal += 1;
      const repair = repairOf(text);
      if (repair === undefined) without.push(JSON.stringify(specOf(seed)));
      else {
        assert.equal(checked(repair.text).ok, true, `seed ${seed}: ${repair.text}`);
        repaired += 1;
      }
    }
    // The others multiply types that no kernel multiplies, for which there is no nearest one.
    assert.ok(repaired >= 0.9 * illegal, `${repaired} of ${illegal}:\n${without.join('\n')}`);
  }).timeout(180_000);
});
