/**
 * Compares the limits that a kernel requires with the limits of an adapter, before a device is
 * created.
 */
import type { Remedies } from './environment';
import { enabledFeatures } from './features';
import { missingRequirements, type MatrixInfo } from './matrixRequirements';
import { launchesOf, type Launch, type Runnable } from '../core/kernel/kernel';
import { DTYPE_BYTES, outputsOf, type DType } from '../core/types/dtype';
import { DEFAULT_WEBGPU_LIMITS } from '../core/plan/limits';
import {
  buffersOf,
  operandOf,
  spanElements,
  type BufferName,
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
  /** One sentence per violation. */
  | { readonly ok: false; readonly message: string };

/** Rounds up to a multiple of 16 bytes, so that a kernel may access the buffer as vec4s. */
export const wholeVectors = (bytes: number): number => Math.ceil(bytes / 16) * 16;

/** Returns the size of an operand's buffer in bytes, for a multiple of 4 elements. */
export const bufferBytes = (problem: ResolvedProblem, operand: BufferName): number =>
  Math.ceil(spanElements(problem, operand) / 4) *
  4 *
  DTYPE_BYTES[operandOf(problem, operand).dtype];

export function requirements(
  runnable: Runnable,
  adapter: Pick<GPUAdapter, 'limits' | 'features'> & { readonly info: MatrixInfo },
  advice: Pick<Remedies, 'withheld'> = {},
): Requirements {
  const withheld = missingFeatures(runnable, adapter, advice);
  const unsupported = [
    ...unsupportedProblem(runnable),
    ...withheld,
    ...(withheld.length > 0 ? [] : missingRequirements(runnable, adapter.info)),
  ];
  const needs = needsOf(runnable);
  const unmet = needs
    .filter(({ limit, value }) => value > adapter.limits[limit])
    .map(
      ({ limit, value, what }) =>
        `${what}: ${value} required, but this adapter allows ${adapter.limits[limit]} (${limit}).`,
    );
  const problems = [...unsupported, ...unmet];
  if (problems.length > 0) return { ok: false, message: problems.join('\n') };

  const requiredLimits: Record<string, number> = Object.fromEntries(
    needs.map(({ limit, value }) => [limit, value]),
  );
  // The bandwidth measurement may use larger buffers than the kernel.
  for (const limit of ['maxBufferSize', 'maxStorageBufferBindingSize'] as const) {
    requiredLimits[limit] = adapter.limits[limit];
  }
  if (runnable.spec === undefined) {
    // The workgroup storage of a hand-written kernel is unknown before compilation.
    requiredLimits['maxComputeWorkgroupStorageSize'] =
      adapter.limits.maxComputeWorkgroupStorageSize;
  }
  const wanted: GPUFeatureName[] = ['timestamp-query', ...enabledFeatures(runnable.source)];
  const requiredFeatures = wanted.filter(feature => adapter.features.has(feature));
  return { ok: true, descriptor: { requiredLimits, requiredFeatures } };
}

function needsOf(runnable: Runnable): readonly Need[] {
  const { problem, spec, workspaceBytes } = runnable;
  const launches = launchesOf<Launch>(runnable);
  const limits = spec?.webgpuLimits;
  const most = (limitOf: (launch: Launch) => number): number => Math.max(...launches.map(limitOf));
  const buffers = [
    ...buffersOf(problem).map(operand => ({
      bytes: bufferBytes(problem, operand),
      what: `Matrix ${operand.toUpperCase()}, bytes`,
    })),
    ...(workspaceBytes === undefined
      ? []
      : [{ bytes: wholeVectors(workspaceBytes), what: 'Workspace, bytes' }]),
  ].flatMap(({ bytes, what }): Need[] => [
    { limit: 'maxStorageBufferBindingSize', value: bytes, what },
    { limit: 'maxBufferSize', value: bytes, what },
  ]);
  const size = (limit: LimitName, axis: 'x' | 'y' | 'z'): Need => ({
    limit,
    value: most(({ block }) => block[axis]),
    what: `Workgroup size along ${axis}`,
  });
  return [
    ...buffers,
    {
      limit: 'maxComputeInvocationsPerWorkgroup',
      value: Math.max(
        most(({ block }) => block.x * block.y * block.z),
        limits?.invocations ?? 0,
      ),
      what: 'Invocations per workgroup',
    },
    size('maxComputeWorkgroupSizeX', 'x'),
    size('maxComputeWorkgroupSizeY', 'y'),
    size('maxComputeWorkgroupSizeZ', 'z'),
    {
      limit: 'maxComputeWorkgroupStorageSize',
      value: limits?.workgroupStorageBytes ?? DEFAULT_WEBGPU_LIMITS.workgroupStorageBytes,
      what: 'Workgroup storage, bytes',
    },
    {
      limit: 'maxComputeWorkgroupsPerDimension',
      value: most(({ grid }) => Math.max(grid.x, grid.y, grid.z)),
      what: 'Workgroups per dimension',
    },
  ];
}

/** Element types of inputs; s8 elements are packed in 32-bit words. */
const INPUTS: readonly DType[] = ['f32', 'f16', 's32', 's8'];

function unsupportedProblem({ target, problem }: Runnable): readonly string[] {
  if (target !== 'wgsl')
    return ['This kernel is CUDA, but WebGPU runs WGSL. Fix: use the cuda or cpu backend.'];
  const { a, b, c, accumulator } = problem;
  const runs = INPUTS.includes(a.dtype) && INPUTS.includes(b.dtype) && c.dtype !== 's8';
  if (runs && outputsOf(accumulator).includes(c.dtype) && accumulator !== 'f64') return [];
  const types = [a.dtype, b.dtype, c.dtype].join(', ');
  return [
    `The WebGPU backend supports f32, f16, s32 and s8 inputs with f32, f16 or s32 results, but the matrix types are ${types} with ${accumulator} accumulation. Fix: change the element types.`,
  ];
}

const missingFeatures = (
  { source }: Runnable,
  { features }: Pick<GPUAdapter, 'features'>,
  { withheld = {} }: Pick<Remedies, 'withheld'>,
): readonly string[] =>
  enabledFeatures(source)
    .filter(feature => !features.has(feature))
    .map(
      feature =>
        `The kernel enables ${feature}, which this adapter does not support. ${withheld[feature] ?? 'Fix: use a different adapter.'}`,
    );
