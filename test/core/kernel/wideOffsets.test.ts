/**
 * Offsets in 64 bits are the same offsets: a text that has them and one without say the same
 * numbers, line by line.
 */
import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import { planIfLegal } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { matrixSpecs, specs } from '../../helpers/specs';
import { warpGroups, WARP_GROUP_SPECS, warpGroupSpecs } from '../../helpers/warpGroupSpecs';
import { runs } from '../../helpers/depth';

const ALL = ['a', 'b', 'c', 'workspace'] as const;

/**
 * Of the kernels alone: the function that launches them has 64 bits always, the head a hash of the
 * text.
 */
const linesOf = (source: string): readonly string[] =>
  (source.split('#ifndef __CUDACC_RTC__')[0] ?? '')
    .split('\n')
    .filter(line => !line.startsWith('//'));

/** Numbers that a line indexes matrices with, or sets a constant to. */
function expressionsOf(line: string): readonly string[] {
  const value = /^\s*const (?:int|size_t) \w+ = (.*);/.exec(line)?.[1];
  if (value !== undefined) return [value];
  return [...line.matchAll(/\b(?:[ABC]|workspace)\[/g)].map(({ index, 0: head }) => {
    const first = index + head.length;
    let depth = 1;
    let end = first;
    for (; depth > 0; end++) depth += line[end] === '[' ? 1 : line[end] === ']' ? -1 : 0;
    return line.slice(first, end - 1);
  });
}

type Constants = ReadonlyMap<string, bigint>;

/**
 * Those that the text gives a number: a quotient of other ones may be 0, by which the text divides.
 */
const constantsOf = (lines: readonly string[]): Constants =>
  new Map(
    lines.flatMap(line => {
      const [, name, value] = /^constexpr int (\w+) = (\d+);/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, BigInt(value)]];
    }),
  );

/** In whole numbers of any length, each name that is no constant a number of its own. */
function valueOf(expression: string, constants: Constants): unknown {
  const text = expression
    .replaceAll('static_cast<size_t>', '')
    .replaceAll('size_t{1}', '1n')
    .replace(/\b(\d+)\b(?!n)/g, '$1n')
    .replaceAll('.', '_');
  const names = [...new Set(text.match(/\b[A-Za-z_]\w*/g))];
  const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
  const context: Record<string, unknown> = { min };
  for (const name of names) {
    if (name !== 'min') {
      const own = BigInt(name.length * 7919 + name.charCodeAt(0) * 31);
      context[name] = constants.get(name) ?? own;
    }
  }
  return runInNewContext(text, context);
}

/** How many lines have 64 bits; each of them says what its narrow one does. */
function widened(spec: GemmSpec): number {
  const plan = planIfLegal(resolve(spec), 'cuda');
  if (plan === null) return 0;
  const of = (wideOffsets: readonly (typeof ALL)[number][]) =>
    linesOf(emit({ ...plan, wideOffsets }).source);
  const [narrow, wide] = [of([]), of(ALL)];
  assert.equal(wide.length, narrow.length);
  const constants = constantsOf(narrow);
  const valuesOf = (line: string): readonly unknown[] =>
    expressionsOf(line).map(expression => valueOf(expression, constants));
  const differing = wide.flatMap((line, i) =>
    line === narrow[i] ? [] : [[line, narrow[i] ?? '']],
  );
  for (const [line = '', before = ''] of differing) {
    const values = valuesOf(line);
    assert.ok(values.length > 0, line);
    assert.deepEqual(values, valuesOf(before), line);
  }
  return differing.length;
}

/** Its rows of B hold more vectors than threads, by names alone. */
const NARROW_ROWS: GemmSpec = {
  problem: { m: 1, n: 32, k: 32 },
  schedule: {
    algorithm: 'pipelined',
    block: { m: 4, n: 64, k: 4 },
    warp: { m: 4, n: 64 },
    thread: { m: 1, n: 8 },
    stages: 5,
    fragments: 2,
  },
};

describe('offsets of 64 bits', () => {
  it('are those of 32 bits, in kernels that copy operands or write pieces of them too', () => {
    const copied = { m: 200, n: 136, k: 72, a: { dtype: 'bf16', ld: 73 }, b: { ld: 137 } } as const;
    const split = { m: 256, n: 256, k: 100, a: { dtype: 'f32' } } as const;
    assert.ok(widened(warpGroups(copied)) >= 3);
    assert.ok(widened(warpGroups(split, { split: 'bf16x6' })) >= 7);
    for (const spec of Object.values(WARP_GROUP_SPECS)) assert.ok(widened(spec) >= 0);
  });

  it('are those of 32 bits in random kernels', () => {
    const drawn = fc.oneof(specs, matrixSpecs, warpGroupSpecs);
    fc.assert(
      fc.property(drawn, spec => widened(spec) >= 0),
      { ...runs(150), examples: [[NARROW_ROWS]] },
    );
  });
});
