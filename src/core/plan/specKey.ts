/** Readable key of a resolved spec, used as a file name. */
import { type ResolvedSpec, extent, type WebgpuLimits } from '../spec/resolved';
import type { Schedule } from '../spec/schema';
import { defaultOutput, defaultAccumulator } from '../types/dtype';
import { isActivation, type EpilogueOp } from '../spec/epilogue';
import { leaves, isNeutral } from '../spec/scheduleFields';
import { inOrder } from '../spec/toSpec';
import { DEFAULT_DEVICE } from '../hardware/devices';
import { matrixShapes } from './mma/matrix';
import { instructionsOn, isShape } from './instructions';
import { elementOf } from './fp32Emulation';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';

const LAUNCH_KEYS = { serial: [], programmatic: ['pdl'], prefetch: ['prefetch'] } as const;
const SCHEDULE_KEYS = { tma: 'tma', cooperative: 'coop', pingpong: 'pp' } as const;

/** Maximum number of characters in a key. Longer keys are truncated and end in a hash. */
const MAX_KEY_CHARACTERS = 72;

/**
 * Returns the key of a resolved spec. It contains element types, algorithm, problem shape, layouts,
 * tiles and non-default fields.
 */
export function specKey(resolved: ResolvedSpec): string {
  const { problem, schedule } = resolved;
  const { m, n, k, a, b, c, alpha, beta, batch, epilogue = [] } = problem;
  const tile = (t: Schedule['block']) =>
    t === undefined ? [] : [[t.m, t.n, t.k].filter(x => x !== undefined).join('x')];
  const { algorithm, block, warp, thread, variant, padding, minBlocksPerSm, ...others } = schedule;
  const { mma, vector, stages, swizzle, sharing, raster, cluster, kernelSchedule, ...more } =
    others;
  const { splitK = 1, splitKReduction, consumers, split, operandOrder, launch, ...rest } = more;
  const dtypes = typesKey(problem);
  const layouts = [a, b, c].map(operand => operand.layout[0]).join('');
  const packed = { a: extent(problem, 'a'), b: extent(problem, 'b'), c: extent(problem, 'c') };
  const leading = (['a', 'b', 'c'] as const).flatMap(name => {
    const { layout, ld } = problem[name];
    return ld === (layout === 'row' ? packed[name].columns : packed[name].rows)
      ? []
      : [`ld${name}${ld}`];
  });
  const unusual = leaves(inOrder({ algorithm, ...rest })).filter(
    ([path, value]) => path !== 'algorithm' && !isNeutral(path, value),
  );
  const key = [
    'gemm',
    dtypes,
    algorithm,
    ...(variant === undefined ? [] : [variant]),
    `${m}x${n}x${k}`,
    layouts,
    ...tile(block),
    ...tile(warp).map(text => `w${text}`),
    ...tile(thread),
    ...(isUsual(resolved) ? [] : tile(mma).map(text => `m${text}`)),
    ...(vector === undefined ? [] : [`v${vector}`]),
    ...(stages === undefined ? [] : [`s${stages}`]),
    ...(cluster === undefined || cluster.m * cluster.n === 1
      ? []
      : tile(cluster).map(text => `c${text}`)),
    ...(kernelSchedule === undefined ? [] : [SCHEDULE_KEYS[kernelSchedule]]),
    ...(consumers === undefined || consumers === 2 ? [] : [`${consumers}`]),
    ...(split === undefined ? [] : [split]),
    ...(operandOrder === 'ba' ? ['ba'] : []),
    ...(launch === undefined ? [] : LAUNCH_KEYS[launch]),
    ...(swizzle === undefined || swizzle === 'none' ? [] : [swizzle]),
    ...(sharing === undefined || sharing === 'none' ? [] : [sharing]),
    ...rasterKey(raster),
    ...(splitK === 1 ? [] : [`split${splitK}${reductionKey(algorithm, splitKReduction)}`]),
    ...(padding === undefined ? [] : [`pad${padding.a ?? 0}x${padding.b ?? 0}`]),
    ...(minBlocksPerSm === undefined ? [] : [`min${minBlocksPerSm}`]),
    ...(alpha === 1 ? [] : [`alpha${alpha}`]),
    ...(beta === 0 ? [] : [`beta${beta}`]),
    ...(batch === 1 ? [] : [`batch${batch}`]),
    ...leading,
    ...epilogueKey(epilogue),
    // The kernel header contains the device and the WebGPU limits, so the key contains them too.
    ...(resolved.device === DEFAULT_DEVICE ? [] : [resolved.device]),
    ...(resolved.webgpuLimits === undefined ? [] : [limitsKey(resolved.webgpuLimits)]),
    ...(unusual.length === 0 ? [] : [shortHash(JSON.stringify(unusual))]),
  ].join('-');
  const safe = key.replace(/[^A-Za-z0-9_.-]/g, '');
  if (safe.length <= MAX_KEY_CHARACTERS) return safe;
  const cut = safe.slice(0, MAX_KEY_CHARACTERS - 8);
  return `${cut.slice(0, cut.lastIndexOf('-'))}-${shortHash(key)}`;
}

/** Returns the element types as they appear in a key: `bf16`, or all four if they are unusual. */
export function typesKey({
  a,
  b,
  c,
  accumulator,
}: Pick<ResolvedSpec['problem'], 'a' | 'b' | 'c' | 'accumulator'>): string {
  const usual =
    b.dtype === a.dtype &&
    c.dtype === defaultOutput(a.dtype) &&
    accumulator === defaultAccumulator(a.dtype);
  return usual ? a.dtype : `${a.dtype}${b.dtype}${c.dtype}${accumulator}`;
}

/**
 * Returns whether `mma` is absent or the default instruction. Schedules with stages are assumed to
 * use tensor cores, other schedules subgroup matrices.
 */
function isUsual({ problem, schedule, device }: ResolvedSpec): boolean {
  const { mma, stages } = schedule;
  const [first] =
    stages === undefined
      ? matrixShapes(problem)
      : instructionsOn(elementOf({ problem, schedule }), device);
  return mma === undefined || (first !== undefined && isShape(first, mma));
}

/** Returns the reduction of split-K if it is not the default of the algorithm. */
function reductionKey(
  algorithm: Schedule['algorithm'],
  reduction: Schedule['splitKReduction'],
): string {
  if (reduction === 'atomic') return 'atomic';
  return algorithm === 'wgmma' && reduction === 'two-pass' ? 'twopass' : '';
}

const rasterKey = ({ order = 'row', group = 1 }: Schedule['raster'] & object = {}) =>
  order === 'row' && group === 1 ? [] : [`${order}${group}`];

/** Names the operations, followed by a hash of their operands if there are any. */
const epilogueKey = (epilogue: readonly EpilogueOp[]): readonly string[] => [
  ...epilogue.map(({ op }) => op.replace('-', '')),
  ...(epilogue.every(isActivation) ? [] : [shortHash(JSON.stringify(epilogue))]),
];

const limitsKey = ({ invocations, workgroupStorageBytes }: WebgpuLimits): string =>
  `limits${invocations}x${workgroupStorageBytes}`;

const shortHash = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 8);

/**
 * Returns the part of a key that differs between schedules of one problem. It omits types, problem
 * shape and layouts.
 */
export const scheduleName = (specKey: string): string =>
  specKey.replace(/^gemm-[a-z0-9]+-(.+?)-\d+x\d+x\d+-[rc]{3}-?/, '$1 ').trim();
