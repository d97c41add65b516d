/** The run history of a folder, decoded. */
import { createHistoryReader, type FolderHistory } from '../../src/core/measure/historyReader';
import type { Measurement } from '../../src/core/measure/measurement';
import { listRuns } from '../../src/host/runHistoryFiles';
import { NO_TURNS } from './history';

export interface Runs {
  readonly measurements: readonly Measurement[];
  readonly skippedLines: number;
}

export async function readHistory(root: string): Promise<FolderHistory> {
  const found = await createHistoryReader(NO_TURNS).read(new Map([['', await listRuns(root)]]));
  return found.get('') ?? { runs: [], damaged: [], unread: [] };
}

export async function readRuns(root: string): Promise<Runs> {
  const { runs, damaged } = await readHistory(root);
  return {
    measurements: runs.map(({ measurement }) => measurement),
    skippedLines: damaged.length,
  };
}
