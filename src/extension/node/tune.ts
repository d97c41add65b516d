/** Tuning in the editor: the default search space, with the journal in the workspace. */
import path from 'node:path';
import { seedsOf } from '../../core/search/tune/seeds';
import { defaultSpace } from '../../core/search/tune/space';
import { explainWrite } from '../../host/files';
import { cachedTunes, journalName, tunesFolder, type TunesFolder } from '../../host/tune/place';
import {
  runTune,
  TUNABLE,
  type TuneEnd,
  type TuneRequest,
  type TuneRunContext,
} from '../../host/tune/run';

export interface WorkspaceTune extends Pick<
  TuneRequest,
  'spec' | 'backend' | 'gpus' | 'where' | 'dawn' | 'cuda' | 'adapterTables' | 'objective'
> {
  /** Folder on local disk for the journal. Without a folder, the journal is in the user's cache. */
  readonly root: string | undefined;
}

export async function tuneInWorkspace(
  { root, ...wanted }: WorkspaceTune,
  context: TuneRunContext,
): Promise<TuneEnd> {
  const { spec, backend } = wanted;
  const target = TUNABLE[backend];
  const place = root === undefined ? { folder: cachedTunes() } : await folderIn(root);
  if ('failed' in place) return { ok: false, outcome: 'unavailable', message: place.failed };
  return await runTune(
    {
      ...wanted,
      space: defaultSpace(spec, target),
      seeds: seedsOf(spec, target),
      journal: path.join(place.folder, journalName(spec, backend)),
    },
    context,
  );
}

const folderIn = (root: string): Promise<TunesFolder> =>
  tunesFolder(root).catch((error: unknown) => ({ failed: explainWrite(root, error) }));
