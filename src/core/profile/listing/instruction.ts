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
 * Class of an instruction:
 * - `fma`: FMA of the GEMM on any scalar pipe
 * - `integer`: address, index, predicate or move instruction
 * - `local`: access to spilled registers or dynamically indexed arrays
 * - `async-copy`: copy from global to shared memory
 */
export type InstructionClass = (typeof INSTRUCTION_CLASSES)[number];

/** Source line (one-based); `file` is the path that was passed to the compiler. */
export interface SourceLine {
  readonly file: string;
  readonly line: number;
}

export interface Instruction {
  /** Line in the listing (zero-based). */
  readonly line: number;
  /** Opcode with modifiers, such as `ld.shared.v4.f32` or `LDS.128`. */
  readonly opcode: string;
  readonly kind: InstructionClass;
  /** Bytes per thread of a memory access. */
  readonly widthBytes?: number;
  /** Elements per packed FMA, such as 2 for `f16x2`; omitted for scalar FMAs. */
  readonly lanes?: number;
  readonly predicated: boolean;
  /** Predicate in PTX, such as `@!%p1`. */
  readonly guard?: string;
  readonly operands?: string;
  /** Index of the branch target; omitted if the target is unknown. */
  readonly target?: number;
  /** True if control cannot fall through, as after an unconditional branch or a return. */
  readonly ends: boolean;
  /** Source lines, innermost first: the line in an inlined function precedes its call site. */
  readonly from: readonly SourceLine[];
}

export interface Listing {
  readonly language: 'ptx' | 'sass';
  /** Demangled kernel name. */
  readonly entry: string;
  readonly symbol: string;
  /** First line of the kernel in the listing (zero-based). */
  readonly first: number;
  readonly last: number;
  readonly instructions: readonly Instruction[];
  /** True if the listing is truncated within this kernel. */
  readonly cut: boolean;
}

/** Instruction whose branch target is still a label. */
export type Drafted = Omit<Instruction, 'target'> & { readonly label?: string };

/**
 * Resolves branch labels to instruction indices. Inline-assembly blocks repeat label names, so the
 * nearest label is used.
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
