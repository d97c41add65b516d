/** Spaces: files decoded with paths, products walked lazily, neighbours, and the default ones. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { plannerFor } from '../../../../src/core/plan/planner';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { distance, decisionsOf } from '../../../../src/core/search/tune/decisionDistance';
import { ordered, scorerFor } from '../../../../src/core/search/tune/order';
import { reasonsAgainst } from '../../../../src/core/search/tune/reasons';
import {
  defaultSpace,
  MAX_ENUMERATED,
  type TuneSpace,
} from '../../../../src/core/search/tune/space';
import { parseSpace } from '../../../../src/core/search/tune/spaceFile';
import { IS_WHOLE } from '../../../helpers/depth';

const spec = resolve({ problem: { m: 512, n: 512, k: 512 }, targets: ['cuda'] });
const base = { problem: spec.problem, schedule: {} };
const space = (value: unknown, schedule = base.schedule): TuneSpace => {
  const decoded = parseSpace(JSON.stringify(value), { ...base, schedule });
  assert.ok(decoded.ok, JSON.stringify(decoded));
  return decoded.space;
};
const errors = (text: string): readonly string[] => {
  const decoded = parseSpace(text, base);
  return decoded.ok ? [] : decoded.errors.map(({ path, message }) => `${path}: ${message}`);
};

/** The long tier plans every member of a default space, a sample every seventh. */
const every = IS_WHOLE ? 1 : 7;

function first<T>(all: Iterable<T>, fits: (one: T) => boolean): T | undefined {
  for (const one of all) if (fits(one)) return one;
  return undefined;
}

describe('the search space in a file', () => {
  it('is the product of lists of values; null omits a field', () => {
    const made = space({
      algorithm: ['pipelined'],
      stages: [2, 3],
      minBlocksPerSm: [null, 2],
      padding: [null, { a: 4 }],
    });
    assert.equal(made.size, 8);
    const members = [...made.walk()];
    assert.equal(new Set(members.map(one => JSON.stringify(one))).size, 8);
    assert.equal(members.filter(({ padding }) => padding?.a === 4).length, 4);
    assert.equal(members.filter(one => 'minBlocksPerSm' in one).length, 4);
    assert.ok(
      members.every(({ block }) => block !== undefined),
      'tiles are filled in',
    );
  });

  it("keeps the spec's fields that the file does not list", () => {
    const members = [
      ...space({ stages: [2, 4] }, { algorithm: 'pipelined', swizzle: 'xor' }).walk(),
    ];
    assert.deepEqual(
      members.map(({ stages, swizzle }) => [stages, swizzle]),
      [
        [2, 'xor'],
        [4, 'xor'],
      ],
    );
  });

  it('is a list of whole schedules', () => {
    const made = space([{ algorithm: 'naive' }, { algorithm: 'vectorized' }]);
    assert.deepEqual(
      [...made.walk()].map(({ algorithm }) => algorithm),
      ['naive', 'vectorized'],
    );
  });

  it('reports the path of an invalid value or field', () => {
    assert.deepEqual(errors('{"block.q": [1]}'), ['block.q: Unknown field.']);
    assert.deepEqual(errors('{"blok": [null]}'), ['blok: Unknown field.']);
    assert.match(errors('{"stages": [2, 0.5]}').join(), /^stages\[1\]: Expected an integer/);
    assert.match(errors('{"swizzle": ["none", "zigzag"]}').join(), /^swizzle\[1\]: /);
    assert.match(errors('{"padding": [{"a": 4, "x": 1}]}').join(), /^padding\[0\].x: Unknown/);
    assert.match(errors('{"stages": []}').join(), /^stages: Expected a list/);
    assert.match(errors('{"stages": [2, 2]}').join(), /^stages\[1\]: This value is listed twice/);
    assert.match(errors('{"stages": [2], "stages": [3]}').join(), /^stages: Duplicate field/);
    assert.match(errors('[{"algorithm": "naive", "blok": 1}]').join(), /^\[0\].blok: Unknown/);
    assert.match(
      errors('{"mma.m": [16]}').join(),
      /^mma.m\[0\]: This field requires the other mma fields/,
    );
    assert.deepEqual(errors('{"mma": [{"m": 16, "n": 8, "k": 8}]}'), []);
    assert.match(errors('{').join(), /Not JSON/);
    assert.match(errors('7').join(), /Expected an object of lists/);
    assert.deepEqual(errors('{"__proto__": [1]}'), ['__proto__: Unknown field.']);
  });

  it('is enumerated lazily and evenly: a billion members', () => {
    const values = (count: number): readonly number[] =>
      Array.from({ length: count }, (_, index) => index + 1);
    const made = space({
      'block.m': values(1000),
      'block.n': values(1000),
      'block.k': values(1000),
    });
    assert.equal(made.size, 1e9);
    let count = 0;
    const last: Record<string, number> = {};
    for (const { block } of made.walk()) {
      count++;
      for (const side of ['m', 'n', 'k'] as const) {
        last[side] = Math.max(last[side] ?? 0, block?.[side] ?? 0);
      }
    }
    assert.equal(count, MAX_ENUMERATED);
    assert.ok(
      Object.values(last).every(most => most > 990),
      JSON.stringify(last),
    );
  });

  it('has neighbors that differ in one field', () => {
    const made = space({
      algorithm: ['pipelined'],
      stages: [2, 3, 4],
      'block.k': [8, 16],
      splitK: [null, 2, 4],
    });
    const members = [...made.walk()];
    fc.assert(
      fc.property(fc.nat({ max: members.length - 1 }), index => {
        const centre = members[index];
        assert.ok(centre !== undefined);
        const near = [...made.neighbours(centre)];
        assert.equal(near.length, 2 + 1 + 2);
        for (const one of near) assert.equal(distance(decisionsOf(one), decisionsOf(centre)), 1);
      }),
    );
  });

  it('reports why no member is legal, most common reasons first', () => {
    const made = space({ algorithm: ['pipelined'], 'block.m': [7, 11], stages: [2, 3] });
    const planOf = plannerFor(spec, 'cuda');
    assert.ok([...made.walk()].every(schedule => planOf(schedule) === null));
    const reasons = reasonsAgainst(made, spec, 'cuda', 4);
    assert.ok(reasons.length > 0);
    assert.match(reasons[0] ?? '', /^4 of 4 checked schedules violate /);
  });
});

