/** Findings of runs that have a line of the kernel's file to stand on. */
import type { BackendId, Measurement } from '../../core/measure/measurement';

export interface ShownFinding {
  readonly backend: BackendId;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** Of the newest run of each backend, and of each kernel: what an older one found may be mended. */
export function shownFindings(runs: readonly Measurement[]): readonly ShownFinding[] {
  const newest = new Map(runs.map(run => [`${run.backend} ${run.specKey}`, run]));
  return [...newest.values()].flatMap(({ backend, findings = [] }) =>
    findings.flatMap(({ kind, line, message }) =>
      line === undefined ? [] : [{ backend, line, message: `${kind}: ${message}` }],
    ),
  );
}
