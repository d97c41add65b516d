/**
 * Draws random specs; the same seed always yields the same spec. Most schedules match one
 * algorithm; some are arbitrary.
 */
import { devices } from '../../src/core/hardware/devices';
import { DTYPES, isInteger, type DType } from '../../src/core/types/dtype';
import { LAYOUTS, MAX_DIMENSION, TARGETS, type GemmSpec } from '../../src/core/spec/schema';
import { choicesOf, type Choices } from './choices';
import { arbitrary, fragments, gemv, matrices, nearLegal, registerTile } from './schedules';

type Problem = GemmSpec['problem'];
type Schedule = NonNullable<GemmSpec['schedule']>;

type Types = readonly [a: DType, b?: DType, c?: DType, accumulator?: DType];

/**
 * Types of A, B, C and the accumulator. An omitted type of B is the type of A; the other omitted
 * types have the spec's defaults.
 */
const TYPES: readonly Types[] = [
  ['f32'],
  ['f32'],
  ['f32'],
  ['f32'],
  ['f32'],
  ['f32'],
  ['s32'],
  ['s32'],
  ['f64'],
  ['f16'],
  ['f16'],
  ['bf16'],
  ['s8'],
  ['f16', 'f16', 'f16', 'f16'],
  ['f16', 'f16', 'f32', 'f16'],
  ['f16', 'f16', 'f32'],
  ['bf16', 'bf16', 'f32'],
  ['f32', 'f32', 'f64', 'f64'],
  ['f32', 'f32', 'f32', 'f64'],
  ['tf32'],
  ['f32', 'f16'],
  ['s8', 's8', 's8'],
];

const DEVICES = ['h200', 'h200', 'h200', 'a100-sxm-80gb', 't4', 'rtx-4090', 'v100-sxm2-16gb'];

const MATRIX_TYPES: readonly Types[] = [
  ['f16'],
  ['f16'],
  ['f16', 'f16', 'f32'],
  ['f16', 'f16', 'f32'],
  ['f32'],
  ['f32'],
  ['f16', 'f16', 'f16', 'f16'],
  ['f16', 'f16', 'f32', 'f16'],
  ['f32', 'f16'],
  ['bf16'],
  ['s8'],
];

const FRAGMENT_TYPES: readonly Types[] = [
  ['f16'],
  ['f16'],
  ['bf16'],
  ['bf16'],
  ['f16', 'f16', 'f32'],
  ['bf16', 'bf16', 'f32'],
  ['f16', 'f16', 'f16', 'f16'],
  ['f16', 'f16', 'f32', 'f16'],
  ['f16', 'bf16'],
  ['s8'],
  ['tf32'],
  ['tf32', 'tf32', 'f32'],
];

/** First seed that draws `register-tile` schedules, which were added later. */
export const LATER_SEEDS = 2 ** 24;
export const MATRIX_SEEDS = 2 ** 25;
export const FRAGMENT_SEEDS = 2 ** 26;
export const GEMV_SEEDS = 2 ** 27;

export function specOf(seed: number): GemmSpec {
  const from = choicesOf(seed);
  if (seed >= GEMV_SEEDS) return plain(fewRows(from, near(from, gemv(from))));
  if (seed >= FRAGMENT_SEEDS)
    return plain({ ...ofMatrices(from, fragments(from), FRAGMENT_TYPES), targets: ['cuda'] });
  if (seed >= MATRIX_SEEDS)
    return plain({ ...ofMatrices(from, matrices(from), MATRIX_TYPES), targets: ['wgsl'] });
  if (seed >= LATER_SEEDS) return plain(near(from, registerTile(from)));
  const spec = from.pick(['near', 'near', 'near', 'near', 'arbitrary']) === 'near' ? near : any;
  return plain(spec(from));
}

/** Most of these problems have up to four rows. Leading dimensions stay large enough. */
function fewRows({ pick }: Choices, spec: GemmSpec): GemmSpec {
  const { problem } = spec;
  const m = Math.min(problem.m, pick([1, 1, 2, 3, 4, 4, 4, 5]));
  return { ...spec, problem: { ...problem, m } };
}

const plain = (spec: GemmSpec): GemmSpec => JSON.parse(JSON.stringify(spec)) as GemmSpec;

function near(
  from: Choices,
  schedule = nearLegal(from),
  types: readonly Types[] = TYPES,
): GemmSpec {
  const { pick, between, maybe } = from;
  const problem = problemFor(from, schedule, types);
  const steps = Math.ceil(problem.k / (schedule.block?.k ?? 1));
  const split = () => ({
    splitK: between(2, Math.min(6, Math.max(2, steps))),
    ...maybe(50, () => ({ splitKReduction: pick(['atomic', 'two-pass'] as const) })),
  });
  return {
    problem,
    schedule: { ...schedule, ...maybe(steps > 1 ? 30 : 3, split) },
    ...maybe(60, () => ({ device: pick(DEVICES) })),
    ...maybe(20, () => ({ webgpuLimits: { invocations: 1024, workgroupStorageBytes: 32_768 } })),
  };
}