describe('the default search space', () => {
  it('counts each schedule with its own variants: a pipeline has more of them', async () => {
    const made = defaultSpace(spec, 'cuda');
    const { score } = scorerFor(spec, 'cuda');
    const walked = (['warp-tile', 'pipelined'] as const).flatMap(algorithm => {
      const of = [...made.walk()].filter(one => one.algorithm === algorithm);
      return of.find(one => score([one]).length > 0) ?? [];
    });
    const space = { ...made, walk: () => walked };
    const found = await ordered(space, score, { whole: true, pause: () => Promise.resolve(true) });
    assert.equal(found.scored.length, 3 + 3 * 4);
    assert.deepEqual(found.space, { members: 15, walked: 15, legal: 15 });
  });

  it('has no illegal variants', () => {
    const cube = (k: number) => ({ m: 512, n: 512, k });
    const specs: readonly GemmSpec[] = [
      ...[512, 1003, 20].map(k => ({ problem: cube(k) })),
      { problem: { ...cube(512), a: { dtype: 'f16' }, b: { dtype: 'f16' }, accumulator: 'f16' } },
      { problem: cube(512), device: 't4' },
    ];
    for (const given of specs) {
      const of = resolve({ ...given, targets: ['cuda'] });
      const made = defaultSpace(of, 'cuda');
      const planOf = plannerFor(of, 'cuda');
      let index = 0;
      for (const schedule of made.walk()) {
        if (index++ % (997 * every) !== 0 || planOf(schedule) === null) continue;
        const variants = made.variants(schedule);
        assert.equal(variants.length, made.variantCount(schedule));
        assert.ok(
          variants.every(one => planOf(one) !== null),
          JSON.stringify([given, schedule]),
        );
      }
    }
  });

  it("is mma's where tensor cores multiply the type, each depth and pipeline of a tile among what is tried", async () => {
    const half = { a: { dtype: 'bf16' }, b: { dtype: 'bf16' } } as const;
    const of = (device: string) =>
      resolve({ problem: { m: 4096, n: 4096, k: 4096, ...half }, targets: ['cuda'], device });
    const made = defaultSpace(of('a100-sxm-80gb'), 'cuda');
    assert.ok([...made.walk()].every(({ algorithm }) => algorithm === 'mma'));
    const { score } = scorerFor(of('a100-sxm-80gb'), 'cuda');
    const { scored, space: count } = await ordered(made, score, {
      whole: false,
      pause: () => Promise.resolve(true),
    });
    assert.ok(count.legal > 300, JSON.stringify(count));
    const tried = scored.map(({ schedule }) => schedule);
    const large = tried.filter(
      ({ block, warp }) => block?.m === 128 && block.n === 256 && warp?.m === 64 && warp.n === 64,
    );
    assert.ok(new Set(large.map(({ block }) => block?.k)).size >= 2);
    assert.ok(new Set(large.map(({ stages }) => stages)).size >= 2);
    // A T4 has none for bf16.
    assert.ok([...defaultSpace(of('t4'), 'cuda').walk()].every(one => one.algorithm !== 'mma'));
  });

  it('has legal schedules for every type of the tensor cores', () => {
    for (const dtype of ['f16', 'bf16', 'tf32', 's8'] as const) {
      const sizes = { m: 1024, n: 1024, k: 1024 };
      const problem = { ...sizes, a: { dtype }, b: { layout: 'col' } } as const;
      const of = resolve({ problem, targets: ['cuda'], device: 'a100-sxm-80gb' });
      const planOf = plannerFor(of, 'cuda');
      const some = [...defaultSpace(of, 'cuda').walk()].filter((_, index) => index % every === 0);
      const legal = some.filter(one => planOf(one) !== null);
      assert.ok(legal.length > 100 / every, `${dtype}: ${legal.length}`);
    }
  });

  for (const target of ['cuda', 'wgsl'] as const) {
    it(`has distinct legal schedules for ${target}`, () => {
      const made = defaultSpace(spec, target);
      const planOf = plannerFor(spec, target);
      let [walked, legal] = [0, 0];
      const seen = new Set<string>();
      for (const schedule of made.walk()) {
        seen.add(JSON.stringify(schedule));
        if (walked++ % every === 0 && planOf(schedule) !== null) legal++;
      }
      assert.ok(legal > 1000 / every, String(legal));
      assert.equal(seen.size, walked);
    });

    it(`has neighbors in every direction for ${target}`, () => {
      const made = defaultSpace(spec, target);
      const planOf = plannerFor(spec, target);
      const centre = first(
        made.walk(),
        one => (one.thread?.m ?? 0) * (one.thread?.n ?? 0) === 64 && planOf(one) !== null,
      );
      assert.ok(centre !== undefined);
      const near = [...made.neighbours(centre)];
      const of = decisionsOf(centre);
      const changed = new Set(
        near.map(one => {
          const decisions = decisionsOf(one);
          assert.equal(distance(decisions, of), 1);
          return decisions.findIndex((text, index) => text !== of[index]);
        }),
      );
      assert.ok(changed.size >= 4, [...changed].join());
    });
  }
});
