/**
 * Benchmarks candidate schedules, one shape after another. Kernels are compiled ahead, and the
 * record gets one line per shape.
 */
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { occupancy } from '../../../src/core/occupancy/occupancy';
import { matchDevice } from '../../../src/core/hardware/devices';
import { shapeText, typesOf, type Shape } from '../../../src/core/defaults/dispatch/row';
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { planIfLegal } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { ResolvedSchedule } from '../../../src/core/spec/resolved';
import type { Layout } from '../../../src/core/spec/schema';
import { programOf, type RunnerContext } from '../../../src/host/cuda/runner/requests';
import { findMachine, type CudaOptions } from '../../../src/host/cuda/runner/machine';
import { raceKernels, raceRate } from '../../../src/host/cuda/runner/race';
import type { RaceAnswer, RaceTiming } from '../../../src/host/cuda/runner/raceProtocol';
import type { RunnerProgram } from '../../../src/host/cuda/runner/program';
import { provenance } from '../../../scripts/grid/provenance';
import { compilerOf, type CompiledOrNot } from './compiling';
import { raceSections, type RaceHead, type RaceShape } from '../../../scripts/dispatch/race';
import type { RaceInput } from './shapes';

export interface Racing {
  readonly candidates: readonly ResolvedSchedule[];
  readonly shapes: readonly RaceInput[];
  /** Path of the record in JSON Lines format. Complete lines are kept. */
  readonly out: string;
  readonly command: string;
  /**
   * Maximum time relative to the fastest schedule; slower schedules are not timed in the
   * interleaved rounds.
   */
  readonly behind: number;
  readonly timing: RaceTiming;
  readonly workers: number;
  readonly compileOnly?: boolean;
  readonly options?: CudaOptions;
}

export interface Turn {
  readonly input: RaceInput;
  readonly run: () => Promise<{ readonly ok: boolean; readonly text: string }>;
}

/**
 * Maximum M x N x K for which every element is verified; for larger problems, a sample of tiles is
 * verified.
 */
const VERIFY_LIMIT = 2 ** 31;
const DEADLINE_MS = 180_000;
const SEED = 1;
const SHAPES_AHEAD = 16;

/**
 * Returns one entry per shape that is still to be benchmarked, in order. `run` also starts to
 * compile the kernels of the next SHAPES_AHEAD shapes.
 */
export async function startRacing(racing: Racing): Promise<readonly Turn[]> {
  const { candidates, out, command, compileOnly = false } = racing;
  const options = racing.options ?? { where: 'cli', ceilings: false };
  const found = await findMachine(options);
  if (!found.ok) throw new Error(`${found.why} ${found.next}`);
  const { machine } = found;
  const { compiler } = machine;
  if (compiler.kind !== 'nvcc')
    throw new Error('Expected nvcc as the compiler. Fix: install the CUDA toolkit.');
  const signal = new AbortController().signal;
  const asking: RunnerContext = { machine, options, signal, progress: () => undefined };
  const head: RaceHead = {
    type: 'head',
    ...provenance(command),
    device: matchDevice(machine.gpu.name) ?? machine.gpu.name,
    name: machine.gpu.name,
    driver: machine.gpu.driver,
    compiler: `nvcc ${compiler.nvcc.build}`,
    types: typesOf(specOf(ANY, { algorithm: 'naive' }).problem),
    candidates: [...candidates],
  };
  const { todo, isNew } = whatIsLeft(head, racing);
  const compile = compilerOf(asking, racing.workers);
  const begun: (readonly Promise<Candidate>[])[] = [];
  /**
   * The number of shapes compiled ahead is limited, because the kernels of all shapes would not fit
   * in memory.
   */
  const kernelsFor = (at: number): readonly Promise<Candidate>[] => {
    todo.slice(begun.length, at + 1 + SHAPES_AHEAD).forEach(input => {
      begun.push(kernelsOf(input, candidates, compile));
    });
    const kernels = begun[at] ?? [];
    begun[at] = [];
    return kernels;
  };
  if (isNew && !compileOnly) appendFileSync(out, `${JSON.stringify(head)}\n`);
  const program = programOf(asking);
  return todo.map((input, at) => ({
    input,
    run: async () => {
      const compiled = await Promise.all(kernelsFor(at));
      if (compileOnly) return { ok: true, text: `${compiled.filter(isReady).length} compiled` };
      const made = await program;
      if (!made.ok) return { ok: false, text: made.message };
      const line = await raceShape(input, compiled, { racing, program: made.program, asking });
      if (typeof line === 'string') return { ok: false, text: line };
      appendFileSync(out, `${JSON.stringify(line)}\n`);
      return { ok: true, text: summary(line) };
    },
  }));
}

