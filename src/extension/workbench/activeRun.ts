/** Newest run of the active kernel source or spec. */
import type * as vscode from 'vscode';
import type { Measurement } from '../../core/measure/measurement';
import type { GemmSpec } from '../../core/spec/schema';
import { isTooLong } from '../documents/selectors';
import { isKernel, isSpec, kernelTextOf } from '../documents/kernelDocument';
import { isRunOf } from '../runs/lensText';
import type { FollowedKernel } from '../documents/ownKernel';
import { shownOf, type Shown } from '../documents/shown';
import { newestOfSpec } from '../documents/specRuns';

export interface ActiveParts {
  readonly runs: () => readonly Measurement[];
  /** Content of the explorer, used if no kernel or spec document is active. */
  readonly shown: () => Shown | undefined;
  readonly followed: () => FollowedKernel | undefined;
}

/**
 * @param document active document if it is a kernel or spec; undefined otherwise, such as in the
 * explorer
 */
export function activeRun(
  document: vscode.TextDocument | undefined,
  parts: ActiveParts,
): Measurement | undefined {
  const runs = parts.runs();
  if (document === undefined) {
    const { runnable } = parts.followed() ?? {};
    if (runnable !== undefined) return runs.findLast(isRunOf(runnable.source, runnable.specKey));
    const shown = parts.shown();
    return shown === undefined ? undefined : newestOf(shown.spec, runs);
  }
  if (runs.length === 0 || isTooLong(document)) return undefined;
  if (isKernel(document)) return runs.findLast(isRunOf(kernelTextOf(document).text));
  const read = isSpec(document) ? shownOf(document) : undefined;
  return read?.ok === true ? newestOf(read.shown.spec, runs) : undefined;
}

const newestOf = (spec: GemmSpec, runs: readonly Measurement[]): Measurement | undefined =>
  newestOfSpec(spec, runs).findLast(({ stale }) => !stale)?.run;
