/** Reads SPEC with the overrides of the command line. */
import { readFile, stat } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { dirname, resolve as resolvePath } from 'node:path';
import type { Adapter } from '../core/dispatch/adapterFamily';
import { tablesWith } from '../core/dispatch/shipped';
import type { DispatchTable } from '../core/dispatch/table';
import { applyOverrides, decodeSpec, parseSpec, type Decoded } from '../core/spec/decode';
import type { GemmSpec, Target } from '../core/spec/schema';
import { withDispatched } from '../core/spec/resolve';
import { findRowsFile, readRows } from '../host/dispatch';
import { unusable } from './result';

export interface Overrides {
  readonly set?: readonly string[] | undefined;
  readonly device?: string | undefined;
  readonly target?: Target | undefined;
  /** As the command line tells it: whose default the spec gets. */
  readonly adapter?: Adapter | undefined;
  /** Is told which device stands for the one that the file names. */
  readonly note?: (line: string) => void;
}

const MAX_FILE_BYTES = 4_000_000;
const MAX_REPORT_BYTES = 64_000_000;

/** With a schedule where the workspace of the spec adopted one for it, or an adapter is told. */
export async function readSpec(path: string, overrides: Overrides): Promise<GemmSpec> {
  const { spec, tables } = await readSpecAndTables(path, overrides);
  return filled(spec, tables, overrides.adapter);
}

export const filled = (
  spec: GemmSpec,
  tables: readonly DispatchTable[] | undefined,
  adapter: Adapter | undefined,
): GemmSpec =>
  tables === undefined && adapter === undefined ? spec : withDispatched(spec, tables, adapter);

export interface SpecAndTables {
  /** As it is written. */
  readonly spec: GemmSpec;
  /** Those of the workspace and the shipped ones; undefined where it has no rows of its own, or the spec needs none. */
  readonly tables?: readonly DispatchTable[];
  /** Of the workspace's rows. */
  readonly file?: string;
}

export async function readSpecAndTables(
  path: string,
  overrides: Overrides,
  { evenIfScheduled = false } = {},
): Promise<SpecAndTables> {
  const decoded = decode(await readText(path), overrides);
  if (!decoded.ok) throw unusable(`${nameOf(path)} is not a usable spec:`, decoded.errors);
  const { spec, standIn } = decoded;
  if (standIn !== undefined) overrides.note?.(standIn);
  const isScheduled = spec.schedule !== undefined && !evenIfScheduled;
  if (overrides.adapter !== undefined) checkUse(path, spec, isScheduled);
  if (isScheduled) return { spec };
  const file = await findRowsFile(path === '-' ? process.cwd() : dirname(resolvePath(path)));
  if (file === undefined) return { spec };
  const read = await readRows(file);
  if (!read.ok)
    throw unusable(`${file} gives specs their schedules and is not usable:`, read.errors);
  return { spec, tables: tablesWith(read.rows), file };
}

/** An adapter that a spec has no use for would be left out in silence. */
function checkUse(path: string, { targets }: GemmSpec, isScheduled: boolean): void {
  if (isScheduled) {
    throw unusable(
      `--adapter chooses a schedule, and ${nameOf(path)} names its own: leave out one.`,
    );
  }
  if (targets?.includes('wgsl') !== false) return;
  throw unusable(
    `--adapter chooses a schedule for WGSL, which is none of the targets of ${nameOf(path)} (${targets.join(', ')}).`,
  );
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