const ANY: RaceInput = { shape: { m: 4096, n: 4096, k: 4096, batch: 1 }, layouts: 'rrr' };

/**
 * Returns the shapes that the last section of the record lacks; all shapes if the candidates or the
 * commit differ. Throws if the GPU, the driver or the compiler differs.
 */
function whatIsLeft(
  head: RaceHead,
  { out, shapes }: Racing,
): { readonly todo: readonly RaceInput[]; readonly isNew: boolean } {
  const whole = existsSync(out) ? readFileSync(out, 'utf8') : '';
  // An interrupted write may have truncated the last line.
  const text = whole.slice(0, whole.lastIndexOf('\n') + 1);
  if (text !== whole) truncateSync(out, Buffer.byteLength(text));
  const sections = raceSections(text, out);
  const last = sections.at(-1);
  if (last === undefined) return { todo: shapes, isNew: true };
  for (const field of ['name', 'driver', 'compiler'] as const) {
    if (last.head[field] !== head[field]) {
      const why = `${out} was recorded with ${field} ${last.head[field]}, but the current value is ${head[field]}. Fix: choose another file with --out.`;
      throw new Error(why);
    }
  }
  const same =
    JSON.stringify(last.head.candidates) === JSON.stringify(head.candidates) &&
    last.head.commit === head.commit;
  if (!same) return { todo: shapes, isNew: true };
  const keyOf = ({ shape, layouts }: { readonly shape: Shape; readonly layouts: string }): string =>
    `${shapeText(shape)} ${layouts}`;
  const there = new Set(last.shapes.map(keyOf));
  return { todo: shapes.filter(input => !there.has(keyOf(input))), isNew: false };
}

function specOf({ shape, layouts }: RaceInput, schedule: ResolvedSchedule) {
  const [a, b, c] = layouts
    .split('')
    .map((letter): { layout: Layout } => ({ layout: letter === 'r' ? 'row' : 'col' }));
  const matrices = { ...(a && { a }), ...(b && { b }), ...(c && { c }) };
  return resolve({ problem: { ...shape, ...matrices }, schedule, targets: ['cuda'] });
}

interface Ready {
  readonly kernel: Kernel;
  readonly compiled: Extract<CompiledOrNot, { ok: true }>;
}
type Candidate = Ready | { readonly why: string };
const isReady = (one: Candidate): one is Ready => 'kernel' in one;

const kernelsOf = (
  input: RaceInput,
  candidates: readonly ResolvedSchedule[],
  compile: (kernel: Kernel) => Promise<CompiledOrNot>,
): readonly Promise<Candidate>[] =>
  candidates.map(async schedule => {
    const plan = planIfLegal(specOf(input, schedule), 'cuda');
    if (plan === null) return { why: 'not legal for this shape' };
    const kernel = emit(plan);
    const compiled = await compile(kernel);
    return compiled.ok ? { kernel, compiled } : { why: compiled.message };
  });

interface Where {
  readonly racing: Racing;
  readonly program: RunnerProgram;
  readonly asking: RunnerContext;
}

/**
 * Benchmarks one shape and returns its line, or an error message. If a kernel destroys the GPU
 * context, the benchmark is repeated without that kernel.
 */