/** Some of these specs have full tiles along M and N, packed matrices, alpha = 1 and beta = 0. */
function ofMatrices(from: Choices, schedule: Schedule, types: readonly Types[]): GemmSpec {
  const { pick, between, maybe } = from;
  const spec = near(from, schedule, types);
  const { block } = schedule;
  const { k, accumulator } = spec.problem;
  const whole = (): Pick<GemmSpec, 'problem'> => ({
    problem: {
      m: (block?.m ?? 1) * between(1, 2),
      n: (block?.n ?? 1) * between(1, 2),
      k,
      batch: pick([1, 1, 2]),
      a: { dtype: spec.problem.a?.dtype, layout: pick(LAYOUTS) },
      b: { layout: pick(LAYOUTS) },
      c: { dtype: accumulator ?? 'f32', layout: pick(LAYOUTS) },
      ...(accumulator === undefined ? {} : { accumulator }),
    },
  });
  return { ...spec, ...maybe(35, whole) };
}

function any(from: Choices): GemmSpec {
  const { pick, between, maybe } = from;
  const size = (): number =>
    pick([1, 2, 7, 64, 97, 1021, between(1, 5000), between(1, MAX_DIMENSION)]);
  const operand = (): Problem['a'] => ({
    ...maybe(30, () => ({ dtype: pick(DTYPES) })),
    ...maybe(50, () => ({ layout: pick(LAYOUTS) })),
    ...maybe(20, () => ({ ld: size() })),
    ...maybe(10, () => ({ batchStride: pick([0, 1, size()]) })),
  });
  return {
    problem: {
      m: size(),
      n: size(),
      k: size(),
      ...maybe(20, () => ({ batch: pick([1, 2, 65_535, 65_536, MAX_DIMENSION]) })),
      ...maybe(60, () => ({ a: operand(), b: operand() })),
      ...maybe(60, () => ({ c: operand() })),
      ...maybe(10, () => ({ accumulator: pick(DTYPES) })),
      ...maybe(30, () => ({ alpha: pick([0, 1, -2.5, 1e300, 2 ** 31]) })),
      ...maybe(30, () => ({ beta: pick([0, 1, 0.1, -1e-320]) })),
    },
    ...maybe(90, () => ({ schedule: arbitrary(from) })),
    ...maybe(40, () => ({ device: pick(devices).id })),
    ...maybe(20, () => ({ targets: pick([[...TARGETS], ['cuda'], ['wgsl']] as const).slice() })),
    ...maybe(20, () => ({ webgpuLimits: { invocations: pick([1, 512, 4096]) } })),
  };
}

function problemFor(from: Choices, schedule: Schedule, types: readonly Types[]): Problem {
  const { pick, maybe } = from;
  const [typeA, typeB = typeA, typeC, accumulator] = pick(types);
  const sizes = sizesFor(from, schedule);
  const { m, n, k } = sizes;
  const operand = (dtype: DType | undefined, rows: number, columns: number): Problem['a'] => {
    const layout = pick(LAYOUTS);
    const ld = (layout === 'row' ? columns : rows) + pick([0, 0, 0, 1, 2, 3, 4, 8]);
    const packed = (layout === 'row' ? rows : columns) * ld;
    const stride = { batchStride: packed + pick([0, 0, 1, 4, 7]) };
    return {
      ...(dtype === undefined ? {} : { dtype }),
      layout,
      ld,
      ...(sizes.batch === 1 ? {} : stride),
    };
  };
  const scalar = () => (isInteger(typeA) ? pick([0, 1, 2, -3]) : pick([0, 1, 2, -3, 0.5, 1.7]));
  // All GEMMs of a batch may share a read-only operand.
  const shared = sizes.batch === 1 ? {} : maybe(20, () => ({ batchStride: 0 }));
  return {
    ...sizes,
    a: { ...operand(typeA, m, k), ...shared },
    b: operand(typeB, k, n),
    c: operand(typeC, m, n),
    ...(accumulator === undefined ? {} : { accumulator }),
    ...maybe(40, () => ({ alpha: scalar() })),
    ...maybe(40, () => ({ beta: scalar() })),
  };
}

/**
 * Maximum number of FMAs of a drawn problem, including padding. A problem with a single tile may
 * exceed it.
 */
const MOST_WORK = 2 ** 16;

function sizesFor(
  { pick, between }: Choices,
  { block, stages = 1 }: Schedule,
): Pick<Problem, 'm' | 'n' | 'k'> & { readonly batch: number } {
  const tile = { m: block?.m ?? 1, n: block?.n ?? 1, k: block?.k ?? 1 };
  const size = (extent: number, longest = 1): number =>
    Math.max(
      1,
      pick([
        1,
        between(1, 8),
        between(1, 100),
        between(1, 100),
        extent * between(1, 3),
        extent * between(1, longest + 1) + pick([-1, 1]),
        between(1, extent),
        extent - 1,
        extent * longest,
      ]),
    );
  const padded = (value: number, extent: number) => Math.ceil(value / extent) * extent;
  const sizes = {
    m: size(tile.m),
    n: size(tile.n),
    k: size(tile.k, stages),
    batch: pick([1, 1, 1, 1, 2, 3]),
  };
  const work = () =>
    padded(sizes.m, tile.m) * padded(sizes.n, tile.n) * padded(sizes.k, tile.k) * sizes.batch;
  for (let least = 128; work() > MOST_WORK && least >= 1; least /= 2) {
    for (const name of ['m', 'n', 'k'] as const)
      if (work() > MOST_WORK && sizes[name] > least) sizes[name] = Math.ceil(sizes[name] / 2);
    if (least === 1) sizes.batch = 1;
  }
  return sizes;
}
