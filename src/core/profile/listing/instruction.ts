/** Instructions of a compiled kernel, whether PTX or SASS: what each does, and where it came from. */

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
 * `fma`: multiply-adds of the product, on whatever pipe of scalars. `integer`: addresses, indices, predicates and moves.
 * `local`: spilled registers and arrays that are indexed at run time. `async-copy`: from global to shared memory.
 */
export type InstructionClass = (typeof INSTRUCTION_CLASSES)[number];

/** A line of the source, counted from 1; `file` as the compiler was given it. */
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
  /** Of an access to memory: bytes that a thread moves. */
  readonly widthBytes?: number;
  /** Elements that one instruction multiplies and adds in a thread: 2 of packed halves; absent for one. */
  readonly lanes?: number;
  /** Executed where a predicate holds. */
  readonly predicated: boolean;
  /** Of PTX: the predicate, such as `@!%p1`. */
  readonly guard?: string;
  /** What follows the opcode. */
  readonly operands?: string;
  /** Of a branch: index of the instruction it goes to; absent where the listing does not say. */
  readonly target?: number;
  /** No instruction after it is reached from it: an unconditional branch, a return. */
  readonly ends: boolean;
  /** Innermost first: an inlined function, then where it was called. */
  readonly from: readonly SourceLine[];
}

/** One kernel of a listing. */
export interface Listing {
  readonly language: 'ptx' | 'sass';
  /** Plain name. */
  readonly entry: string;
  /** As the compiler mangled it. */
  readonly symbol: string;
  /** First and last line of the listing, from 0. */
  readonly first: number;
  readonly last: number;
  readonly instructions: readonly Instruction[];
  /** The text ends before the kernel does. */
  readonly cut: boolean;
}

/** An instruction whose branch still names a label. */
export type Drafted = Omit<Instruction, 'target'> & { readonly label?: string };

/** Branches get the place of their label: the nearest, where blocks of inline assembly name several alike. */
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
