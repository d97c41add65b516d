/** Selects random shapes of a family, the same on every machine and for every program. */
import * as v from 'valibot';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { FAMILIES, randomProblem, type FamilyName } from './families';

/** Options of a command line that select shapes. */
export interface Selection {
  readonly family?: string | undefined;
  readonly seed?: string | undefined;
  readonly count: string;
  /** Comma-separated indices; if undefined, the first `count` shapes are selected. */
  readonly only?: string | undefined;
}

export interface RandomShape {
  readonly index: number;
  /** Key in a record, so that records of the same shape can be joined. */
  readonly key: string;
  readonly problem: GemmSpec['problem'];
}

/** Draws per seed, so that the shapes of neighboring seeds differ. */
const STRIDE = 10_000;

const natural = v.pipe(v.string(), v.digits(), v.transform(Number));
const familyName = v.picklist(Object.keys(FAMILIES) as FamilyName[]);

/** Shape I of a seed depends only on the seed and I. */
export function selectShapes(given: Selection): readonly RandomShape[] {
  const name = v.parse(familyName, given.family);
  const seed = v.parse(natural, given.seed);
  const count = v.parse(natural, given.count);
  const indices =
    given.only?.split(',').map(index => v.parse(natural, index)) ??
    Array.from({ length: count }, (_, index) => index);
  return indices.map(index => ({
    index,
    key: `${name} seed ${seed}, ${index}`,
    problem: randomProblem(FAMILIES[name], seed * STRIDE + index),
  }));
}

/** Returns extents and layouts of A and B, such as `512x100x64 rc`. */
export function shapeText({ m, n, k, a, b }: GemmSpec['problem']): string {
  const letter = (layout: string | undefined): string => layout?.[0] ?? 'r';
  return `${m}x${n}x${k} ${letter(a?.layout)}${letter(b?.layout)}`;
}
