/** Ids of the judge's findings, and which of them reject a kernel. */
import type { RunFinding } from '../../measure/measurement';

/** Findings about the result of a launch. */
export const RESULT_IDS = [
  'output-not-written',
  'output-partly-written',
  'output-not-finite',
  'constant-output',
  'copied-input',
  'repeated-output',
  'skipped-products',
  'write-outside',
  'input-modified',
  'low-precision',
] as const;

/** Findings about later launches of a kernel whose first launch is correct. */
export const LAUNCH_IDS = [
  'skipped-launch',
  'cached-result',
  'cached-operand',
  'keeps-output',
  'fixed-inputs',
  'changes-between-launches',
] as const;

/** Findings about the measured time. */
export const TIME_IDS = [
  'implausible-time',
  'repeated-inputs-faster',
  'unfinished-work',
  'work-outside-timer',
  'persisting-l2',
] as const;

/** Remarks, which do not reject a kernel. */
export const NOTE_IDS = ['not-deterministic', 'host-code-not-run'] as const;

export type JudgeId =
  | (typeof RESULT_IDS)[number]
  | (typeof LAUNCH_IDS)[number]
  | (typeof TIME_IDS)[number]
  | (typeof NOTE_IDS)[number];

export const JUDGE_IDS: readonly JudgeId[] = [
  ...RESULT_IDS,
  ...LAUNCH_IDS,
  ...TIME_IDS,
  ...NOTE_IDS,
];

export interface JudgeFinding extends RunFinding {
  readonly id: JudgeId;
}

const NOTES: readonly string[] = NOTE_IDS;

/** Returns whether a finding rejects the kernel; notes do not. */
export const rejects = ({ id }: Pick<RunFinding, 'id'>): boolean => !NOTES.includes(id);
