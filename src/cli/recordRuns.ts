/** `--record DIR`: appends the runs of a command to the history in `DIR/.gemm/runs`. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { runsFileName } from '../core/measure/history';
import { runLine } from '../core/measure/historyLine';
import type { Measurement } from '../core/measure/measurement';
import { nextOrder } from '../core/measure/runOrder';
import { runOrigin } from '../host/runOrigin';
import { appendLines } from '../host/runHistoryFiles';
import type { Context } from './command';
import { invalidInput } from './result';
import { measurementsOf } from './runHistory';

export interface RecordChoice {
  /** Absolute path of an existing folder. */
  readonly root: string;
  /** Whether to store the host name and the author. */
  readonly names: boolean;
}

export const record = {
  type: 'string',
  valueHint: 'DIR',
  description: 'Append the runs to the history of this folder (DIR/.gemm/runs)',
} as const;

export const recordNames = {
  type: 'boolean',
  description: "With --record: also store git's user.name and the host name",
} as const;

/** Reads the options before the measurement, so that a wrong folder costs no time. */
export async function recordChoice(options: {
  readonly record?: string | undefined;
  readonly 'record-names'?: boolean | undefined;
}): Promise<RecordChoice | undefined> {
  const names = options['record-names'] === true;
  if (options.record === undefined) {
    if (names) throw invalidInput('--record-names requires --record DIR. Fix: add --record DIR.');
    return undefined;
  }
  const root = path.resolve(options.record);
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory() === true) return { root, names };
  throw invalidInput(`--record: '${root}' is not a folder. Fix: create it, or choose another.`);
}

/** Appends runs that have a result. Throws if a run could not be written. */
export async function recordRuns(
  measurements: readonly Measurement[],
  choice: RecordChoice | undefined,
  { abort, note }: Context,
): Promise<void> {
  const ran = measurements.filter(
    ({ outcome }) => outcome !== 'unavailable' && outcome !== 'cancelled',
  );
  if (choice === undefined || ran.length === 0) return;
  const { root, names } = choice;
  const known = [...(await measurementsOf(root))];
  const origin = await runOrigin(root, { names, signal: abort });
  for (const measurement of ran) {
    const now = new Date();
    const order = nextOrder(known, now.getTime());
    const run = { ...measurement, at: now.toISOString(), origin: { ...origin, order } };
    const file = runsFileName(run.specKey);
    const written = await appendLines(root, file, [runLine(randomUUID(), run)]);
    if ('failed' in written) throw invalidInput(`The run was not recorded: ${written.failed}`);
    known.push(run);
  }
  note(`Recorded in ${path.join(root, '.gemm', 'runs')}: ${ran.length}.`);
}
