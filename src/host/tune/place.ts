/**
 * Defines the location of tuning journals. There is one file per problem, device and backend, so
 * that a repeated tuning run resumes.
 */
import path from 'node:path';
import { hashText } from '../../core/text/hash';
import type { ResolvedSpec } from '../../core/spec/resolved';
import { defaultCacheFolder } from '../cache';
import { makeFolder } from '../files';

export const cachedTunes = (): string => path.join(path.dirname(defaultCacheFolder()), 'tune');

export function journalName({ problem, device }: ResolvedSpec, backend: string): string {
  const { m, n, k } = problem;
  const key = hashText(JSON.stringify([problem, device])).slice(0, 8);
  return `${backend}-${m}x${n}x${k}-${key}.jsonl`;
}

export type TunesFolder = { readonly folder: string } | { readonly failed: string };

/**
 * Creates the folder `.gemm/tune` below `root` if necessary, and returns its path. Returns a
 * message if the folder would be outside `root`, for example because of a link.
 */
export async function tunesFolder(root: string): Promise<TunesFolder> {
  const folder = path.resolve(root, '.gemm', 'tune');
  const outside = await makeFolder(root, folder);
  return outside === undefined ? { folder } : { failed: outside };
}
