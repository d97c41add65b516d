/** The legality rules: each looks at one spec for one target and names what breaks it, in numbers. */
import { t } from '@vscode/l10n';
import { grouped as n } from '../language/numbers';
import { DTYPE_BYTES, isInteger, type DType } from '../spec/dtype';
import { extent, OPERANDS, spanElements, type ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { PLANNED, unusedFields } from './fields';
import type { Geometry } from './geometry';
import type { TargetLimits } from './limits';

export interface RuleInput {
  readonly spec: ResolvedSpec;
  readonly target: Target;
  readonly geometry: Geometry;
  readonly limits: TargetLimits;
}

/** A broken rule before the nearest legal value is known. */
export interface Breach {
  readonly rule: string;
  readonly path: string;
  readonly message: string;
  /** The legal value, where the rule knows it; otherwise it is searched for. */
  readonly nearest?: unknown;
}

type Rule = (input: RuleInput) => readonly Breach[];

/** Largest size a kernel may count to: leaves room for a tile beyond it in a signed 32-bit index. */
const MAX_INDEXED = 2 ** 30;

const DTYPES: Readonly<Record<Target, readonly DType[]>> = {
  cuda: ['f32', 'f64', 's32'],
  wgsl: ['f32', 's32'],
};

const elementTypes: Rule = ({ spec: { problem }, target }) => {
  const { a, b, c, accumulator } = problem;
  const legal = DTYPES[target];
  if (!legal.includes(a.dtype)) {
    const message = t(
      '{0} kernels of this version multiply {1}; A is {2}.',
      target,
      legal.join(', '),
      a.dtype,
    );
    return [{ rule: 'dtype', path: 'problem.a.dtype', message, nearest: 'f32' }];
  }
  const others = [
    ['problem.b.dtype', b.dtype],
    ['problem.c.dtype', c.dtype],
    ['problem.accumulator', accumulator],
  ] as const;
  return others
    .filter(([, dtype]) => dtype !== a.dtype)
    .map(([path, dtype]) => ({
      rule: 'dtype',
      path,
      message: t(
        'A, B, C and the accumulator have one type in this version: A is {0}, this is {1}.',
        a.dtype,
        dtype,
      ),
      nearest: a.dtype,
    }));
};

const scalars: Rule = ({ spec: { problem } }) =>
  (['alpha', 'beta'] as const)
    .filter(name => isInteger(problem.accumulator) && !isInt32(problem[name]))
    .map(name => ({
      rule: 'scalar',
      path: `problem.${name}`,
      message: t(
        '{0} multiplies 32-bit integers, so it must be one: it is {1}.',
        name,
        problem[name],
      ),
      nearest: Math.round(Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, problem[name]))),
    }));
const isInt32 = (value: number): boolean => (value | 0) === value;

const floatScalars: Rule = ({ spec: { problem } }) =>
  (['alpha', 'beta'] as const)
    .filter(name => problem.accumulator === 'f32' && !Number.isFinite(Math.fround(problem[name])))
    .map(name => ({
      rule: 'scalar',
      path: `problem.${name}`,
      message: t('{0} is {1}, beyond the largest f32 (3.4e38).', name, problem[name]),
      nearest: 1,
    }));

const minBlocks: Rule = ({ spec: { schedule }, geometry: { threads }, limits }) => {
  const { minBlocksPerSm } = schedule;
  if (minBlocksPerSm === undefined || limits.multiprocessor === undefined) return [];
  const most = Math.min(
    limits.multiprocessor.blocks,
    Math.floor(limits.multiprocessor.threads / threads),
  );
  if (minBlocksPerSm <= most) return [];
  const message = t(
    'An SM of {0} holds {1} threads, so {2} blocks of {3}; minBlocksPerSm is {4}.',
    limits.owner,
    n(limits.multiprocessor.threads),
    most,
    n(threads),
    minBlocksPerSm,
  );
  const nearest = most >= 1 ? most : null;
  return [{ rule: 'min-blocks-per-sm', path: 'schedule.minBlocksPerSm', message, nearest }];
};

const batch: Rule = ({ spec: { problem } }) =>
  problem.batch === 1
    ? []
    : [
        {
          rule: 'batch',
          path: 'problem.batch',
          message: t(
            'This version computes one product at a time; batch is {0}.',
            n(problem.batch),
          ),
          nearest: 1,
        },
      ];

const leadingDimensions: Rule = ({ spec: { problem } }) =>
  OPERANDS.flatMap(name => {
    const { rows, columns } = extent(problem, name);
    const { layout, ld } = problem[name];
    const packed = layout === 'row' ? columns : rows;
    if (ld >= packed) return [];
    const message = t(
      'A {0} {1} x {2} matrix needs a leading dimension of {3} or more; it is {4}.',
      layout === 'row' ? t('row-major') : t('column-major'),
      ...([rows, columns, packed, ld] as const).map(n),
    );
    return [{ rule: 'leading-dimension', path: `problem.${name}.ld`, message, nearest: packed }];
  });

