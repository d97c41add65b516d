/** Run that represents the active kernel source or spec. */
import type * as vscode from 'vscode';
import type { Measurement } from '../../core/measure/measurement';
import { isTooLong } from '../documents/selectors';
import { isKernel, isSpec, kernelTextOf } from '../documents/kernelDocument';
import type { FollowedKernel } from '../documents/ownKernel';
import { shownOf, type Shown } from '../documents/shown';
import { runAt, runOfSource, runOfSpec } from './kernelRun';

export interface ActiveParts {
  readonly runs: () => readonly Measurement[];
  /** Content of the explorer, used if no kernel or spec document is active. */
  readonly shown: () => Shown | undefined;
  readonly followed: () => FollowedKernel | undefined;
}

/**
 * Returns the run that represents the active kernel or spec.
 * @param document active document if it is a kernel or spec; undefined otherwise, such as in the
 * explorer
 * @param line zero-based line of the cursor, which selects the kernel of the document
 */
export function activeRun(
  document: vscode.TextDocument | undefined,
  line: number,
  parts: ActiveParts,
): Measurement | undefined {
  const runs = parts.runs();
  if (document === undefined) {
    const { runnable } = parts.followed() ?? {};
    if (runnable !== undefined) return runOfSource(runnable, runs);
    const shown = parts.shown();
    return shown === undefined ? undefined : runOfSpec(shown.spec, runs);
  }
  if (runs.length === 0 || isTooLong(document)) return undefined;
  if (isKernel(document)) return runAt(kernelTextOf(document), line, runs);
  const read = isSpec(document) ? shownOf(document) : undefined;
  return read?.ok === true ? runOfSpec(read.shown.spec, runs) : undefined;
}
