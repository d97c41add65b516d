/** Reads SPEC with the overrides of the command line. */
import { dirname, resolve as resolvePath } from 'node:path';
import type { Adapter } from '../core/defaults/dispatch/adapterFamily';
import { tablesWith } from '../core/defaults/dispatch/shipped';
import type { DispatchTable } from '../core/defaults/dispatch/table';
import { parseSpec, type Decoded } from '../core/spec/decode';
import type { GemmSpec, Target } from '../core/spec/schema';
import { withDispatched } from '../core/defaults/resolve';
import { findRowsFile, readRows } from '../host/dispatch';
import { nameOf, readText } from './input';
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
  return parseSpec(text, assignments);
}
