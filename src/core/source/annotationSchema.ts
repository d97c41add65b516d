/**
 * Schema of the annotation, a `// @gemm {...}` comment: facts about a kernel that its source code
 * does not determine. Annotations of generated files also contain the schedule and the device. Grid
 * entries may be expressions in m, n, k and the block extents.
 */
import * as v from 'valibot';
import type { Dim3 } from '../plan/plan';
import type { ResolvedProblem } from '../spec/resolved';
import { specSchema } from '../spec/schema';
import { ARGUMENT_ROLES } from '../kernel/ir/arguments';
import { tensorMapsSchema } from '../kernel/file/tensorMaps';

const role = v.picklist(ARGUMENT_ROLES);
const extent = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const expression = v.pipe(v.string(), v.maxLength(200));
const three = <T extends v.GenericSchema>(entry: T) =>
  v.pipe(v.array(entry), v.minLength(1), v.maxLength(3));

/** A kernel name, optionally with namespaces and template arguments: `ns::sgemm<128, 8, float>`. */
const entry = v.pipe(
  v.string(),
  v.maxLength(400),
  v.regex(
    /^(?:[\p{ID_Start}_][\p{ID_Continue}]*::)*[\p{ID_Start}_][\p{ID_Continue}]*(?:<[\p{ID_Continue}\s,:<>-]+>)?$/u,
    'Expected a kernel name, such as sgemm or ns::sgemm<128, 8>.',
  ),
);
const bytes = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const launch = {
  grid: three(v.union([extent, expression])),
  block: three(extent),
  args: v.pipe(
    v.array(v.union([role, v.pipe(v.array(role), v.minLength(1))])),
    v.minLength(1),
    v.maxLength(32),
  ),
  dynamicSharedBytes: v.optional(bytes),
  tensorMaps: v.optional(tensorMapsSchema),
  /**
   * Set for programmatic dependent launch: the kernel itself waits for the previous kernel in the
   * stream.
   */
  programmatic: v.optional(v.literal(true)),
};
const launches = v.optional(v.pipe(v.array(v.strictObject({ entry, ...launch })), v.maxLength(8)));

const described = {
  entry: v.optional(entry),
  ...launch,
  /** Pre-pass and post-pass launches that are required to compute C. */
  before: launches,
  after: launches,
  /** Bytes of workspace that the launches share, in addition to the matrices. */
  workspaceBytes: v.optional(bytes),
};

export const annotationSchema = v.strictObject({ ...specSchema.pipe[0].entries, ...described });
export type Annotation = v.InferOutput<typeof annotationSchema>;
/** Fields of the annotation that are not part of a spec. */
export const LAUNCH_KEYS: readonly string[] = Object.keys(described);

type Shape = Pick<Annotation, 'grid' | 'block'>;

const toDim3 = (values: readonly number[]): Dim3 => ({
  x: values[0] ?? 1,
  y: values[1] ?? 1,
  z: values[2] ?? 1,
});

export const blockOf = (annotation: Pick<Shape, 'block'>): Dim3 => toDim3(annotation.block);

/**
 * Computes the grid for a problem, rounded down to integers, or returns the first entry that is not
 * between 1 and 2^31 - 1.
 */
export function gridOf(
  annotation: Shape,
  problem: ResolvedProblem,
):
  | { readonly ok: true; readonly grid: Dim3 }
  | { readonly ok: false; readonly entry: string; readonly index: number } {
  const block = blockOf(annotation);
  const { m, n, k } = problem;
  const names = { m, n, k, 'block.x': block.x, 'block.y': block.y, 'block.z': block.z };
  const values: number[] = [];
  for (const entry of annotation.grid) {
    const value = typeof entry === 'number' ? entry : evaluate(entry, names);
    if (value === null || !(value >= 1) || value > 2 ** 31 - 1)
      return { ok: false, entry: String(entry), index: values.length };
    values.push(Math.floor(value));
  }
  return { ok: true, grid: toDim3(values) };
}

/**
 * Evaluates + - * / ceil( ) over real numbers; returns null if the string is not such an
 * expression.
 */
export function evaluate(text: string, names: Readonly<Record<string, number>>): number | null {
  const tokens =
    text.match(/\s*(?:\d+(?:\.\d+)?|[A-Za-z_][A-Za-z_.]*|[-+*/()])/g)?.map(t => t.trim()) ?? [];
  if (tokens.join('') !== text.replace(/\s+/g, '')) return null;
  let at = 0;
  const take = (token: string): boolean => tokens[at] === token && ++at > 0;
  const sum = (): number => {
    let value = product();
    for (;;) {
      if (take('+')) value += product();
      else if (take('-')) value -= product();
      else return value;
    }
  };
  const product = (): number => {
    let value = atom();
    for (;;) {
      if (take('*')) value *= atom();
      else if (take('/')) value /= atom();
      else return value;
    }
  };
  const atom = (): number => {
    if (take('ceil')) return take('(') ? Math.ceil(closed() - 1e-9) : NaN;
    if (take('(')) return closed();
    const token = tokens[at++];
    if (token === undefined) return NaN;
    return Object.hasOwn(names, token)
      ? (names[token] ?? NaN)
      : /^\d/.test(token)
        ? Number(token)
        : NaN;
  };
  const closed = (): number => {
    const value = sum();
    return take(')') ? value : NaN;
  };
  const value = sum();
  return at === tokens.length && Number.isFinite(value) ? value : null;
}

/** Splits a string at commas outside of brackets. */
export function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charAt(at);
    depth += '(<['.includes(c) ? 1 : ')>]'.includes(c) ? -1 : 0;
    if (c !== ',' || depth !== 0) continue;
    parts.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return [...parts, text.slice(from).trim()];
}
