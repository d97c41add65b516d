/** Reads the spec or the kernel that a call names. Files must be inside the root folder. */
import path from 'node:path';
import type { Adapter } from '../../core/defaults/dispatch/adapterFamily';
import { MAX_ROWS_BYTES, ROWS_PATH } from '../../core/defaults/dispatch/row';
import type { DispatchTable } from '../../core/defaults/dispatch/table';
import { check, type CheckReport } from '../../core/defaults/check';
import { readKernelFile, type KernelFile } from '../../core/source/kernelFile';
import type { ResolvedProblem } from '../../core/spec/resolved';
import type { GemmSpec } from '../../core/spec/schema';
import { rowsOfTexts } from '../../host/dispatch';
import { LINES_PATH } from '../../core/defaults/dispatch/rowLines';
import { usedRows, type AdoptedRows } from '../adoptedRows';
import { contains } from '../../host/executables';
import { pathInside, readInside, type Confined } from '../../host/confined';
import { codeOf } from '../../host/text';
import { proposedComment } from '../annotate';
import { readPython } from '../foreign';
import { rejectOverrides, type KernelInput, type SpecInput } from '../kernel';
import { withIncludes } from '../measure';
import { invalidInput, type Failure } from '../result';
import { filled, specAndTables, type SpecText } from '../spec';
import type { KernelArguments, SpecArguments } from './arguments';
import { notAllowed } from './settings';
import type { Call } from './tool';

const MAX_FILE_BYTES = 4_000_000;
const PYTHON = /^(.+\.py)(?::([\p{ID_Start}_][\p{ID_Continue}]*))?$/iu;
const SOURCE = /\.(?:cuh?|wgsl|ptx)$/i;

type Reader = Pick<Call, 'settings' | 'note'>;

export interface SpecSubject {
  readonly input: SpecInput;
  readonly report: CheckReport;
  /** The spec as given, before a schedule from the dispatch tables is added. */
  readonly written: GemmSpec;
  readonly tables: readonly DispatchTable[] | undefined;
  /** Notes about the spec, such as the device that replaces an unknown one. */
  readonly remarks: readonly string[];
}

/** Returns the adapter whose default schedule completes a spec, if any. */
type RunsOn = (spec: GemmSpec) => Promise<Adapter | undefined>;

export async function specOf(
  given: SpecArguments,
  { settings, note }: Reader,
  runsOn?: RunsOn,
): Promise<SpecSubject> {
  const source = await specText(given, settings.root);
  const remarks: string[] = [];
  const { set, device, target } = given;
  const { spec, tables } = await specAndTables(source, {
    set,
    device,
    target,
    note: line => {
      remarks.push(line);
      note(line);
    },
  });
  const adapter = await runsOn?.(spec);
  const report = check(spec, tables, adapter);
  const { scheduleFrom } = report;
  const full = filled(spec, tables, adapter);
  const input = { kind: 'spec', path: source.name, spec: full, scheduleFrom } as const;
  return { input, report, written: spec, tables, remarks };
}

async function specText({ spec, path: file }: SpecArguments, root: string): Promise<SpecText> {
  if ((spec === undefined) === (file === undefined)) {
    throw invalidInput(
      `Expected exactly one of spec and path, got ${spec === undefined ? 'neither' : 'both'}. Fix: pass spec, such as {"problem": {"m": 1024, "n": 1024, "k": 1024}}, or path.`,
    );
  }
  if (file === undefined) {
    return { name: 'spec', text: JSON.stringify(spec), rows: () => rowsFor(root, root) };
  }
  if (!/\.json$/i.test(file)) {
    throw invalidInput(`Expected path to be a *.gemm.json file, got '${file}'.`);
  }
  const { bytes, file: real } = await readInside(root, file, MAX_FILE_BYTES);
  const rows = (): Promise<AdoptedRows | undefined> => rowsFor(root, path.dirname(real));
  return { name: file, text: bytes.toString('utf8'), rows };
}

/** Reads the dispatch rows of `folder` or of its nearest parent inside `root` that has them. */
export async function rowsFor(root: string, folder: string): Promise<AdoptedRows | undefined> {
  for (let at = folder; contains(root, at); at = path.dirname(at)) {
    const [file, oldFile] = [path.join(at, ...LINES_PATH), path.join(at, ...ROWS_PATH)];
    const [lines, old] = [await readIfThere(root, file), await readIfThere(root, oldFile)];
    if (lines === undefined && old === undefined) continue;
    const texts = { lines: lines?.bytes.toString('utf8'), old: old?.bytes.toString('utf8') };
    return usedRows(rowsOfTexts({ file, oldFile, ...texts }));
  }
  return undefined;
}

