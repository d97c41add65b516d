/**
 * `bench` with several kernels: verifies and times them in interleaved rounds, under the same
 * conditions, and compares their times.
 */
import { speedUp } from '../core/measure/intervals';
import { rateWithInterval, ratioText } from '../core/measure/intervalText';
import type { Measurement } from '../core/measure/measurement';
import type { Runnable } from '../core/kernel/kernel';
import type { ResolvedProblem } from '../core/spec/resolved';
import { runTogether } from '../host/cuda/together';
import { backendOf } from './backends';
import type { Context } from './command';
import { isPythonFile } from './foreign';
import { EXIT_OF, runnableFor, SEED, type MeasureOptions } from './measure';
import { recordRuns } from './recordRuns';
import { EXIT, invalidInput, type ExitCode, type Result } from './result';
import { number, table, type Cell } from './table';

interface Subject {
  readonly path: string;
  readonly runnable: Runnable;
}

/** Result of one kernel, as printed with `--json`. */
export type Measured = Measurement & { readonly path: string };

export async function benchTogether(
  paths: readonly string[],
  options: MeasureOptions,
  context: Context,
): Promise<Result> {
  if (options.backend !== 'cuda') {
    throw invalidInput(
      `bench times several kernels together only with --backend cuda, got --backend ${options.backend}. Fix: use --backend cuda, add --against FILE, or pass one kernel.`,
    );
  }
  const subjects = await read(paths, options, context);
  const { abort, note } = context;
  let shown = '';
  const measurements = await runTogether(
    {
      runnables: subjects.map(({ runnable }) => runnable),
      mode: 'time',
      seed: SEED,
      ...(options.baselines === undefined ? {} : { baselines: options.baselines }),
    },
    { where: 'cli', ...options.cuda },
    {
      abort,
      progress: ({ stage }) => {
        if (stage !== shown) note(`  ${stage}`);
        shown = stage;
      },
    },
  );
  await recordRuns(measurements, options.record, context);
  const kernels = measurements.map((measurement, index): Measured => {
    const path = subjects[index]?.path ?? '';
    if (measurement.message !== undefined) note(`${path}: ${measurement.message}`);
    return { path, ...measurement };
  });
  const fastest = fastestOf(kernels)?.path ?? null;
  return { exit: exitOf(kernels), json: { kernels, fastest }, text: describeTogether(kernels) };
}

/**
 * Reads specs and kernel files. Python files that do not state their problem get that of the first
 * other kernel. Throws if the problems differ.
 */
async function read(
  paths: readonly string[],
  options: MeasureOptions,
  { note }: Context,
): Promise<readonly Subject[]> {
  const backend = backendOf('cuda', options.cuda);
  const found = new Map<string, Subject>();
  let problem: ResolvedProblem | undefined;
  for (const path of paths.toSorted((a, b) => Number(isPythonFile(a)) - Number(isPythonFile(b)))) {
    // Overrides apply to specs; a kernel file states its own values.
    const own = isSpec(path) ? options : { ...options, set: [], target: undefined };
    const { runnable } = await runnableFor(path, own, backend, { note, problem });
    problem ??= runnable.problem;
    const field = difference(problem, runnable.problem);
    if (field !== undefined) {
      const first = [...found.keys()][0] ?? '';
      throw invalidInput(
        `Kernels that are timed together must have the same problem, but ${field} of ${path} differs from ${first}. Fix: change the problem of one of them.`,
      );
    }
    found.set(path, { path, runnable });
  }
  return [...new Set(paths)].flatMap(path => found.get(path) ?? []);
}

const isSpec = (path: string): boolean => path === '-' || /\.json$/i.test(path);

/** Returns the path and the values of the first field that differs. */
export function difference(one: ResolvedProblem, other: ResolvedProblem): string | undefined {
  const flat = (problem: ResolvedProblem): readonly (readonly [string, unknown])[] =>
    Object.entries(problem).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each] as const)
        : [[name, value] as const],
    );
  const text = (value: unknown): string => (typeof value === 'string' ? value : json(value));
  const [first, second] = [new Map(flat(one)), new Map(flat(other))];
  const name = [...second.keys(), ...first.keys()].find(
    each => json(first.get(each)) !== json(second.get(each)),
  );
  if (name === undefined) return undefined;
  return `problem.${name} (${text(second.get(name))} instead of ${text(first.get(name))})`;
}

/** Returns the JSON of a value, or `nothing` for an absent value. */
const json = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

function exitOf(kernels: readonly Measurement[]): ExitCode {
  const codes = kernels.map(({ outcome }) => EXIT_OF[outcome]);
  const worst = [EXIT.interrupted, EXIT.no, EXIT.lacking].find(code => codes.includes(code));
  return worst ?? EXIT.yes;
}

export const fastestOf = (kernels: readonly Measured[]): Measured | undefined =>
  kernels
    .filter(({ timing }) => timing !== undefined)
    .toSorted((a, b) => (a.timing?.medianMs ?? 0) - (b.timing?.medianMs ?? 0))[0];

export function describeTogether(kernels: readonly Measured[]): string {
  const best = fastestOf(kernels);
  const [timed] = kernels.filter(({ timing }) => timing !== undefined);
  const device = (best ?? kernels[0])?.device;
  const rows = kernels.map(({ path, outcome, timing }): readonly Cell[] =>
    timing === undefined || best?.timing === undefined
      ? [path, outcome]
      : [
          path,
          outcome,
          `${number(timing.medianMs)} ms`,
          rateWithInterval(timing),
          ratioText(speedUp(timing, best.timing)),
        ],
  );
  const libraries = (timed?.baselines ?? []).map((library): readonly Cell[] => [
    library.name,
    'library',
    `${number(library.medianMs)} ms`,
    rateWithInterval(library),
    best?.timing === undefined ? '' : ratioText(speedUp(library, best.timing)),
  ]);
  const head = ['kernel', 'outcome', 'time', 'speed, 95 %', 'speed relative to the fastest kernel'];
  const ran = device === undefined ? '' : `ran on ${device.name} (${device.adapter})\n\n`;
  return `${ran}${table([head, ...rows, ...libraries])}`;
}
