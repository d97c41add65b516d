/** Reads SPEC with the overrides of the command line. */
import { readFile, stat } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { applyOverrides, decodeSpec, parseSpec, type Decoded } from '../core/spec/decode';
import type { GemmSpec, Target } from '../core/spec/schema';
import { unusable } from './result';

export interface Overrides {
  readonly set?: readonly string[] | undefined;
  readonly device?: string | undefined;
  readonly target?: Target | undefined;
}

const MAX_FILE_BYTES = 4_000_000;
const MAX_REPORT_BYTES = 64_000_000;

export async function readSpec(path: string, overrides: Overrides): Promise<GemmSpec> {
  const decoded = decode(await readText(path), overrides);
  if (decoded.ok) return decoded.spec;
  throw unusable(`${nameOf(path)} is not a usable spec:`, decoded.errors);
}

export const nameOf = (path: string): string => (path === '-' ? 'Standard input' : path);

function decode(text: string, { set = [], device, target }: Overrides): Decoded {
  const part = set.find(assignment => /^targets[.[]/.test(assignment));
  if (part !== undefined) {
    const message = `"${part}": targets is set as a whole: --set 'targets=["wgsl"]'.`;
    return { ok: false, errors: [{ path: 'targets', message }] };
  }
  const assignments = [
    ...set,
    ...(device === undefined ? [] : [`device=${JSON.stringify(device)}`]),
    ...(target === undefined ? [] : [`targets=${JSON.stringify([target])}`]),
  ];
  const json = assignments.length === 0 ? undefined : parseJson(text);
  // Without assignments, and for text that is not JSON, the decoder says all there is to say.
  if (json === undefined) return parseSpec(text);
  const overridden = applyOverrides(json, assignments);
  return overridden.ok ? decodeSpec(overridden.value) : overridden;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

export const readText = (path: string): Promise<string> => read(path, MAX_FILE_BYTES);

/** A report of another tool, which may be long. */
export const readReport = (path: string): Promise<string> => read(path, MAX_REPORT_BYTES);

async function read(path: string, mostBytes: number): Promise<string> {
  try {
    if (path === '-') return await readAll(process.stdin);
    const { size } = await stat(path);
    if (size > mostBytes) throw new Error(`it has ${size} bytes, more than ${mostBytes}`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unusable(
      `Cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
