/** A folder with the hostile workspace in it, and around it what must stay as it is. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { SOUND } from './corpus/corpus';
import type { HostileFile } from './corpus/entry';

export interface Surroundings {
  /** Everything below it is watched. */
  readonly root: string;
  readonly workspace: string;
  /** Two levels above the workspace: hostile paths lead there. */
  readonly outside: string;
  readonly temporary: string;
  /** Where observers write; not below `root`. */
  readonly records: string;
  readonly shims: string;
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

const SHIMS = ['nvcc', 'nvidia-smi', 'ncu', 'cuobjdump', 'nvdisasm'];

/** Programs of PATH note that they ran, and fail. */
async function writeShims(folder: string, records: string): Promise<void> {
  await mkdir(folder);
  for (const name of SHIMS) {
    const script = `#!/bin/sh\necho "${name} $*" >> '${join(records, 'shims')}'\nexit 1\n`;
    await writeFile(join(folder, name), script, { mode: 0o755 });
  }
}

export async function surroundings(): Promise<Surroundings> {
  const folder = await mkdtemp(join(tmpdir(), 'gemm-hostile-'));
  const at = (...parts: readonly string[]): string => join(folder, ...parts);
  const [root, records, shims] = [at('root'), at('records'), at('shims')];
  const temporary = join(root, 'tmp');
  for (const path of ['records', 'root/place/workspace', 'root/outside', 'root/tmp', 'root/home'])
    await mkdir(at(path), { recursive: true });
  await writeFile(join(root, 'outside', 'canary'), 'untouched');
  await writeFile(join(root, 'secret.h'), '#error "secret"\n');
  await writeFile(join(root, 'secret.cu'), '// secret\n');
  await writeShims(shims, records);
  return {
    root,
    records,
    shims,
    temporary,
    workspace: join(root, 'place', 'workspace'),
    outside: join(root, 'outside'),
    env: {
      HOME: join(root, 'home'),
      TMPDIR: temporary,
      XDG_CACHE_HOME: join(temporary, 'cache'),
      PATH: `${shims}${delimiter}${process.env['PATH'] ?? ''}`,
      CUDA_PATH: '',
      CUDA_HOME: '',
      GEMM_RECORDS: records,
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Writes a file of the corpus; one whose turn comes later is written by `takeTurn`. */
export async function put(workspace: string, file: HostileFile): Promise<void> {
  const path = join(workspace, file.path);
  await mkdir(dirname(path), { recursive: true });
  if (typeof file.content === 'string') await writeFile(path, file.content);
  else if ('fifo' in file.content) execFileSync('mkfifo', [path]);
  else await symlink(file.content.target, path);
  if (file.mode !== undefined) await chmod(path, file.mode);
}

export async function putAll(place: Surroundings, files: readonly HostileFile[]): Promise<void> {
  const firstOfTurns = ['.vscode/settings.json', '.vscode/tasks.json'].flatMap(
    path => files.find(file => file.path === path) ?? [],
  );
  for (const file of files)
    if (file.turn !== true || firstOfTurns.includes(file)) await put(place.workspace, file);
  await put(place.workspace, { id: 'sound', category: 'specs', ...SOUND });
  await symlink(place.outside, join(place.workspace, 'way-out'));
}
