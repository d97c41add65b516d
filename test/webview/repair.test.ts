/**
 * Every violation that the form can reach has a one-click fix, and applying fixes ends at a legal
 * spec.
 */
import { choiceFields } from '../../webview/choiceFields';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { check } from '../../src/core/defaults/check';
import type { Violation } from '../../src/core/plan/plan';
import { devices } from '../../src/core/hardware/devices';
import { OPERANDS } from '../../src/core/spec/resolved';
import { resolve } from '../../src/core/defaults/resolve';
import { TARGETS, type GemmSpec } from '../../src/core/spec/schema';
import { applyChanges, valueAt, type Changes } from '../../webview/edit';
import { offeredAlgorithms, SIZE_FIELDS, scheduleFields, LIMIT_FIELDS } from '../../webview/fields';
import { runs } from '../helpers/depth';

const sizes = fc.oneof(
  fc.constantFrom(1, 2, 3, 7, 8, 16, 17, 32, 64, 100, 128, 256, 1000, 1024, 4096, 65_536),
  fc.integer({ min: 1, max: 2 ** 31 - 1 }),
);
const tile = fc.oneof(
  fc.constantFrom(1, 2, 3, 4, 8, 16, 32, 64, 96, 128, 256),
  fc.integer({ min: 1, max: 65_536 }),
);

/** A change that the form can make. */
const change = (spec: GemmSpec): fc.Arbitrary<Changes> => {
  const { algorithm = 'thread-tile-2d', ...others } = spec.schedule ?? {};
  const fields = scheduleFields(spec, { ...others, algorithm }).map(({ path }) => path);
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(...SIZE_FIELDS.map(({ path }) => path)), sizes)
      .map(([path, value]) => ({ [path]: value })),
    fc
      .tuple(fc.constantFrom(...OPERANDS), sizes)
      .map(([name, value]) => ({ [`problem.${name}.ld`]: value })),
    fc
      .tuple(fc.constantFrom(...fields, ...LIMIT_FIELDS.map(({ path }) => path)), tile)
      .map(([path, value]) => ({ [path]: value })),
    fc.constantFrom(...offeredAlgorithms).map(chosen => ({ schedule: { algorithm: chosen } })),
    fc.constantFrom(
      { 'schedule.variant': '2d' },
      ...TARGETS.flatMap(target => choiceFields(resolve(spec), target)).flatMap(
        ({ path, choices, words }) =>
          choices.map(choice => ({ [path]: words === undefined ? choice : words.value(choice) })),
      ),
    ),
    fc.constantFrom(...devices.map(({ id }) => id)).map(device => ({ device })),
    fc.constantFrom('f32', 's32', 'f64', 'f16').map(dtype => ({
      'problem.a.dtype': dtype,
      'problem.b.dtype': dtype,
      'problem.c.dtype': dtype,
      'problem.accumulator': undefined,
    })),
  );
};

const apply = (spec: GemmSpec, changes: Changes): GemmSpec => {
  const decoded = applyChanges(spec, resolve(spec), changes);
  return decoded.ok ? decoded.spec : spec;
};

/** Returns the change of the fix button, or null. */
const clickOf = (spec: GemmSpec, { path, nearest }: Violation): Changes | null =>
  nearest === null && valueAt(spec, path) === undefined ? null : { [path]: nearest ?? undefined };

const start: GemmSpec = {
  problem: { m: 256, n: 256, k: 256 },
  schedule: { algorithm: 'thread-tile-2d' },
  targets: ['cuda', 'wgsl'],
};
const specs = fc.integer({ min: 1, max: 6 }).chain(count => {
  let arbitrary: fc.Arbitrary<GemmSpec> = fc.constant(start);
  for (let i = 0; i < count; i++) {
    arbitrary = arbitrary.chain(spec => change(spec).map(changes => apply(spec, changes)));
  }
  return arbitrary;
});

describe('explorer: one-click fixes', () => {
  it('exist for every violation that the form can reach, with numbers or names', () => {
    fc.assert(
      fc.property(specs, spec => {
        for (const violation of check(spec).violations) {
          const { rule, path, message } = violation;
          assert.notEqual(clickOf(spec, violation), null, `${rule} at ${path}: ${message}`);
        }
      }),
      { ...runs(300) },
    );
  });

  it('lead to a legal configuration', () => {
    fc.assert(
      fc.property(specs, fc.constantFrom('cuda', 'wgsl'), (begun, target) => {
        let spec: GemmSpec = { ...begun, targets: [target] };
        const said: string[] = [];
        for (let clicks = 0; clicks < 40; clicks++) {
          const [first] = check(spec).violations;
          if (first === undefined) return;
          said.push(`${first.target} ${first.path}: ${first.message} -> ${String(first.nearest)}`);
          const click = clickOf(spec, first);
          assert.ok(click !== null);
          spec = apply(spec, click);
        }
        assert.fail(said.join('\n'));
      }),
      { ...runs(200) },
    );
  });
});

describe('the MMA shape field', () => {
  const field = (spec: GemmSpec, target: 'cuda' | 'wgsl') =>
    choiceFields(resolve(spec), target).find(({ path }) => path === 'schedule.mma');
  const half = (more: object = {}): GemmSpec => ({
    problem: { m: 256, n: 256, k: 256, a: { dtype: 'f16' }, c: { dtype: 'f32' } },
    schedule: { algorithm: 'mma' },
    ...more,
  });

  it('offers shapes of the device for the type, or of subgroup matrices', () => {
    const onHopper = field(half({ device: 'h100-sxm' }), 'cuda');
    assert.deepEqual(onHopper?.choices, ['16 x 8 x 16', '16 x 8 x 8']);
    assert.equal(onHopper.words?.current, '16 x 8 x 16');
    assert.deepEqual(field(half({ device: 't4' }), 'cuda')?.choices, ['16 x 8 x 8']);
    assert.ok(field(half({ targets: ['wgsl'] }), 'wgsl')?.choices.includes('16 x 16 x 16'));
    assert.equal(field(start, 'cuda'), undefined);
  });

  it('depends on the FP32 emulation choice', () => {
    const split: GemmSpec = {
      problem: start.problem,
      device: 'a100-sxm-80gb',
      schedule: { algorithm: 'mma', split: 'tf32x3' },
    };
    assert.deepEqual(field(split, 'cuda')?.choices, ['16 x 8 x 8', '16 x 8 x 4']);
    const offered = choiceFields(resolve(split), 'cuda').find(
      ({ path }) => path === 'schedule.split',
    );
    assert.deepEqual(offered?.choices, ['', 'tf32x3', 'bf16x3', 'bf16x6', 'bf16x9']);
    const other = apply(split, { 'schedule.split': 'bf16x6' });
    assert.deepEqual(field(other, 'cuda')?.choices, ['16 x 8 x 16', '16 x 8 x 8']);
  });

  it('writes a shape to the spec', () => {
    const { path, words } = field(half(), 'cuda') ?? assert.fail();
    assert.ok(words);
    const changed = apply(half(), { [path]: words.value('16 x 8 x 8') });
    assert.deepEqual(changed.schedule?.mma, { m: 16, n: 8, k: 8 });
    assert.deepEqual(words.value('no shape'), { m: 16, n: 8, k: 16 });
  });
});
