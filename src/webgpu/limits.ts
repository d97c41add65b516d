/** What a kernel needs of an adapter, compared with what it has before anything is created. */
import type { Runnable } from '../core/emit/kernel';
import { DTYPE_BYTES, outputsOf, type DType } from '../core/spec/dtype';
import { DEFAULT_WEBGPU_LIMITS } from '../core/plan/limits';
import {
  OPERANDS,
  spanElements,
  type OperandName,
  type ResolvedProblem,
} from '../core/spec/resolved';

type LimitName =
  | 'maxBufferSize'
  | 'maxStorageBufferBindingSize'
  | 'maxComputeInvocationsPerWorkgroup'
  | 'maxComputeWorkgroupSizeX'
  | 'maxComputeWorkgroupSizeY'
  | 'maxComputeWorkgroupSizeZ'
  | 'maxComputeWorkgroupStorageSize'
  | 'maxComputeWorkgroupsPerDimension';

interface Need {
  readonly limit: LimitName;
  readonly value: number;
  readonly what: string;
}

export type Requirements =
  | { readonly ok: true; readonly descriptor: GPUDeviceDescriptor }
  /** One sentence for each need, with its numbers. */
  | { readonly ok: false; readonly message: string };

/** Bytes of an operand's buffer: whole vec4s, so that a kernel may read it as vectors. */
export const bufferBytes = (problem: ResolvedProblem, operand: OperandName): number =>
  Math.ceil(spanElements(problem, operand) / 4) * 4 * DTYPE_BYTES[problem[operand].dtype];

export function requirements(
  runnable: Runnable,
  adapter: Pick<GPUAdapter, 'limits' | 'features'>,
): Requirements {
  const unsupported = [...unsupportedProblem(runnable), ...missingFeatures(runnable, adapter)];
  const needs = needsOf(runnable);
  const unmet = needs
    .filter(({ limit, value }) => value > adapter.limits[limit])
    .map(
      ({ limit, value, what }) =>
        `${what}: ${value} needed, this adapter allows ${adapter.limits[limit]} (${limit}).`,
    );
  const problems = [...unsupported, ...unmet];
  if (problems.length > 0) return { ok: false, message: problems.join('\n') };

  const requiredLimits: Record<string, number> = Object.fromEntries(
    needs.map(({ limit, value }) => [limit, value]),
  );
  // Buffers as large as the adapter has them, for the ceilings; a device costs no more for it.
  for (const limit of ['maxBufferSize', 'maxStorageBufferBindingSize'] as const) {
    requiredLimits[limit] = adapter.limits[limit];
  }
  if (runnable.spec === undefined) {
    // What a hand-written kernel declares is known to its compiler alone.
    requiredLimits['maxComputeWorkgroupStorageSize'] =
      adapter.limits.maxComputeWorkgroupStorageSize;
  }
  const wanted: GPUFeatureName[] = ['timestamp-query', ...enabled(runnable.source)];
  const requiredFeatures = wanted.filter(feature => adapter.features.has(feature));
  return { ok: true, descriptor: { requiredLimits, requiredFeatures } };
}

function needsOf({ problem, grid, block, spec }: Runnable): readonly Need[] {
  const limits = spec?.webgpuLimits;
  const buffers = OPERANDS.map(operand => ({
    bytes: bufferBytes(problem, operand),
    what: `Matrix ${operand.toUpperCase()}, bytes`,
  })).flatMap(({ bytes, what }): Need[] => [
    { limit: 'maxStorageBufferBindingSize', value: bytes, what },
    { limit: 'maxBufferSize', value: bytes, what },
  ]);
  return [
    ...buffers,
    {
      limit: 'maxComputeInvocationsPerWorkgroup',
      value: Math.max(block.x * block.y * block.z, limits?.invocations ?? 0),
      what: 'Invocations a workgroup',
    },
    { limit: 'maxComputeWorkgroupSizeX', value: block.x, what: 'Workgroup size along x' },
    { limit: 'maxComputeWorkgroupSizeY', value: block.y, what: 'Workgroup size along y' },
    { limit: 'maxComputeWorkgroupSizeZ', value: block.z, what: 'Workgroup size along z' },
    {
      limit: 'maxComputeWorkgroupStorageSize',
      value: limits?.workgroupStorageBytes ?? DEFAULT_WEBGPU_LIMITS.workgroupStorageBytes,
      what: 'Workgroup storage, bytes',
    },
    {
      limit: 'maxComputeWorkgroupsPerDimension',
      value: Math.max(grid.x, grid.y, grid.z),
      what: 'Workgroups along a dimension',
    },
  ];
}

/** What WGSL arrays hold; s8 as the bytes of whole words. */
const INPUTS: readonly DType[] = ['f32', 'f16', 's32', 's8'];

function unsupportedProblem({ target, problem }: Runnable): readonly string[] {
  if (target !== 'wgsl') return ['This kernel is CUDA; WebGPU runs WGSL.'];
  const { a, b, c, accumulator } = problem;
  const runs = INPUTS.includes(a.dtype) && INPUTS.includes(b.dtype) && c.dtype !== 's8';
  if (runs && outputsOf(accumulator).includes(c.dtype) && accumulator !== 'f64') return [];
  const types = [a.dtype, b.dtype, c.dtype].join(', ');
  return [
    `The WebGPU backend runs f32, f16 and s32; these matrices are ${types}, summed in ${accumulator}.`,
  ];
}

/** WGSL extensions that are WebGPU features as well. */
const FEATURES: Readonly<Record<string, GPUFeatureName>> = {
  f16: 'shader-f16',
  subgroups: 'subgroups',
};

function enabled(source: string): readonly GPUFeatureName[] {
  const names = [...source.matchAll(/^\s*enable\s+([^;]+);/gm)]
    .flatMap(([, list = '']) => list.split(','))
    .map(name => FEATURES[name.trim()]);
  return names.filter(name => name !== undefined);
}

const missingFeatures = (
  { source }: Runnable,
  { features }: Pick<GPUAdapter, 'features'>,
): readonly string[] =>
  enabled(source)
    .filter(feature => !features.has(feature))
    .map(feature => `The kernel enables ${feature}, which this adapter does not have.`);
