/** Where journals of tunes lie: a file a problem, device and backend, so that what is tuned again goes on with what is known. */
import path from 'node:path';
import { hashText } from '../../core/text/hash';
import type { ResolvedSpec } from '../../core/spec/resolved';
import { defaultCacheFolder } from '../cache';
import { makeFolder } from '../files';

/** Of tunes that belong to no folder. */
export const cachedTunes = (): string => path.join(path.dirname(defaultCacheFolder()), 'tune');

export function journalName({ problem, device }: ResolvedSpec, backend: string): string {
  const { m, n, k } = problem;
  const key = hashText(JSON.stringify([problem, device])).slice(0, 8);
  return `${backend}-${m}x${n}x${k}-${key}.jsonl`;
}

export type TunesFolder = { readonly folder: string } | { readonly failed: string };

/** `.gemm/tune` below `root`, made where it is missing. Nothing is written through a link that leads out of `root`. */
export async function tunesFolder(root: string): Promise<TunesFolder> {
  const folder = path.resolve(root, '.gemm', 'tune');
  const outside = await makeFolder(root, folder);
  return outside === undefined ? { folder } : { failed: outside };
}
