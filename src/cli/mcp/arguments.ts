/**
 * Arguments that several tools share. The spec schema is large, so `suggest_spec` lists its problem
 * and `check_spec` its schedule; the other tools accept any object and decode it as a spec.
 */
import * as v from 'valibot';
import { specSchema, TARGETS } from '../../core/spec/schema';

const text = (description: string, most = 4096) =>
  v.optional(v.pipe(v.string(), v.maxLength(most), v.description(description)));

const { entries } = specSchema.pipe[0];

const openSpec = v.record(v.string(), v.unknown());

export const deviceArgument = text(
  'Device id of list_devices, or a name such as "H100"; default: the device of the spec, or h200.',
  200,
);

export const targetArgument = v.optional(
  v.pipe(v.picklist(TARGETS), v.description('Restrict the call to one target of the spec.')),
);

export const setArgument = v.optional(
  v.pipe(
    v.array(v.pipe(v.string(), v.maxLength(2000))),
    v.maxLength(64),
    v.description(
      'Overrides of spec fields, such as "schedule.stages=4" or "problem.m=256". Edits in results have this form.',
    ),
  ),
);

const pathArgument = (files: string) =>
  text(`Path of ${files}, relative to the root folder of the server.`);

const SPEC_OR_PATH = 'Pass spec or path.';

/** Arguments that name a spec. */
export const specArguments = {
  spec: v.optional(
    v.pipe(
      openSpec,
      v.description(
        `A spec {problem, schedule?, device?, targets?}, as suggest_spec returns it. ${SPEC_OR_PATH}`,
      ),
    ),
  ),
  path: pathArgument('a *.gemm.json file'),
  set: setArgument,
  device: deviceArgument,
  target: targetArgument,
};

/** The same, with every field of the schedule. */
export const describedSpecArguments = {
  ...specArguments,
  spec: v.optional(
    v.pipe(
      v.strictObject({
        ...entries,
        problem: v.pipe(openSpec, v.description('The problem, as in suggest_spec.')),
      }),
      v.description(`A spec. ${SPEC_OR_PATH}`),
    ),
  ),
};

/** Every field of the problem. */
export const problemArgument = entries.problem;

/** Maximum number of characters of a kernel source in a call. */
const MAX_SOURCE = 1_000_000;

export const LANGUAGES = ['cuda', 'wgsl'] as const;

/** Arguments that name a spec or a kernel. */
export const kernelArguments = {
  ...specArguments,
  path: pathArgument('a *.gemm.json, .cu, .cuh, .wgsl or .ptx file, or .py:function for cuda'),
  source: text(
    'Source of a kernel, instead of spec and path. A line above it states problem and launch: // @gemm {"problem":{"m":256,"n":256,"k":256},"grid":["(n+15)/16","(m+15)/16"],"block":[16,16],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}',
    MAX_SOURCE,
  ),
  language: v.optional(
    v.pipe(v.picklist(LANGUAGES), v.description('Language of source; default: cuda.')),
  ),
};

export const specArgumentSchema = v.strictObject(specArguments);
export const kernelArgumentSchema = v.strictObject(kernelArguments);

export type SpecArguments = v.InferOutput<typeof specArgumentSchema>;
export type KernelArguments = v.InferOutput<typeof kernelArgumentSchema>;

/** Runs of several kernels, in one call. */
export const MAX_KERNELS = 8;

export const kernelsArgument = (least: number, description: string) =>
  v.pipe(
    v.array(kernelArgumentSchema),
    v.minLength(least),
    v.maxLength(MAX_KERNELS),
    v.description(description),
  );

/** Folder for written files. */
export const outArgument = text(
  'Folder for the written files, relative to the root folder; created if missing. Requires --allow-run.',
);

export const recordArgument = v.optional(
  v.pipe(
    v.boolean(),
    v.description(
      'Append the result to .gemm/runs, which read_runs and VS Code show; default: true. simulate is never recorded.',
    ),
  ),
);
