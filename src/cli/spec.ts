/** Reads a spec and applies the overrides of the command line. */
import type { Adapter } from '../core/defaults/dispatch/adapterFamily';
import { tablesWith } from '../core/defaults/dispatch/shipped';
import type { DispatchTable } from '../core/defaults/dispatch/table';
import { parseSpec, type Decoded } from '../core/spec/decode';
import type { GemmSpec, Target } from '../core/spec/schema';
import { withDispatched } from '../core/defaults/resolve';
import { adoptedRows, type AdoptedRows } from './adoptedRows';
import { nameOf, readText } from './input';
import { invalidInput } from './result';

export interface Overrides {
  readonly set?: readonly string[] | undefined;
  readonly device?: string | undefined;
  readonly target?: Target | undefined;
  readonly adapter?: Adapter | undefined;
  /** Reports that an unknown device was replaced by a similar device. */
  readonly note?: (line: string) => void;
}

/**
 * Reads a spec. If it has no schedule, adds the schedule from the dispatch tables or the default
 * schedule of the adapter, if any.
 */
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
  /** The spec as read, before a schedule from the dispatch tables is added. */
  readonly spec: GemmSpec;
  /**
   * Dispatch tables of the workspace and the product. Undefined if the workspace has no dispatch
   * rows, or if the spec has a schedule and `evenIfScheduled` is false.
   */
  readonly tables?: readonly DispatchTable[];
  /** Path of the workspace's file of dispatch rows, if it was read. */
  readonly file?: string;
}

export async function readSpecAndTables(
  path: string,
  overrides: Overrides,
  options: { readonly evenIfScheduled?: boolean } = {},
): Promise<SpecAndTables> {
  const rows = (): Promise<AdoptedRows | undefined> => adoptedRows(path, overrides.note);
  const text = await readText(path);
  return await specAndTables({ name: nameOf(path), text, rows }, overrides, options);
}

export interface SpecText {
  /** Name of the spec in error messages. */
  readonly name: string;
  readonly text: string;
  /** Reads the dispatch rows that apply to the spec; undefined if there is no such file. */
  readonly rows: () => Promise<AdoptedRows | undefined>;
}

/** Decodes a spec, and reads the dispatch rows if it needs a schedule. */
export async function specAndTables(
  { name, text, rows }: SpecText,
  overrides: Overrides,
  { evenIfScheduled = false } = {},
): Promise<SpecAndTables> {
  const decoded = decode(text, overrides);
  if (!decoded.ok) throw invalidInput(`${name} is not a valid spec:`, decoded.errors);
  const { spec, standIn } = decoded;
  if (standIn !== undefined) overrides.note?.(standIn);
  const isScheduled = spec.schedule !== undefined && !evenIfScheduled;
  if (overrides.adapter !== undefined) checkUse(name, spec, isScheduled);
  if (isScheduled) return { spec };
  const read = await rows();
  return read === undefined ? { spec } : { spec, tables: tablesWith(read.rows), file: read.file };
}

function checkUse(name: string, { targets }: GemmSpec, isScheduled: boolean): void {
  if (isScheduled) {
    throw invalidInput(
      `--adapter selects a schedule, but ${name} has a schedule. Fix: omit --adapter, or remove the schedule.`,
    );
  }
  if (targets?.includes('wgsl') !== false) return;
  throw invalidInput(
    `--adapter selects a WGSL schedule, but the targets of ${name} are ${targets.join(', ')}. Fix: omit --adapter, or add the target wgsl.`,
  );
}

function decode(text: string, { set = [], device, target }: Overrides): Decoded {
  const part = set.find(assignment => /^targets[.[]/.test(assignment));
  if (part !== undefined) {
    const message = `"${part}": targets can only be set as a whole. Fix: use --set 'targets=["wgsl"]'.`;
    return { ok: false, errors: [{ path: 'targets', message }] };
  }
  const assignments = [
    ...set,
    ...(device === undefined ? [] : [`device=${JSON.stringify(device)}`]),
    ...(target === undefined ? [] : [`targets=${JSON.stringify([target])}`]),
  ];
  return parseSpec(text, assignments);
}
