/**
 * Decoders of command arguments. CodeLenses, menus, other extensions and key bindings may pass any
 * value.
 */
import * as v from 'valibot';

/** Pattern of the protocol, repeated here so that loading commands does not load the protocol. */
const FIELD_PATH = /^(?:problem|schedule)(?:\.[a-zA-Z]{1,20}){1,3}$/;

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
