/** Histories of the run history for tests: files as texts, and a clock that the test moves. */
import { NOT_VERIFIED, type Measurement } from '../../src/core/measure/measurement';
import type { ListedFile } from '../../src/core/measure/historyFile';
import {
  createHistoryReader,
  HISTORY_LIMITS,
  type FolderHistory,
} from '../../src/core/measure/historyReader';
import type { EventLoop } from '../../src/core/measure/timeSlices';

export const measurement = (specKey: string, at?: string): Measurement => ({
  specKey,
  kernelKey: 'abc',
  resolved: null,
  backend: 'simulate',
  device: { name: 'd', adapter: 'a', driver: 'v', where: 'cli' },
  outcome: 'correct',
  verification: { ...NOT_VERIFIED, reference: 'f64', samples: 1 },
  ...(at === undefined ? {} : { at }),
});

/** A line as versions without ids wrote it. */
export const oldLine = (key: string, at?: string): string => JSON.stringify(measurement(key, at));

/** Time stands still: nothing is ever paused. */
export const NO_TURNS: EventLoop = { now: () => 0, pause: () => Promise.resolve() };

/** `size` characters a chunk, so that lines lie across chunks. */
export function listed(name: string, text: string, size = 2 ** 18, changedMs = 0): ListedFile {
  async function* chunks(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += size) {
      yield await Promise.resolve(text.slice(at, at + size));
    }
  }
  return { name, bytes: text.length, changedMs, stamp: `${text.length} ${changedMs}`, chunks };
}

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** What one folder with these files holds. */
export async function historyOf(
  files: readonly TextFile[],
  { turns = NO_TURNS, limits = HISTORY_LIMITS, chunk = 2 ** 18 } = {},
): Promise<FolderHistory> {
  const folder = { files: files.map(file => listed(file.name, file.text, chunk)), unread: [] };
  const found = await createHistoryReader(turns, limits).read(new Map([['', folder]]));
  return found.get('') ?? { runs: [], damaged: [], unread: [] };
}
