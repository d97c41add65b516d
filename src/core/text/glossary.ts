/**
 * Provides the glossary: the definition of each term, its value in a kernel, its names in other
 * libraries, and its source. glossary.json contains the definitions; hovers, the explorer and
 * docs/glossary.md display them. A library without an entry has no corresponding parameter.
 *
 * The names are from CUTLASS (`include/cutlass/gemm/threadblock/mma_base.h`,
 * `default_mma_core_simt.h`, profiler documentation and `examples/cute/tutorial/sgemm_sm80.cu`),
 * Triton (`python/tutorials/03-matrix-multiplication.py` and `triton.Config`), CLBlast
 * (`src/kernels/level3/xgemm_part1.opencl` and `xgemm_part3.opencl`), and siboehm/SGEMM_CUDA
 * (`src/kernels/`).
 */
import GLOSSARY from './glossary.json';

export const TERM_CATEGORIES = [
  'schedule',
  'hardware',
  'memory',
  'layouts',
  'techniques',
  'roofline',
] as const;
export type TermCategory = (typeof TERM_CATEGORIES)[number];

export const LIBRARIES = ['CUTLASS', 'CuTe', 'Triton', 'CLBlast', 'siboehm'] as const;

export interface Term {
  /** Key and page anchor, such as `block-tile-m`. */
  readonly id: string;
  readonly name: string;
  readonly category: TermCategory;
  readonly definition: string;
  /**
   * Value of the term in a kernel, in which `{schedule.block.m}` is a placeholder for a spec value.
   */
  readonly inKernel?: string;
  /** JSON paths of the term's value in a spec. */
  readonly paths?: readonly string[];
  /**
   * Identifiers of the term in CUDA, PTX and WGSL source. A PTX prefix matches all instructions
   * with this prefix.
   */
  readonly words?: readonly string[];
  readonly elsewhere?: Readonly<Partial<Record<(typeof LIBRARIES)[number], string>>>;
  readonly source: string;
}

export const TERMS = GLOSSARY as readonly Term[];

const BY_WORD: ReadonlyMap<string, Term> = new Map(
  TERMS.flatMap(term => (term.words ?? []).map(word => [word, term] as const)),
);
const BY_ID: ReadonlyMap<string, Term> = new Map(TERMS.map(term => [term.id, term]));

export const termById = (id: string): Term | undefined => BY_ID.get(id);

/**
 * Returns the term of an identifier in kernel source, or undefined for an unknown identifier. The
 * comparison is case-sensitive. For a dotted PTX instruction, the longest known prefix determines
 * the term: `cp.async.bulk.tensor.2d` is TMA, `cp.async.cg` is `cp.async`.
 */
export function termOfWord(word: string): Term | undefined {
  const parts = word.split(/(?=[.:])/);
  for (let length = parts.length; length > 0; length--) {
    const term = BY_WORD.get(parts.slice(0, length).join(''));
    if (term !== undefined) return term;
  }
  return undefined;
}

/** Returns the term whose value is at a spec path or below it, or undefined if there is none. */
export const termOfPath = (path: string): Term | undefined =>
  TERMS.find(({ paths = [] }) => paths.includes(path)) ??
  TERMS.find(
    ({ paths = [] }) => !GROUPS.has(path) && paths.some(known => known.startsWith(`${path}.`)),
  );

/** Spec paths that contain several terms and therefore match only exactly. */
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

export const namesElsewhere = ({ elsewhere = {} }: Term): readonly (readonly [string, string])[] =>
  LIBRARIES.flatMap(library => {
    const name = elsewhere[library];
    return name === undefined ? [] : [[library, name] as const];
  });

/**
 * Fills the placeholders of `inKernel` with the values of a kernel. Returns null if `inKernel` is
 * absent or a value is missing.
 */
export function inKernelText(
  { inKernel }: Term,
  valueOf: (key: string) => string | undefined,
): string | null {
  if (inKernel === undefined) return null;
  const keys = [...inKernel.matchAll(/\{([^}]+)\}/g)].map(match => match[1] ?? '');
  if (keys.some(key => valueOf(key) === undefined)) return null;
  return inKernel.replace(/\{([^}]+)\}/g, (_, key: string) => valueOf(key) ?? '');
}
