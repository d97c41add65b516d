/** Reads a `.cu`, `.wgsl` or `.ptx` file: generated, edited, or hand-written. */
import * as v from 'valibot';
import { closestDevice } from '../hardware/closestDevice';
import { decodeSpec } from '../spec/decode';
import { resolve } from '../defaults/resolve';
import type { Target } from '../spec/schema';
import {
  annotationSchema,
  blockOf,
  gridOf,
  LAUNCH_KEYS,
  type Annotation,
} from './annotationSchema';
import { generatedState } from '../kernel/file/fileHead';
import type { Launch, Runnable } from '../kernel/kernel';
import { locateKernels, type Located } from './kernelSites';
import { locatePtxKernels } from './ptxFile';
import { findSymbol, functionName } from './symbols';
import { tensorMapProblem, type MapOwner } from '../kernel/file/tensorMaps';
import { specKey } from '../plan/specKey';

export type KernelFile =
  | {
      readonly ok: true;
      readonly runnable: Runnable;
      readonly origin: 'generated' | 'edited' | 'hand-written';
    }
  | { readonly ok: false; readonly reason: string; readonly path: string };

/** Only a file in the state `generated` may be overwritten without confirmation. */
export const ownsFile = generatedState;

export interface KernelText {
  readonly fileName: string;
  readonly target: Target;
  /**
   * Source code with `\n` line endings and without a byte order mark, as it is compiled, hashed and
   * executed.
   */
  readonly text: string;
  readonly kernels: readonly Located[];
  readonly annotations: readonly AnnotationLine[];
  /** The source is hashed on first use. */
  readonly state: () => ReturnType<typeof generatedState>;
  /** Set for files that contain compiled kernels. */
  readonly foreign?: Runnable['foreign'];
}

export interface AnnotationLine {
  readonly json: string;
  /** Line number, from 0. */
  readonly line: number;
  readonly column: number;
  /**
   * Name in the annotation, otherwise the name of the next kernel, otherwise of the first kernel.
   * Undefined for an annotation without a name in a file without kernels.
   */
  readonly entry: string | undefined;
  /** Another annotation of the same kernel with different JSON text. */
  readonly rival?: Pick<AnnotationLine, 'json' | 'line'>;
}

/** Parses a file without hashing it, so that listing kernels is cheap. */
export function parseKernelText(given: string, fileName: string): KernelText {
  // A byte order mark is not valid WGSL, and line endings must not affect the hash.
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const target: Target = /\.wgsl$/i.test(fileName) ? 'wgsl' : 'cuda';
  const isPtx = /\.ptx$/i.test(fileName);
  const kernels = isPtx ? locatePtxKernels(text) : locateKernels(text, target);
  let state: ReturnType<typeof generatedState> | undefined;
  return {
    fileName,
    target,
    text,
    kernels,
    annotations: annotationsOf(text, kernels),
    state: () => (state ??= generatedState(text)),
    ...(isPtx ? { foreign: { kind: 'ptx' } } : {}),
  };
}

/**
 * Describes a file without readable source, such as a cubin: its kernels by their symbol names, and
 * the annotations of its side file. `text` identifies the content in measurements.
 */
export function compiledText(
  { fileName, text, symbols }: { fileName: string; text: string; symbols: readonly string[] },
  annotations: readonly string[],
  foreign: NonNullable<Runnable['foreign']>,
): KernelText {
  const comments = annotations.map(json => `${MARK}${json}\n`).join('');
  const kernels = symbols.map((entry): Located => ({
    entry,
    line: 0,
    target: 'cuda',
    start: 0,
    nameAt: 0,
  }));
  return {
    fileName,
    target: 'cuda',
    text,
    kernels,
    annotations: annotationsOf(comments, kernels),
    state: () => 'foreign',
    foreign,
  };
}

function annotationsOf(text: string, kernels: readonly Located[]): readonly AnnotationLine[] {
  const found: AnnotationLine[] = [];
  let line = 0;
  let counted = 0;
  let next = 0;
  for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, at + 1)) {
    const begin = text.lastIndexOf('\n', at) + 1;
    if (text.slice(begin, at).trim() !== '') continue;
    for (let end = text.indexOf('\n', counted); end >= 0 && end < at;) {
      line += 1;
      counted = end + 1;
      end = text.indexOf('\n', counted);
    }
    while (next < kernels.length && (kernels[next]?.start ?? 0) < at) next += 1;
    const lineEnd = text.indexOf('\n', at);
    const json = text.slice(at + MARK.length, lineEnd < 0 ? text.length : lineEnd);
    const named = namedEntry(json);
    const column = at - begin + MARK.length;
    const entry =
      named === undefined ? (kernels[next] ?? kernels[0])?.entry : siteOf(named, kernels);
    found.push({ json, line, column, entry });
  }
  return withRivals(found);
}

