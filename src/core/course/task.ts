/** Tasks of the course: files with holes, each with the rules that check the filled file. */
import type { LoopNest, LoopProblem } from '../nests/nest';
import type { GemmSpec, Target } from '../spec/schema';
import type { NestFacts } from './nestFacts';
import type { SpecFacts } from './specFacts';

/** Mark of a hole in a `.loops` or `.gemm.json` file. */
export const HOLE = '___';
/** Mark of a hole in the source code of a kernel. */
export const CODE_HOLE = '/* ___ */';

/** A requirement of a task, checked on a file that is legal and computes C correctly. */
export interface Goal {
  readonly isMet: boolean;
  /** Sentence with the numbers of the checked file and of the goal. */
  readonly text: string;
}

/** A typical incorrect answer; `names` is a part of the message that the check reports for it. */
export interface Mistake {
  /** One answer per hole, in order. */
  readonly answers: readonly string[];
  readonly names: string;
}

interface Common {
  /** Name of the task file without its ending, such as `01-loop-order`. */
  readonly id: string;
  readonly title: string;
  /** Statement, one sentence per line. */
  readonly statement: readonly string[];
  /** Two hints; the second one is more specific. */
  readonly hints: readonly [string, string];
  /** Answer per hole. */
  readonly solution: readonly string[];
  readonly mistakes: readonly Mistake[];
}

/** A loop nest in text form (nests/text.ts). */
export interface NestTask extends Common {
  readonly kind: 'nest';
  /** Nest with holes; lines are indented loops. */
  readonly template: string;
  readonly problem: LoopProblem;
  readonly goals: (facts: NestFacts) => readonly Goal[];
}

/** A spec; holes are JSON strings that are replaced with JSON values. */
export interface SpecTask extends Common {
  readonly kind: 'spec';
  /** Spec with the string `___` at each hole. */
  readonly template: unknown;
  /** Problem shape at which the kernel is simulated; the shape of the spec by default. */
  readonly simulateAt?: Readonly<Record<'m' | 'n' | 'k', number>>;
  readonly goals: (facts: SpecFacts) => readonly Goal[];
}

/** Values of the variables of an expression; the check evaluates it for all combinations. */
export type Ranges = Readonly<Record<string, readonly number[]>>;

export type CodeHole =
  /** An integer expression, compared with the solution for all values of its variables. */
  | {
      readonly kind: 'expression';
      readonly of: string;
      readonly ranges: Ranges;
      /** Tests whether one thread can have these values; by default all are compared. */
      readonly isPossible?: (values: ReadonlyMap<string, number>) => boolean;
      /** Sentence for each name that is not available, but often used. */
      readonly advice?: Readonly<Record<string, string>>;
    }
  /** A statement or literal that is compared as text. `accepts` are equivalent texts. */
  | {
      readonly kind: 'text';
      readonly accepts?: readonly string[];
      /** Explanations of typical incorrect texts. */
      readonly known: readonly { readonly text: string; readonly why: string }[];
    };

/** Part of the emitted source that a hole replaces. */
export interface Cut {
  /** Text around the hole, which occurs in the source. */
  readonly within: string;
  /** Occurrence of `within`, counted from 1; default 1. */
  readonly occurrence?: number;
  /** Part of `within` that the hole replaces. */
  readonly removes: string;
}

/** Holes of one language of a kernel task. */
export interface CodeVersion {
  readonly cuts: readonly Cut[];
  readonly holes: readonly CodeHole[];
}

/** A generated kernel; the holes are cut out of the emitted text. */
export interface KernelTask extends Common {
  readonly kind: 'kernel';
  readonly source: KernelSource;
  readonly cuda: CodeVersion;
  /** The same task in WGSL; its solution is the text that is cut out. */
  readonly wgsl?: CodeVersion;
}

export type KernelSource =
  { readonly spec: GemmSpec } | { readonly nest: LoopNest; readonly problem: LoopProblem };

export type Task = NestTask | SpecTask | KernelTask;

/** Returns the names of the files of a task, the main file first. */
export function fileNamesOf(task: Task): readonly string[] {
  switch (task.kind) {
    case 'nest':
      return [`${task.id}.loops`];
    case 'spec':
      return [`${task.id}.gemm.json`];
    case 'kernel':
      return [`${task.id}.cu`, ...(task.wgsl === undefined ? [] : [`${task.id}.wgsl`])];
  }
}

export const targetOf = (fileName: string): Target =>
  fileName.endsWith('.wgsl') ? 'wgsl' : 'cuda';