const indexRange: Rule = ({ spec: { problem }, target }) => {
  const tooLong = (['m', 'n', 'k'] as const)
    .filter(name => problem[name] > MAX_INDEXED)
    .map(name => ({
      rule: 'index-range',
      path: `problem.${name}`,
      message: t(
        'Kernels count in 32 bits: {0} is {1} > {2}.',
        name,
        n(problem[name]),
        n(MAX_INDEXED),
      ),
      nearest: MAX_INDEXED,
    }));
  if (target !== 'wgsl') return tooLong;
  const most = 2 ** 32 - 1;
  const tooWide = OPERANDS.filter(name => spanElements(problem, name) > most).map(name => ({
    rule: 'index-range',
    path: `problem.${name}.ld`,
    message: t(
      'WGSL indexes with u32: {0} spans {1} > {2} elements.',
      name.toUpperCase(),
      n(spanElements(problem, name)),
      n(most),
    ),
    nearest: null,
  }));
  return [...tooLong, ...tooWide];
};

const usedFields: Rule = ({ spec: { schedule } }) => {
  const unused = unusedFields(schedule).map(field => ({
    rule: 'unused-field',
    path: `schedule.${field}`,
    message: t('{0} has no use for {1}.', schedule.algorithm, field),
    nearest: null,
  }));
  const variants = PLANNED[schedule.algorithm]?.variants ?? [];
  const { variant } = schedule;
  if (variant === undefined || variants.length === 0 || variants.includes(variant)) return unused;
  const message = t(
    '{0} has the variants {1}, not {2}.',
    schedule.algorithm,
    variants.join(', '),
    variant,
  );
  return [...unused, { rule: 'variant', path: 'schedule.variant', message, nearest: variants[0] }];
};

const threadTiles: Rule = ({ geometry: { tile, thread } }) =>
  (['m', 'n'] as const)
    .filter(name => tile[name] % thread[name] !== 0)
    .map(name => ({
      rule: 'thread-tile',
      path: `schedule.thread.${name}`,
      message: t(
        'thread.{0} must divide block.{0}: {1} is not a multiple of {2}.',
        name,
        tile[name],
        thread[name],
      ),
    }));

const threadCount: Rule = ({ geometry, limits }) => {
  const { threads, tile, thread, block } = geometry;
  const results = thread.m * thread.n;
  const perThread = results === 1 ? '' : ` / (${thread.m} x ${thread.n})`;
  const larger = tile.m >= tile.n ? 'm' : 'n';
  const breaches: Breach[] = [];
  if (threads > limits.threadsPerBlock) {
    const message = t(
      '{0} x {1}{2} = {3} threads a block > {4} ({5}).',
      tile.m,
      tile.n,
      perThread,
      n(threads),
      n(limits.threadsPerBlock),
      limits.owner,
    );
    breaches.push({ rule: 'threads-per-block', path: `schedule.block.${larger}`, message });
  }
  const over = (['x', 'y'] as const).find(axis => block[axis] > limits.block[axis]);
  if (over !== undefined && threads <= limits.threadsPerBlock) {
    const message = t(
      'The block is {0} x {1} threads; {2} may be {3} ({4}).',
      block.x,
      block.y,
      over,
      limits.block[over],
      limits.owner,
    );
    breaches.push({ rule: 'block-extent', path: `schedule.block.${larger}`, message });
  }
  return breaches;
};

const sharedMemory: Rule = ({ spec, geometry, limits }) => {
  const { shared, sharedBytes, tile } = geometry;
  if (shared === undefined || sharedBytes <= limits.sharedBytes) return [];
  const { a, b } = shared;
  const rows = (t: typeof a) =>
    `${t.outer} x ${t.padding === 0 ? t.inner : `(${t.inner} + ${t.padding})`}`;
  const bytes = DTYPE_BYTES[spec.problem.a.dtype];
  const message = t(
    '({0} + {1}) x {2} B = {3} B of shared memory > {4} B ({5}).',
    rows(a),
    rows(b),
    bytes,
    n(sharedBytes),
    n(limits.sharedBytes),
    limits.owner,
  );
  const widest = tile.k >= 8 ? 'k' : tile.m >= tile.n ? 'm' : 'n';
  return [{ rule: 'shared-memory', path: `schedule.block.${widest}`, message }];
};

const registers: Rule = ({ geometry, limits }) => {
  const { registersEstimate, thread } = geometry;
  if (registersEstimate <= limits.registersPerThread) return [];
  const message = t(
    '{0} x {1} results and their fragments need about {2} registers a thread > {3}.',
    thread.m,
    thread.n,
    registersEstimate,
    limits.registersPerThread,
  );
  const larger = thread.m >= thread.n ? 'm' : 'n';
  return [{ rule: 'registers', path: `schedule.thread.${larger}`, message }];
};

const gridExtent: Rule = ({ geometry: { grid, threadMap }, limits }) =>
  (['x', 'y'] as const)
    .filter(axis => grid[axis] > limits.grid[axis])
    .map(axis => {
      const field = (axis === 'x') === (threadMap === 'x-rows') ? 'm' : 'n';
      const message = t(
        'The grid is {0} x {1} blocks; {2} may be {3} ({4}).',
        n(grid.x),
        n(grid.y),
        axis,
        n(limits.grid[axis]),
        limits.owner,
      );
      return { rule: 'grid', path: `schedule.block.${field}`, message };
    });

export const RULES: readonly Rule[] = [
  elementTypes,
  scalars,
  floatScalars,
  minBlocks,
  batch,
  leadingDimensions,
  indexRange,
  usedFields,
  threadTiles,
  threadCount,
  sharedMemory,
  registers,
  gridExtent,
];
