/** The run history of a folder, decoded. */
import { decodeHistory } from '../../src/core/measure/history';
import type { Measurement } from '../../src/core/measure/measurement';
import { readRuns as readFiles } from '../../src/host/runs';

export interface Runs {
  readonly measurements: readonly Measurement[];
  readonly skippedLines: number;
}

export async function readRuns(root: string): Promise<Runs> {
  const { runs, damaged } = decodeHistory(await readFiles(root));
  return {
    measurements: runs.map(({ measurement }) => measurement),
    skippedLines: damaged.length,
  };
}