async function raceShape(
  input: RaceInput,
  candidates: readonly Candidate[],
  where: Where,
): Promise<RaceShape | string> {
  const { racing, program, asking } = where;
  const began = performance.now();
  const ready = candidates.flatMap((one, at) => (isReady(one) ? [{ ...one, at }] : []));
  if (ready.length === 0) return 'No candidate is legal and compiles.';
  const raced = await raceKernels(
    {
      kernels: ready.map(({ kernel, compiled }) => ({ runnable: kernel, compiled })),
      seed: SEED,
      cache: 'cold',
      baselines: ['cublas', 'cublaslt-best'],
      verifyLimit: VERIFY_LIMIT,
      behind: racing.behind,
      timing: racing.timing,
      deadlineMs: DEADLINE_MS,
    },
    program,
    asking,
  );
  if (!raced.ok) return raced.message;
  const { answer } = raced;
  const culprit = answer.fatal === true ? ready[answer.contestants.length - 1] : undefined;
  if (culprit !== undefined) {
    const why = answer.contestants.at(-1)?.message ?? 'it faulted';
    const others = candidates.map((one, at) => (at === culprit.at ? { why } : one));
    return await raceShape(input, others, where);
  }
  const { computeCapability } = asking.machine.gpu;
  const seconds = (performance.now() - began) / 1000;
  return lineOf(input, candidates, answer, { computeCapability, seconds });
}

function lineOf(
  { shape, layouts }: RaceInput,
  candidates: readonly Candidate[],
  { contestants, baselines, timing }: RaceAnswer,
  { computeCapability, seconds }: { readonly computeCapability: string; readonly seconds: number },
): RaceShape {
  const ready = candidates.flatMap((one, at) => (isReady(one) ? [{ ...one, at }] : []));
  const answers = new Map(ready.map(({ at }, i) => [at, contestants[i]]));
  const problem = ready[0]?.kernel.problem;
  const rated = (of: Parameters<typeof raceRate>[0] | undefined): number | null => {
    const rate = of === undefined || problem === undefined ? null : raceRate(of, problem);
    return rate === null ? null : Number(rate.toPrecision(5));
  };
  const why = candidates.flatMap((one, at): (readonly [string, string])[] => {
    const answer = answers.get(at);
    const reason = isReady(one) ? answer?.message : one.why;
    return reason === undefined || reason === '' ? [] : [[String(at), reason]];
  });
  return {
    type: 'shape',
    shape,
    layouts,
    gflops: candidates.map((_, at) => rated(answers.get(at))),
    behind: ready.flatMap(({ at }) => (answers.get(at)?.behind === true ? [at] : [])),
    blocksPerSm: candidates.map(one => (isReady(one) ? blocksOf(one, computeCapability) : null)),
    why: Object.fromEntries(why),
    baselines: baselines.flatMap(({ id, name, ...of }) => {
      const gflops = rated(of);
      return gflops === null ? [] : [{ id, name, gflops }];
    }),
    quantumNs: timing?.quantumNs ?? 0,
    ...(timing?.clocks === undefined ? {} : { smMHz: timing.clocks.smMHz }),
    seconds: Math.round(seconds * 100) / 100,
  };
}

/**
 * Computes the number of resident blocks per SM from the compiler's resources; null if it is
 * unknown.
 */
function blocksOf(
  { kernel, compiled: { resources } }: Ready,
  computeCapability: string,
): number | null {
  if (resources === undefined) return null;
  const held = occupancy({
    computeCapability,
    threadsPerBlock: kernel.plan.threads,
    registersPerThread: resources.registers,
    sharedBytesPerBlock: Math.max(resources.sharedBytes, kernel.sharedBytes),
  });
  return held.ok ? held.occupancy.blocksPerSm : null;
}

function summary({ gflops, baselines, behind, why, seconds }: RaceShape): string {
  const best = Math.max(0, ...gflops.map(rate => rate ?? 0));
  const library = Math.max(0, ...baselines.map(({ gflops: rate }) => rate));
  const timed = gflops.filter(rate => rate !== null).length - behind.length;
  const share =
    library > 0 ? `, ${(best / library).toFixed(3)}x the rate of the faster library` : '';
  const wrong = Object.values(why).filter(text => text !== 'not legal for this shape').length;
  return (
    `${(best / 1000).toFixed(2)} TFLOP/s by candidate ${gflops.indexOf(best)}${share}; ` +
    `${timed} timed, ${behind.length} excluded as slow, ${wrong} failed, ${seconds.toFixed(1)} s`
  );
}
