/** Reads a `.cu` or `.wgsl` file back: generated, edited by its owner, or written by hand. */
import * as v from 'valibot';
import { decodeSpec } from '../spec/decode';
import { resolve, specKey } from '../spec/resolve';
import type { Target } from '../spec/schema';
import { annotationSchema, blockOf, gridOf, type Annotation } from './annotation';
import { generatedState } from './fileHead';
import type { Runnable } from './kernel';

export type KernelFile =
  | {
      readonly ok: true;
      readonly runnable: Runnable;
      readonly origin: 'generated' | 'edited' | 'hand-written';
    }
  | { readonly ok: false; readonly reason: string; readonly path: string };

export interface KernelSite {
  readonly entry: string;
  /** Line of `__global__` or `@compute`, from 0. */
  readonly line: number;
  readonly target: Target;
}

/** Whether a file may be overwritten without asking: only when it is exactly as generated. */
export const ownsFile = generatedState;

const NOT_ENTRIES = new Set([
  '__launch_bounds__',
  '__attribute__',
  'void',
  '__maxnreg__',
  '__cluster_dims__',
]);

/** Every `__global__` and `@compute` function of a text, outside comments and string literals. */
export function kernelSites(text: string): readonly KernelSite[] {
  const code = blankComments(text);
  return [
    ...sites(code, /__global__\b/g, cudaName, 'cuda'),
    ...sites(code, /@compute\b/g, wgslName, 'wgsl'),
  ];
}

function sites(
  code: string,
  mark: RegExp,
  nameAfter: (code: string, from: number) => string | null,
  target: Target,
): readonly KernelSite[] {
  return [...code.matchAll(mark)].flatMap(match => {
    const found = nameAfter(code, match.index + match[0].length);
    if (found === null) return [];
    return [{ entry: found, line: code.slice(0, match.index).split('\n').length - 1, target }];
  });
}

/** Attributes such as __launch_bounds__(256) stand between __global__ and the name. */
function cudaName(code: string, from: number): string | null {
  const window = code.slice(from, from + 1000);
  const pattern = /([A-Za-z_]\w*)\s*\(/g;
  for (let match = pattern.exec(window); match !== null; match = pattern.exec(window)) {
    const [, name = ''] = match;
    if (!NOT_ENTRIES.has(name)) return name;
    pattern.lastIndex = closing(window, match.index + match[0].length);
  }
  return null;
}

/** Index after the parenthesis that closes the one before `from`. */
function closing(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++)
    depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return at;
}

function wgslName(code: string, from: number): string | null {
  const match = /\bfn\s+([A-Za-z_]\w*)/.exec(code.slice(from, from + 1000));
  return match?.[1] ?? null;
}

/** Comments and string literals as blanks, so that line numbers stay. */
const blankComments = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, found =>
    found.replace(/[^\n]/g, ' '),
  );

/** Reads a kernel file; says what is missing when it cannot be run. */
export function readKernelFile(given: string, fileName: string): KernelFile {
  // A byte order mark is no WGSL, and line ends are not part of what a kernel says.
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const target: Target = fileName.endsWith('.wgsl') ? 'wgsl' : 'cuda';
  const fail = (path: string, reason: string): KernelFile => ({ ok: false, path, reason });
  const found = kernelSites(text).filter(site => site.target === target);
  const [first] = found;
  if (first === undefined)
    return fail(
      '',
      `${fileName} has no ${target === 'cuda' ? '__global__' : '@compute'} function.`,
    );
  const line = /^[ \t]*\/\/ @gemm (.*)$/m.exec(text)?.[1];
  if (line === undefined) {
    return fail(
      '@gemm',
      `${fileName} does not say how to run ${first.entry}: add a comment // @gemm {"problem":{...},"grid":[...],"block":[...],"args":[...]} above it.`,
    );
  }
  const annotation = parseAnnotation(line);
  if (!annotation.ok) return fail(`@gemm.${annotation.path}`, `${fileName}: ${annotation.reason}`);
  const entry = annotation.value.entry ?? first.entry;
  if (!found.some(site => site.entry === entry))
    return fail('@gemm.entry', `${fileName} has no kernel ${entry}.`);
  return build(annotation.value, { target, entry, text, fileName });
}

type Parsed =
  | { readonly ok: true; readonly value: Annotation }
  | { readonly ok: false; readonly path: string; readonly reason: string };

function parseAnnotation(line: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { ok: false, path: '', reason: `the @gemm comment is not JSON (${String(error)})` };
  }
  const result = v.safeParse(annotationSchema, value);
  if (result.success) return { ok: true, value: result.output };
  const [issue] = result.issues;
  return {
    ok: false,
    path: v.getDotPath(issue) ?? '',
    reason: `the @gemm comment: ${issue.message}`,
  };
}

function build(
  annotation: Annotation,
  file: {
    readonly target: Target;
    readonly entry: string;
    readonly text: string;
    readonly fileName: string;
  },
): KernelFile {
  const { args, dynamicSharedBytes = 0 } = annotation;
  const launch = new Set(['grid', 'block', 'args', 'entry', 'dynamicSharedBytes']);
  const decoded = decodeSpec(
    Object.fromEntries(Object.entries(annotation).filter(([key]) => !launch.has(key))),
  );
  if (!decoded.ok) {
    const [error] = decoded.errors;
    return {
      ok: false,
      path: `@gemm.${error?.path ?? ''}`,
      reason: `${file.fileName}: ${error?.message ?? ''}`,
    };
  }
  const spec = resolve(decoded.spec);
  const grid = gridOf(annotation, spec.problem);
  if (!grid.ok) {
    return {
      ok: false,
      path: '@gemm.grid',
      reason: `${file.fileName}: grid entry "${grid.entry}" is not a positive size.`,
    };
  }
  const state = generatedState(file.text);
  const handWritten = state === 'foreign' || decoded.spec.schedule === undefined;
  return {
    ok: true,
    origin: handWritten ? 'hand-written' : state,
    runnable: {
      ...{ target: file.target, entry: file.entry, source: file.text, problem: spec.problem },
      ...{ grid: grid.grid, block: blockOf(annotation), dynamicSharedBytes, arguments: args },
      specKey: handWritten ? file.fileName.replace(/\.[^.]+$/, '') : specKey(spec),
      ...(handWritten ? {} : { spec }),
    },
  };
}