/**
 * Returns the name under which a kernel is located: its symbol, or its function name without
 * namespaces and template arguments. Returns the name itself if there is no such kernel.
 */
function siteOf(name: string, kernels: readonly Located[]): string {
  const plain = functionName(name);
  const isThere = (wanted: string): boolean => kernels.some(({ entry }) => entry === wanted);
  if (isThere(name)) return name;
  if (isThere(plain)) return plain;
  const symbols = kernels.map(({ entry }) => entry).filter(entry => entry.startsWith('_Z'));
  return findSymbol(name, symbols) ?? name;
}

/**
 * Marks annotations that conflict with the first annotation of the same kernel, and marks that
 * first annotation.
 */
function withRivals(annotations: readonly AnnotationLine[]): readonly AnnotationLine[] {
  const firsts = new Map<string | undefined, AnnotationLine>();
  const rivals = new Map<AnnotationLine, AnnotationLine>();
  for (const annotation of annotations) {
    const first = firsts.get(annotation.entry);
    if (first === undefined) firsts.set(annotation.entry, annotation);
    else if (first.json.trim() !== annotation.json.trim()) {
      rivals.set(annotation, first);
      if (!rivals.has(first)) rivals.set(first, annotation);
    }
  }
  if (rivals.size === 0) return annotations;
  return annotations.map(annotation => {
    const rival = rivals.get(annotation);
    return rival === undefined
      ? annotation
      : { ...annotation, rival: { json: rival.json, line: rival.line } };
  });
}

/**
 * Returns the kernel that an annotation names, or undefined. Names of pre-pass and post-pass
 * launches are skipped.
 */
function namedEntry(json: string): string | undefined {
  const around = json.search(/"(?:before|after)"\s*:/);
  const named = /"entry"\s*:\s*"([^"]*)"/.exec(json);
  if (named === null || around < 0 || named.index < around) return named?.[1];
  const parsed = parseAnnotation(json);
  return parsed.ok ? parsed.value.entry : undefined;
}

const MARK = '// @gemm ';

export const annotationOf = (
  { annotations }: KernelText,
  entry: string,
): AnnotationLine | undefined => annotations.find(annotation => annotation.entry === entry);

/** Returns the first error if the kernel cannot be run. */
export const readKernelFile = (given: string, fileName: string, entry?: string): KernelFile =>
  readKernel(parseKernelText(given, fileName), entry);

/** Reads the kernel `wanted`, or by default the kernel of the first annotation. */
export function readKernel(file: KernelText, wanted?: string): KernelFile {
  const { fileName, target, kernels, annotations, foreign } = file;
  const fail = (path: string, reason: string): KernelFile => ({ ok: false, path, reason });
  const [first] = kernels;
  if (first === undefined) {
    const kind = target === 'wgsl' ? '@compute' : '__global__';
    const wanted = foreign === undefined ? `${kind} function` : 'kernel';
    return fail('', `${fileName} has no ${wanted}.`);
  }
  const isThere = (name: string): boolean =>
    kernels.some(({ entry }) => entry === siteOf(name, kernels));
  if (wanted !== undefined && !isThere(wanted)) return noKernel(fileName, wanted);
  const line = wanted === undefined ? annotations[0] : annotationOf(file, wanted);
  if (line === undefined) {
    const place =
      foreign?.kind === 'cubin'
        ? `${fileName}.json with {"problem":{...},"grid":[...],"block":[...],"args":[...]}`
        : 'a comment // @gemm {"problem":{...},"grid":[...],"block":[...],"args":[...]} above it';
    return fail(
      '@gemm',
      `${fileName} does not describe how to run ${wanted ?? first.entry}. Fix: add ${place}, or run \`gemm-explorer annotate\`.`,
    );
  }
  return readAnnotation(file, line);
}

export function readAnnotation(file: KernelText, line: AnnotationLine): KernelFile {
  const { fileName, kernels } = file;
  const annotation = parseAnnotation(line.json);
  const at = `${fileName}:${line.line + 1}`;
  if (!annotation.ok) {
    const path = dotted('@gemm', annotation.path);
    return { ok: false, path, reason: `${at}: ${annotation.reason}` };
  }
  const { entry = '', rival } = line;
  if (rival !== undefined && !isSameJson(line.json, rival.json)) {
    const reason = `${at}: ${entry} has a different @gemm comment in line ${rival.line + 1}. Fix: remove one of them, or name their kernels with "entry".`;
    return { ok: false, path: '@gemm', reason };
  }
  return kernels.some(kernel => kernel.entry === entry)
    ? build(annotation.value, file, entry)
    : noKernel(fileName, entry);
}

/** Tests whether two strings are the same JSON value, with object fields in any order. */
function isSameJson(one: string, other: string): boolean {
  const sorted = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  try {
    const [first, second] = [one, other].map(text => JSON.stringify(JSON.parse(text), sorted));
    return first === second;
  } catch {
    return false;
  }
}

