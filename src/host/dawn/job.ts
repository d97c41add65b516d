/** Messages of the Dawn worker. It reads one JSON job from standard input and prints JSON lines. */
import * as v from 'valibot';
import type { Launch, Runnable } from '../../core/kernel/kernel';
import { EFFORTS, type RunRequest } from '../../core/measure/backend';
import { measurementSchema, ROBUSTNESS } from '../../core/measure/measurement';
import { resolve } from '../../core/defaults/resolve';
import { specSchema } from '../../core/spec/schema';
import { ARGUMENT_ROLES } from '../../core/kernel/ir/arguments';
import { toSpec } from '../../core/spec/toSpec';

const text = v.pipe(v.string(), v.maxLength(20_000));
const source = v.pipe(v.string(), v.maxLength(500_000));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const dim3 = v.object({ x: count, y: count, z: count });
const role = v.picklist(ARGUMENT_ROLES);

const launch = {
  entry: text,
  grid: dim3,
  block: dim3,
  arguments: v.array(v.union([role, v.array(role)])),
};
const launches = v.exactOptional(v.array(v.object(launch)));

const runnable = v.object({
  ...launch,
  source,
  before: launches,
  after: launches,
  workspaceBytes: v.exactOptional(count),
  specKey: text,
  /** Spec of the kernel; for a hand-written kernel, a spec that contains only the problem. */
  spec: specSchema,
  handWritten: v.boolean(),
});

const limits = v.object({ invocations: count, workgroupStorageBytes: count });
const wgsl = v.object({
  source,
  /** Limits that the kernel's spec requires; default: WebGPU's default limits. */
  limits: v.optional(limits),
});
export type WgslText = v.InferOutput<typeof wgsl>;

const losses = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const switches = {
  robustness: v.optional(v.picklist(ROBUSTNESS)),
  experimental: v.optional(v.boolean()),
};
const ceilings = v.array(v.tuple([text, measurementSchema.entries.ceilings.wrapped]));

export const jobSchema = v.variant('type', [
  v.object({ type: v.literal('probe'), where: text, ...switches }),
  v.object({
    type: v.literal('run'),
    where: text,
    runnable,
    mode: v.picklist(['verify', 'time']),
    effort: v.picklist(EFFORTS),
    seed: v.pipe(v.number(), v.safeInteger()),
    ...switches,
    /** Maximum predicted time of a submit in milliseconds; default: `SUBMIT_MS`. */
    submitMs: v.optional(count),
    /** Ceilings that earlier runs have measured. */
    ceilings,
    /** Number of devices that were lost in earlier runs. */
    losses,
  }),
  v.object({ type: v.literal('validate'), texts: v.array(wgsl) }),
  /** Requests the path and version of the Dawn package; does not use a driver. */
  v.object({ type: v.literal('locate') }),
]);
export type Job = v.InferOutput<typeof jobSchema>;

/** Remedy for a failing worker. */
export const RESTART =
  'Check the GPU driver: run vulkaninfo and read the system log (dmesg). Update the driver, or choose a smaller problem.';

const wgslMessage = v.object({ line: v.number(), column: v.number(), message: text });
/** A compiler message; line and column start at 1. */
export type WgslMessage = v.InferOutput<typeof wgslMessage>;

export const lineSchema = v.variant('type', [
  /** Sent every second, unless a driver blocks the worker's thread. */
  v.object({ type: v.literal('alive') }),
  v.object({
    type: v.literal('progress'),
    stage: text,
    fraction: v.optional(v.number()),
    onGpu: v.optional(v.boolean()),
  }),
  v.object({
    type: v.literal('availability'),
    answer: v.variant('available', [
      v.object({
        available: v.literal(true),
        device: measurementSchema.entries.device,
        limits: v.exactOptional(limits),
      }),
      v.object({ available: v.literal(false), why: text, next: text }),
    ]),
  }),
  v.object({ type: v.literal('measured'), measurement: measurementSchema, ceilings, losses }),
  v.object({ type: v.literal('validated'), messages: v.array(v.array(wgslMessage)) }),
  v.object({ type: v.literal('located'), path: text, version: text, installed: v.boolean() }),
  /**
   * Reports that the job could not start or the worker failed. `installable`: installing Dawn would
   * resolve the failure.
   */
  v.object({
    type: v.literal('failed'),
    why: text,
    next: text,
    installable: v.optional(v.boolean()),
  }),
]);
export type Line = v.InferOutput<typeof lineSchema>;

type RunJob = Extract<Job, { type: 'run' }>;

export function packRunnable(kernel: Runnable): RunJob['runnable'] {
  const { source, specKey, spec, problem, before, after, workspaceBytes } = kernel;
  return {
    ...packLaunch(kernel),
    source,
    specKey,
    ...(before === undefined ? {} : { before: before.map(packLaunch) }),
    ...(after === undefined ? {} : { after: after.map(packLaunch) }),
    ...(workspaceBytes === undefined ? {} : { workspaceBytes }),
    spec: spec === undefined ? { problem } : toSpec(spec),
    handWritten: spec === undefined,
  };
}

type PackedLaunch = NonNullable<RunJob['runnable']['before']>[number];

const packLaunch = ({ entry, grid, block, arguments: args }: Launch): PackedLaunch => ({
  entry,
  grid,
  block,
  arguments: args.map(argument => (typeof argument === 'string' ? argument : [...argument])),
});

/** Restores a launch. WGSL has no dynamic workgroup memory. */
const unpackLaunch = (launch: PackedLaunch): Launch => ({ ...launch, dynamicSharedBytes: 0 });

export function unpackRequest({ runnable, mode, seed, effort }: RunJob): RunRequest {
  const { spec, handWritten, before, after, ...rest } = runnable;
  const resolved = resolve(spec);
  return {
    mode,
    seed,
    effort,
    runnable: {
      ...rest,
      dynamicSharedBytes: 0,
      target: 'wgsl',
      problem: resolved.problem,
      ...(before === undefined ? {} : { before: before.map(unpackLaunch) }),
      ...(after === undefined ? {} : { after: after.map(unpackLaunch) }),
      ...(handWritten ? {} : { spec: resolved }),
    },
  };
}
