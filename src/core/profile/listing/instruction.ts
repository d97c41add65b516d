/** Instructions of a compiled kernel (PTX or SASS) with their class and source line. */

export const INSTRUCTION_CLASSES = [
  'fma',
  'mma',
  'arithmetic',
  'integer',
  'conversion',
  'shared-load',
  'shared-store',
  'global-load',
  'global-store',
  'local',
  'async-copy',
  'barrier',
  'branch',
  'other',
] as const;

/**
 * `fma`: FMAs of the GEMM, on any scalar pipe. `integer`: addresses, indices, predicates and moves.
 * `local`: spilled registers and dynamically indexed arrays. `async-copy`: from global to shared
 * memory.
 */
export type InstructionClass = (typeof INSTRUCTION_CLASSES)[number];

/** A source line, from 1; `file` as passed to the compiler. */
export interface SourceLine {
  readonly file: string;
  readonly line: number;
}

export interface Instruction {
  /** Line of the listing, from 0. */
  readonly line: number;
  /** With its modifiers: `ld.shared.v4.f32`, `LDS.128`. */
  readonly opcode: string;
  readonly kind: InstructionClass;
  /** Bytes per thread of a memory access. */
  readonly widthBytes?: number;
  /** Elements per thread of a packed FMA: 2 for packed halves; omitted for one. */
  readonly lanes?: number;
  /** Executed under a predicate. */
  readonly predicated: boolean;
  /** Predicate in PTX, such as `@!%p1`. */
  readonly guard?: string;
  /** Text after the opcode. */
  readonly operands?: string;
  /** Index of a branch's target instruction; omitted if the listing does not determine it. */
  readonly target?: number;
  /** Does not fall through: an unconditional branch, a return. */
  readonly ends: boolean;
  /** Innermost first: an inlined function, then its call site. */
  readonly from: readonly SourceLine[];
}

/** One kernel of a listing. */
export interface Listing {
  readonly language: 'ptx' | 'sass';
  /** Plain name. */
  readonly entry: string;
  /** Mangled name. */
  readonly symbol: string;
  /** First and last line of the listing, from 0. */
  readonly first: number;
  readonly last: number;
  readonly instructions: readonly Instruction[];
  /** The text is truncated within the kernel. */
  readonly cut: boolean;
}

/** An instruction whose branch refers to a label. */
export type Drafted = Omit<Instruction, 'target'> & { readonly label?: string };

/**
 * Resolves labels to indices: to the nearest label, because blocks of inline assembly repeat names.
 */
export const withTargets = (
  drafts: readonly Drafted[],
  labels: ReadonlyMap<string, readonly number[]>,
): readonly Instruction[] =>
  drafts.map(({ label, ...draft }, at) => {
    const places = label === undefined ? [] : (labels.get(label) ?? []);
    const distance = (place: number): number => Math.abs(place - at);
    const [target] = places.toSorted((one, other) => distance(one) - distance(other));
    return target === undefined || target >= drafts.length ? draft : { ...draft, target };
  });

export function addLabel(labels: Map<string, number[]>, label: string, at: number): void {
  const places = labels.get(label) ?? [];
  labels.set(label, [...places, at]);
}