const noKernel = (fileName: string, entry: string, path = '@gemm'): Unreadable => ({
  ok: false,
  path: `${path}.entry`,
  reason: `${fileName} has no kernel ${entry}.`,
});

const dotted = (before: string, path: string): string =>
  path === '' ? before : `${before}.${path}`;

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

function build(annotation: Annotation, file: KernelText, entry: string): KernelFile {
  const { workspaceBytes } = annotation;
  const { fileName, target } = file;
  // Analyze the kernel even if the device table lacks the device.
  const standIn = annotation.device === undefined ? undefined : closestDevice(annotation.device);
  const named = standIn === undefined ? {} : { device: standIn.device.id };
  const isOther = standIn !== undefined && standIn.device.id !== annotation.device;
  const decoded = decodeSpec({
    ...Object.fromEntries(Object.entries(annotation).filter(([key]) => !LAUNCH_KEYS.includes(key))),
    ...named,
  });
  if (!decoded.ok) {
    const [error] = decoded.errors;
    const reason = `${fileName}: ${error?.message ?? ''}`;
    return { ok: false, path: dotted('@gemm', error?.path ?? ''), reason };
  }
  const spec = resolve(decoded.spec);
  const owner = { target, problem: spec.problem, workspaceBytes };
  // The located name has no namespaces and template arguments.
  const main = launchOf({ ...annotation, entry: annotation.entry ?? entry }, file, owner, '@gemm');
  const around = (['before', 'after'] as const).map(when =>
    (annotation[when] ?? []).map((launch, i) =>
      launchOf(launch, file, owner, `@gemm.${when}.${i}`),
    ),
  );
  const [before = [], after = []] = around.map(launches => launches.filter(isLaunch));
  const wrong = [main, ...around.flat()].find(launch => !isLaunch(launch));
  if (wrong !== undefined && !isLaunch(wrong)) return wrong;
  if (!isLaunch(main)) return main;
  const state = file.state();
  const handWritten = state === 'foreign' || decoded.spec.schedule === undefined;
  return {
    ok: true,
    origin: handWritten ? 'hand-written' : state,
    runnable: {
      target,
      source: file.text,
      problem: spec.problem,
      ...main,
      ...(before.length === 0 ? {} : { before }),
      ...(after.length === 0 ? {} : { after }),
      ...(workspaceBytes === undefined ? {} : { workspaceBytes }),
      specKey: handWritten ? handWrittenKey(file, entry) : specKey(spec),
      ...(handWritten ? {} : { spec }),
      ...(file.foreign === undefined ? {} : { foreign: file.foreign }),
      ...(standIn === undefined
        ? {}
        : { device: { id: standIn.device.id, ...(isOther ? { why: standIn.why } : {}) } }),
    },
  };
}

type Unreadable = Extract<KernelFile, { readonly ok: false }>;

const isLaunch = (read: Launch | Unreadable): read is Launch => 'entry' in read;

/** Reads one launch of the file; `path` is its JSON path in the annotation. */
function launchOf(
  described: Pick<
    Annotation,
    'grid' | 'block' | 'args' | 'dynamicSharedBytes' | 'tensorMaps' | 'programmatic'
  > & {
    readonly entry: string;
  },
  { fileName, kernels }: KernelText,
  owner: MapOwner,
  path: string,
): Launch | Unreadable {
  const { entry, args, dynamicSharedBytes = 0, tensorMaps, programmatic } = described;
  const site = siteOf(entry, kernels);
  if (!kernels.some(kernel => kernel.entry === site)) return noKernel(fileName, entry, path);
  const grid = gridOf(described, owner.problem);
  if (!grid.ok) {
    const reason = `${fileName}: grid entry "${grid.entry}" is not a positive integer.`;
    return { ok: false, path: `${path}.grid.${grid.index}`, reason };
  }
  const block = blockOf(described);
  const launch: Launch = {
    entry,
    grid: grid.grid,
    block,
    dynamicSharedBytes,
    arguments: args,
    ...(tensorMaps === undefined ? {} : { tensorMaps }),
    ...(programmatic === undefined ? {} : { programmatic }),
  };
  const wrong = tensorMapProblem(launch, owner);
  return wrong === undefined
    ? launch
    : { ok: false, path: `${path}.${wrong.path}`, reason: `${fileName}: ${wrong.reason}` };
}

/**
 * Builds the run key from the file name, plus the kernel name if the annotations describe several
 * kernels, so that their keys differ.
 */
function handWrittenKey({ fileName, annotations }: KernelText, entry: string): string {
  const name = fileName.replace(/\.[^.]+$/, '');
  const described = new Set(annotations.map(annotation => annotation.entry));
  return described.size > 1 ? `${name}-${entry}` : name;
}
