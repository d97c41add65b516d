/**
 * The glossary: each term with its definition, its value in a kernel, its names in other libraries
 * and its source. glossary.json contains all definitions; hovers, the explorer and docs/glossary.md
 * read it.
 * A library without an entry has no such parameter. The sources of the names are CUTLASS
 * `include/cutlass/gemm/threadblock/mma_base.h`, `default_mma_core_simt.h`, its profiler's
 * documentation and `examples/cute/tutorial/sgemm_sm80.cu`; Triton
 * `python/tutorials/03-matrix-multiplication.py` and `triton.Config`; CLBlast
 * `src/kernels/level3/xgemm_part1.opencl` and `xgemm_part3.opencl`; siboehm/SGEMM_CUDA
 * `src/kernels/`.
 */
import GLOSSARY from './glossary.json';

export const TERM_CATEGORIES = [
  'schedule',
  'hardware',
  'memory',
  'techniques',
  'roofline',
] as const;
export type TermCategory = (typeof TERM_CATEGORIES)[number];

/** Libraries whose names the glossary lists, in this order. */
export const LIBRARIES = ['CUTLASS', 'CuTe', 'Triton', 'CLBlast', 'siboehm'] as const;

export interface Term {
  /** Key and anchor, such as `block-tile-m`. */
  readonly id: string;
  readonly name: string;
  readonly category: TermCategory;
  /** One sentence. */
  readonly definition: string;
  /** The term in one kernel; `{schedule.block.m}` is replaced by the value of that key. */
  readonly inKernel?: string;
  /** JSON paths in a spec that hold its value. */
  readonly paths?: readonly string[];
  /** Identifiers of the term in CUDA, PTX and WGSL text; a PTX prefix covers all its variants. */
  readonly words?: readonly string[];
  /** Names of the term in other libraries. */
  readonly elsewhere?: Readonly<Partial<Record<(typeof LIBRARIES)[number], string>>>;
  readonly source: string;
}

export const TERMS = GLOSSARY as readonly Term[];

const BY_WORD: ReadonlyMap<string, Term> = new Map(
  TERMS.flatMap(term => (term.words ?? []).map(word => [word, term] as const)),
);
const BY_ID: ReadonlyMap<string, Term> = new Map(TERMS.map(term => [term.id, term]));

/** Returns the term with that id. */
export const termById = (id: string): Term | undefined => BY_ID.get(id);

/**
 * Finds the term of a word in a kernel's text; names are case-sensitive, as identifiers are. The longest known prefix
 * of a dotted PTX instruction counts: `cp.async.bulk.tensor.2d` is TMA, `cp.async.cg` is `cp.async`.
 */
export function termOfWord(word: string): Term | undefined {
  const parts = word.split(/(?=[.:])/);
  for (let length = parts.length; length > 0; length--) {
    const term = BY_WORD.get(parts.slice(0, length).join(''));
    if (term !== undefined) return term;
  }
  return undefined;
}

/** Finds the term whose value is at a path of a spec, or below it. */
export const termOfPath = (path: string): Term | undefined =>
  TERMS.find(({ paths = [] }) => paths.includes(path)) ??
  TERMS.find(
    ({ paths = [] }) => !GROUPS.has(path) && paths.some(known => known.startsWith(`${path}.`)),
  );

/** Groups of several terms: each term has a separate path. */
const GROUPS = new Set([
  'schedule',
  'schedule.block',
  'schedule.warp',
  'schedule.thread',
  'problem',
  'problem.a',
  'problem.b',
  'problem.c',
]);

/** Returns the libraries that have a name for the term, and the names. */
export const namesElsewhere = ({ elsewhere = {} }: Term): readonly (readonly [string, string])[] =>
  LIBRARIES.flatMap(library => {
    const name = elsewhere[library];
    return name === undefined ? [] : [[library, name] as const];
  });

/** Fills the values of one kernel into `inKernel`; null if the term has none or a value is missing. */
export function inKernelText(
  { inKernel }: Term,
  valueOf: (key: string) => string | undefined,
): string | null {
  if (inKernel === undefined) return null;
  const keys = [...inKernel.matchAll(/\{([^}]+)\}/g)].map(match => match[1] ?? '');
  if (keys.some(key => valueOf(key) === undefined)) return null;
  return inKernel.replace(/\{([^}]+)\}/g, (_, key: string) => valueOf(key) ?? '');
}
