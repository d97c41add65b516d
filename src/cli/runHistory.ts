/** Reads the run history of a workspace folder. */
import path from 'node:path';
import { stat } from 'node:fs/promises';
import { RUNS_PATH } from '../core/measure/history';
import { createHistoryReader } from '../core/measure/historyReader';
import type { Measurement } from '../core/measure/measurement';
import { listRuns } from '../host/runHistoryFiles';

/** Returns the measurements in `.gemm/runs` below `root`, from oldest to newest. */
export async function measurementsOf(root: string): Promise<readonly Measurement[]> {
  const reader = createHistoryReader({
    now: () => performance.now(),
    pause: () => new Promise(resolve => setImmediate(resolve)),
  });
  const histories = await reader.read(new Map([[root, await listRuns(root)]]));
  return histories.get(root)?.runs.map(({ measurement }) => measurement) ?? [];
}

/** Returns the nearest folder at or above `folder` with a run history; undefined without one. */
export async function historyRoot(folder: string): Promise<string | undefined> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const found = await stat(path.join(at, ...RUNS_PATH)).catch(() => undefined);
    if (found !== undefined) return at;
    if (at === path.dirname(at)) return undefined;
  }
}
