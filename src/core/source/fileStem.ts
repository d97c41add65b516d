/** Common file name of a spec file and its kernels, which differ only in their extension. */
import { resolve } from '../defaults/resolve';
import { specKey } from '../plan/specKey';
import { parseSpec } from '../spec/decode';
import { readKernelFile } from './kernelFile';

const SPEC_EXTENSION = '.gemm.json';
const EXTENSIONS = [SPEC_EXTENSION, '.cu', '.wgsl'];
/** Highest suffix of a name: `name-2` to `name-99`. */
const MAX_SUFFIX = 99;

/**
 * Returns the first of `base`, `base-2`, `base-3` and so on for which every existing file holds the
 * spec with this key. Returns the key if there is no such name.
 * @param read returns the text of a file in the folder; undefined if it does not exist
 */
export async function fileStem(
  base: string,
  key: string,
  read: (fileName: string) => Promise<string | undefined>,
): Promise<string> {
  for (let suffix = 1; suffix <= MAX_SUFFIX; suffix++) {
    const stem = suffix === 1 ? base : `${base}-${suffix}`;
    const names = EXTENSIONS.map(extension => stem + extension);
    const isFree = await Promise.all(
      names.map(async name => {
        const text = await read(name);
        return text === undefined || holdsSpec(name, text, key);
      }),
    );
    if (isFree.every(Boolean)) return stem;
  }
  return key;
}

/** Returns whether a spec or kernel file contains the spec with this key. */
function holdsSpec(fileName: string, text: string, key: string): boolean {
  if (fileName.endsWith(SPEC_EXTENSION)) {
    const decoded = parseSpec(text);
    return decoded.ok && specKey(resolve(decoded.spec)) === key;
  }
  const file = readKernelFile(text, fileName);
  return file.ok && file.runnable.spec !== undefined && file.runnable.specKey === key;
}