async function readIfThere(root: string, file: string): Promise<Confined | undefined> {
  try {
    return await readInside(root, file, MAX_ROWS_BYTES);
  } catch (error) {
    if (codeOf(error instanceof Error ? error.cause : undefined) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the targets of a spec; without `listed`, removes them. */
export function withTargets(spec: GemmSpec, listed: GemmSpec['targets']): GemmSpec {
  const open = { ...spec };
  delete open.targets;
  return listed === undefined ? open : { ...open, targets: listed };
}

export interface KernelSubject {
  readonly input: SpecInput | KernelInput;
  /** Tests whether the source may include a file, by its real path. */
  readonly mayRead: (file: string) => boolean;
}

/** Reads a spec or a kernel. `problem` applies to a Python file that does not state its problem. */
export async function kernelSubject(
  given: KernelArguments,
  call: Reader,
  { runsOn, problem }: { readonly runsOn?: RunsOn; readonly problem?: ResolvedProblem } = {},
): Promise<KernelSubject> {
  const { root } = call.settings;
  const inside = (file: string): boolean => contains(root, file);
  const { source, language, path: file, ...rest } = given;
  if (source !== undefined) {
    if (file !== undefined || given.spec !== undefined)
      throw invalidInput('Pass only one of spec, path and source.');
    const name = `source.${language === 'wgsl' ? 'wgsl' : 'cu'}`;
    return { input: kernelInput(source, name, given), mayRead: () => false };
  }
  if (language !== undefined)
    throw invalidInput('language describes source. Fix: pass source, or omit language.');
  const [, python, callable] = PYTHON.exec(file ?? '') ?? [];
  if (python !== undefined) {
    return { input: await pythonInput(python, callable, problem, call), mayRead: inside };
  }
  if (file === undefined || !SOURCE.test(file)) {
    const own = file === undefined ? rest : { ...rest, path: file };
    return { input: (await specOf(own, call, runsOn)).input, mayRead: inside };
  }
  const { bytes, file: real } = await readInside(root, file, MAX_FILE_BYTES);
  const input = kernelInput(bytes.toString('utf8'), file, given);
  const runnable = await withIncludes(input.runnable, real, inside);
  return { input: { ...input, runnable }, mayRead: inside };
}

function kernelInput(text: string, name: string, { set, target }: KernelArguments): KernelInput {
  rejectOverrides(name, { ...(set === undefined ? {} : { set }) });
  const file = readKernelFile(text, path.basename(name));
  if (!file.ok) throw notAKernel(name, text, file);
  const { runnable } = file;
  if ((target ?? runnable.target) === runnable.target)
    return { kind: 'kernel', path: name, runnable };
  throw invalidInput(
    `${name} is a ${runnable.target} kernel, but target is ${target}. Fix: omit target, which only selects a target of a spec.`,
  );
}

/** Returns the error of a source; without an annotation, it contains a proposal. */
function notAKernel(
  name: string,
  text: string,
  { path: where, reason }: Extract<KernelFile, { readonly ok: false }>,
): Failure {
  const proposed = proposedComment(text, path.basename(name));
  if (proposed === undefined)
    return invalidInput(`${name} is not a valid kernel:`, [{ path: where, message: reason }]);
  const { comment, unknown, assumed } = proposed;
  return invalidInput(
    `${name} has no // @gemm line, which states the problem and the launch. Fix: add this line above the kernel, with your values:\n${comment}`,
    [
      ...unknown.map(({ name: field, next }) => ({ path: field, message: `unknown. ${next}` })),
      ...assumed.map(message => ({ path: '', message })),
    ],
  );
}

async function pythonInput(
  file: string,
  callable: string | undefined,
  problem: ResolvedProblem | undefined,
  { settings: { root, allowRun } }: Reader,
): Promise<KernelInput> {
  if (!allowRun) throw notAllowed('Running a Python file');
  const real = await pathInside(root, file);
  const read = await readPython(callable === undefined ? real : `${real}:${callable}`, problem);
  if (read.ok) return { kind: 'kernel', path: file, runnable: read.runnable };
  throw invalidInput(`${file} is not a valid kernel:`, [{ path: read.path, message: read.reason }]);
}
