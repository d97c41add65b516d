/** Tuning on a cluster from the editor, with the job in the workspace folder. */
import path from 'node:path';
import { mergeLines } from '../../core/measure/mergeLines';
import { resolve } from '../../core/defaults/resolve';
import { lineKey, problemId, readTaskJournal } from '../../core/search/tune/journal';
import type { DispatchRow } from '../../core/defaults/dispatch/row';
import { findRowsRoot, readRows } from '../../host/dispatch';
import { followJob } from '../../host/slurm/follow';
import { readJournals } from '../../host/slurm/journals';
import { cancelJobs, findSlurm } from '../../host/slurm/programs';
import { idsOf, submitJob } from '../../host/slurm/submissions';
import type { SearchOptions } from '../../host/executables';
import type { ClusterContext, ClusterEnd, WantedClusterTune } from '../abilities';

export interface ClusterTune extends Omit<WantedClusterTune, 'root'> {
  readonly root: string;
  readonly search: SearchOptions;
  /** Folder of the bundles. */
  readonly dist: string;
}

const failed = (message: string): ClusterEnd => ({ ok: false, detached: false, message });

export async function tuneOnCluster(
  { root, spec, options, objective, version, search, dist }: ClusterTune,
  { signal, progress }: ClusterContext,
): Promise<ClusterEnd> {
  const located = findSlurm(search);
  if (!located.ok) return failed(located.message);
  const { slurm } = located;
  const rows = await rowsOf(root);
  const submitted = await submitJob(
    slurm,
    {
      root,
      job: {
        slurm: 1,
        version,
        kind: 'tune',
        spec,
        backend: 'cuda',
        space: null,
        exhaustive: false,
        objective,
        ...(rows === undefined ? {} : { rows: [...rows] }),
      },
      options,
      program: {
        node: process.execPath,
        script: path.join(dist, 'slurmTask.cjs'),
        isElectron: process.versions['electron'] !== undefined,
      },
    },
    signal,
  );
  if (!submitted.ok) return failed(submitted.message);
  const { id, ids, folder } = submitted;
  const ended = await followJob(slurm, submitted, {
    signal,
    progress: one => {
      progress({ id, ...one });
    },
  });
  if (!ended.ok) {
    if (ended.why === 'ended') return failed(ended.message);
    return {
      ok: false,
      detached: true,
      cancel: () => cancelJobs(slurm, idsOf(ids).toReversed()),
    };
  }
  const { result } = ended;
  if (result.kind !== 'tune') return failed(`${id}: ${result.kind}`);
  const { problem } = resolve({ ...spec, targets: ['cuda'] });
  const identity = { problem: problemId(problem), target: 'cuda', backend: 'cuda' } as const;
  const journals = await readJournals(folder, (content, rest) =>
    readTaskJournal(content, identity, rest),
  );
  const lines = mergeLines(
    journals.flatMap(one => one.lines),
    lineKey,
  );
  const full = lines.filter(({ effort }) => effort === 'full');
  return {
    ok: true,
    summary: result.summary,
    measurements: full.map(({ measurement }) => measurement),
  };
}

async function rowsOf(root: string): Promise<readonly DispatchRow[] | undefined> {
  const found = await findRowsRoot(root);
  const read = found === undefined ? undefined : await readRows(found);
  return read?.ok === true ? read.rows : undefined;
}
