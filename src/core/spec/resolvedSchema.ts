/** Schemas that decode a resolved spec from a file, a webview or a child process. */
import * as v from 'valibot';
import { ACTIVATIONS } from '../types/activations';
import { DTYPES } from '../types/dtype';
import { ALONG, MAX_EPILOGUE_OPS, type EpilogueOp } from './epilogue';
import type { ResolvedSchedule, ResolvedSpec } from './resolved';
import { ALGORITHMS, LAYOUTS, MAX_DIMENSION, specSchema, TARGETS } from './schema';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MAX_DIMENSION));
const finite = v.pipe(v.number(), v.finite());

const operand = v.object({
  dtype: v.picklist(DTYPES),
  layout: v.picklist(LAYOUTS),
  ld: count,
  batchStride: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
});

const dtype = v.picklist(DTYPES);
const epilogueOp: v.GenericSchema<unknown, EpilogueOp> = v.variant('op', [
  v.object({ op: v.literal('bias'), along: v.picklist(ALONG), dtype }),
  ...ACTIVATIONS.map(op => v.object({ op: v.literal(op) })),
  v.object({ op: v.literal('scale'), along: v.exactOptional(v.picklist(ALONG)) }),
  v.object({ op: v.literal('residual'), layout: v.picklist(LAYOUTS), ld: count, dtype }),
  v.object({
    op: v.literal('gate'),
    act: v.picklist(ACTIVATIONS),
    layout: v.picklist(LAYOUTS),
    ld: count,
    dtype,
  }),
]);

export const resolvedScheduleSchema: v.GenericSchema<unknown, ResolvedSchedule> = v.strictObject({
  ...specSchema.entries.schedule.wrapped.entries,
  algorithm: v.picklist(ALGORITHMS),
});

export const resolvedSpecSchema: v.GenericSchema<unknown, ResolvedSpec> = v.object({
  version: v.literal(1),
  problem: v.object({
    m: count,
    n: count,
    k: count,
    batch: count,
    a: operand,
    b: operand,
    c: operand,
    accumulator: v.picklist(DTYPES),
    alpha: finite,
    beta: finite,
    epilogue: v.exactOptional(v.pipe(v.array(epilogueOp), v.maxLength(MAX_EPILOGUE_OPS))),
  }),
  schedule: resolvedScheduleSchema,
  device: v.pipe(v.string(), v.maxLength(200)),
  targets: v.array(v.picklist(TARGETS)),
  webgpuLimits: v.exactOptional(v.object({ invocations: count, workgroupStorageBytes: count })),
  workspaceLimitBytes: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
});
