/** Findings of runs that refer to a line in the kernel file. */
import type { BackendId, Measurement } from '../../core/measure/measurement';

export interface ShownFinding {
  readonly backend: BackendId;
  /** One-based line number. */
  readonly line: number;
  readonly message: string;
}

/**
 * Returns the findings of the newest run per backend and kernel, because older findings may be
 * fixed.
 */
export function newestFindings(runs: readonly Measurement[]): readonly ShownFinding[] {
  const newest = new Map(runs.map(run => [`${run.backend} ${run.specKey}`, run]));
  return [...newest.values()].flatMap(({ backend, findings = [] }) =>
    findings.flatMap(({ id, line, message }) =>
      line === undefined ? [] : [{ backend, line, message: `${id}: ${message}` }],
    ),
  );
}
