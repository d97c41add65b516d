/**
 * Loads the Dawn package in the worker. The package that Node's module resolution finds takes
 * precedence over the package installed for the user. If the selected package cannot be loaded,
 * loading fails, because measurements must not depend on a silent fallback.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageOf } from '../text';
import { DAWN } from './pinned';

export type Create = (options: string[]) => GPU;

export type Loaded =
  | {
      readonly ok: true;
      readonly create: Create;
      readonly path: string;
      readonly version: string;
      /** Whether the package is the package installed for the user. */
      readonly installed: boolean;
    }
  | { readonly ok: false; readonly why: string; readonly installable: boolean };

/**
 * Loads Dawn, or returns the reason why it cannot be loaded.
 * @param installed folder in which Dawn is installed for the user
 */
export async function loadDawn(installed: string | undefined): Promise<Loaded> {
  const own = ownEntry();
  if (own !== undefined) return await load(own, false);
  const entry =
    installed === undefined
      ? undefined
      : path.join(installed, 'node_modules', DAWN.name, 'index.js');
  if (entry === undefined || !existsSync(entry)) {
    return no(`The npm package ${DAWN.name} (Dawn) is not installed.`, true);
  }
  const version = versionOf(entry);
  if (version === DAWN.version) return await load(entry, true);
  const why = `Expected Dawn ${DAWN.version}, got ${version} in ${path.dirname(entry)}.`;
  return no(why, true);
}

async function load(entry: string, installed: boolean): Promise<Loaded> {
  const folder = path.dirname(entry);
  try {
    const { create } = (await import(pathToFileURL(entry).href)) as { create: Create };
    return { ok: true, create, path: folder, version: versionOf(entry), installed };
  } catch (error) {
    const why = `The npm package ${DAWN.name} (Dawn) in ${folder} cannot be loaded: ${messageOf(error)}`;
    return no(why, installed);
  }
}

/**
 * Returns the path of the file that Node's module resolution finds for the package; undefined if
 * there is no such file.
 */
function ownEntry(): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve(DAWN.name));
  } catch {
    return undefined;
  }
}

function versionOf(entry: string): string {
  try {
    const file = path.join(path.dirname(entry), 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown };
    return String(manifest.version);
  } catch {
    return 'unknown version';
  }
}

const no = (why: string, installable: boolean): Loaded => ({
  ok: false,
  installable,
  why: why.slice(0, 2000),
});
