/**
 * Manifest of an export, `gemm-export.json`: the specs of its kernels and the hash of each file. A
 * later export into the same folder replaces a file only if the file has the hash in the manifest.
 */
import * as v from 'valibot';
import { toSpec } from '../spec/toSpec';
import { hashText } from '../text/hash';
import type { ExportFile, ExportSubject, ExportTarget } from './subject';

export const MANIFEST_NAME = 'gemm-export.json';

const MAX_FILES = 10_000;

const schema = v.object({
  files: v.pipe(
    v.record(v.string(), v.string()),
    v.check(files => Object.keys(files).length <= MAX_FILES),
  ),
});

export function manifestText(
  target: ExportTarget,
  { name, version, kernels }: ExportSubject,
  files: readonly ExportFile[],
): string {
  return `${JSON.stringify(
    {
      generator: `GEMM Explorer ${version}`,
      target,
      name,
      kernels: kernels.map(({ kernel, measured }) => ({
        specKey: kernel.specKey,
        ...(measured === undefined ? {} : { measured }),
        spec: toSpec(kernel.spec),
      })),
      files: Object.fromEntries(files.map(({ path, text }) => [path, hashText(text)])),
    },
    null,
    2,
  )}\n`;
}

/** Returns the hash of each file of an earlier export; an empty map if there is no manifest. */
export function hashesIn(manifest: string | undefined): ReadonlyMap<string, string> {
  if (manifest === undefined) return new Map();
  try {
    const decoded = v.safeParse(schema, JSON.parse(manifest));
    return new Map(decoded.success ? Object.entries(decoded.output.files) : []);
  } catch {
    return new Map();
  }
}

/** Returns whether an existing file is exactly as an earlier export wrote it. */
export const isUnedited = (
  { path }: Pick<ExportFile, 'path'>,
  existing: string,
  hashes: ReadonlyMap<string, string>,
): boolean => hashes.get(path) === hashText(existing.replace(/\r\n/g, '\n'));
