/**
 * Loads Dawn in the worker, from one place: where Node finds the package, else where it was installed for the user. Never
 * the second because the first is broken: what was measured would depend on a repair that nobody asked for.
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
      /** Not by Node's own resolution. */
      readonly installed: boolean;
    }
  | { readonly ok: false; readonly why: string; readonly installable: boolean };

/** `installed`: folder that Dawn is installed into where it is. */
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
  const why = `Dawn ${version} in ${path.dirname(entry)} is not the version that belongs here, ${DAWN.version}.`;
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

/** The package's file that Node would import; undefined where it finds none. */
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
    return 'of unknown version';
  }
}

const no = (why: string, installable: boolean): Loaded => ({
  ok: false,
  installable,
  why: why.slice(0, 2000),
});
