/**
 * Declares a published tutorial: the figures that it states, the functions that compute them here,
 * and the kernels that reproduce its own.
 */
import type { DeviceId } from '../hardware/devices';
import type { Measurement } from '../measure/measurement';
import type { GemmSpec, Schedule } from '../spec/schema';

export const TUTORIAL_NAMES = ['hierarchy', 'cute', 'ratios', 'worklog', 'loops'] as const;
export type TutorialName = (typeof TUTORIAL_NAMES)[number];

export type Value = string | number;

/** Reason why a figure cannot be computed here, such as a missing compiler. */
export interface Missing {
  readonly missing: string;
}

/**
 * - `equal`: must be equal, numbers at the precision of the tutorial
 * - `within`: must be within `tolerancePercent`
 * - `reported`: may differ, because it depends on a compiler, a version or a convention
 */
export type RowKind = 'equal' | 'within' | 'reported';

export interface Row {
  /** Identifies the item of the tutorial; several rows may belong to one item. */
  readonly row: string;
  /** Unique within the tutorial. */
  readonly id: string;
  readonly text: string;
  readonly kind: RowKind;
  /** Figure of the tutorial; null if it only describes the quantity. */
  readonly theirs: Value | null;
  readonly unit?: string;
  /** Decimal places of the tutorial's number; default 0. */
  readonly decimals?: number;
  readonly tolerancePercent?: number;
  readonly note?: string;
  readonly ours: (facts: Facts) => Value | Missing;
}

export type Problem = GemmSpec['problem'];

/** Rate that the tutorial states for one size. */
export interface StatedRate {
  readonly gflops: number;
  readonly milliseconds?: number;
  /** Rate of the library that the tutorial compares with. */
  readonly libraryGflops?: number;
}

export interface TutorialKernel {
  readonly row: string;
  readonly id: string;
  readonly text: string;
  readonly schedule: Schedule;
  /** Schedule for WGSL adapters with small workgroup limits. */
  readonly small?: Schedule;
  /** Problem at which the result is verified. Every backend supports its size. */
  readonly verified: Problem;
  /** Present if the kernel is timed and predicted. */
  readonly rates?: {
    /** Item of the tutorial that states the rates; default: the kernel's. */
    readonly row?: string;
    readonly problem: (size: number) => Problem;
    /** Rates of the tutorial by size; empty if it states none. */
    readonly theirs: Readonly<Record<number, StatedRate>>;
  };
  /** Whether registers and PTX of this kernel are rows. */
  readonly compiled?: true;
}

/** A loop nest or another listing of the report. */
export interface Listing {
  readonly row: string;
  readonly title: string;
  readonly text: string;
  /** Complete program of the listing. */
  readonly file: { readonly name: string; readonly text: string };
}

export interface Tutorial {
  readonly name: TutorialName;
  readonly title: string;
  readonly reproduces: string;
  /** GPU of the tutorial's measurements; null if it states no times. */
  readonly gpu: DeviceId | null;
  /** Sizes of the rates: M = N = K. Empty if the tutorial has no kernel to time. */
  readonly sizes: readonly number[];
  readonly kernels: readonly TutorialKernel[];
  /** Analyzes the kernels, so a list of tutorials does not call it. */
  readonly rows: () => readonly Row[];
  readonly listings: readonly Listing[];
}

/** Resources and PTX of a compiled kernel. */
export interface CompiledKernel {
  readonly registers: number;
  readonly sharedBytes: number;
  /** Bytes of all constant banks; 0 if the compiler does not report them. */
  readonly constantBytes: number;
  readonly ptx: string;
  /** FMAs per load from shared memory in the main loop of the PTX; null without such loads. */
  readonly fmaPerSharedLoad: number | null;
}

/** Facts that rows cannot compute: runs and compilations. */
export interface Facts {
  /** Verification run by kernel id. */
  readonly verified: ReadonlyMap<string, Measurement>;
  /** Compiled kernel by kernel id. */
  readonly compiled: ReadonlyMap<string, CompiledKernel>;
  /** Reason why no kernel was compiled; null if compilation was attempted. */
  readonly notCompiled: string | null;
}

export const cube = (size: number): Problem => ({ m: size, n: size, k: size });
