/**
 * Decoders of values that VS Code passes to the extension: command arguments and task definitions.
 * CodeLenses, menus, other extensions, key bindings and tasks.json may contain any value.
 */
import * as v from 'valibot';
import { FIELD_PATH } from './protocol';

export interface KernelArgument {
  readonly uri: string;
  readonly entry?: string;
  /** Path of a spec field, such as `schedule.thread.m`. */
  readonly field?: string;
}

const uriText = v.pipe(v.string(), v.maxLength(4096), v.regex(/^[a-z][a-z0-9+.-]*:/i));
const entry = v.pipe(v.string(), v.regex(/^[\p{ID_Start}_][\p{ID_Continue}]{0,200}$/u));

const lensArgument = v.object({
  uri: uriText,
  entry: v.optional(entry),
  field: v.optional(v.pipe(v.string(), v.regex(FIELD_PATH))),
});
const menuArgument = v.object({
  scheme: v.string(),
  path: v.string(),
  toString: v.function(),
});

/**
 * Returns the decoded argument; undefined if it is not usable or missing, as in the command
 * palette.
 */
export function decodeKernelArgument(value: unknown): KernelArgument | undefined {
  const lens = v.safeParse(lensArgument, value);
  if (lens.success) {
    const { uri, entry: name, field } = lens.output;
    return {
      uri,
      ...(name === undefined ? {} : { entry: name }),
      ...(field === undefined ? {} : { field }),
    };
  }
  if (!v.is(menuArgument, value)) return undefined;
  const uri = v.safeParse(uriText, String(value));
  return uri.success ? { uri: uri.output } : undefined;
}

const taskDefinition = v.object({
  type: v.literal('gemm'),
  action: v.picklist(['compile', 'verify', 'benchmark']),
  file: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
  backend: v.optional(v.picklist(['simulate', 'cpu', 'webgpu', 'cuda'])),
});
export type TaskDefinition = v.InferOutput<typeof taskDefinition>;

/** Returns the decoded definition of a task; undefined if it is not valid. */
export function decodeTaskDefinition(value: unknown): TaskDefinition | undefined {
  const decoded = v.safeParse(taskDefinition, value);
  return decoded.success ? decoded.output : undefined;
}
