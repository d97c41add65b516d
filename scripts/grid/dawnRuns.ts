/** Runs WGSL kernels of many seeds on this machine's WebGPU adapter, several per process. */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import * as v from 'valibot';
import { swiftShaderEnvironment } from '../../src/host/dawn/swiftShader';
import { runProcess } from '../../src/host/process';
import { projectRoot } from '../install/project';

const deviceSchema = v.object({ name: v.string(), adapter: v.string(), driver: v.string() });
const lineSchema = v.union([
  v.object({ available: v.literal(true), device: deviceSchema }),
  v.object({ available: v.literal(false), why: v.string() }),
  v.object({
    seed: v.number(),
    specKey: v.string(),
    outcome: v.string(),
    message: v.optional(v.string()),
    maxError: v.nullable(v.number()),
    bound: v.nullable(v.number()),
    mismatches: v.number(),
  }),
]);
type Line = v.InferOutput<typeof lineSchema>;
export type DawnRun = Extract<Line, { seed: number }>;

export type DawnRuns =
  | {
      readonly available: true;
      readonly device: v.InferOutput<typeof deviceSchema>;
      readonly runs: readonly DawnRun[];
    }
  | { readonly available: false; readonly why: string };

/** Number of kernels per process. A new process releases the memory that drivers retain. */
const TOGETHER = 50;
const LIMIT_MS = 300_000;
/** Number of concurrent processes. A software driver uses several cores per process. */
const PROCESSES = Math.max(1, Math.floor(availableParallelism() / 4));

/**
 * Runs the kernels of the seeds and returns the results in the same order. A kernel whose process
 * crashes or times out has the outcome `launch-error`.
 */
export async function runOnDawn(
  seeds: readonly number[],
  progress: (done: number) => void = () => undefined,
): Promise<DawnRuns> {
  const software = swiftShaderEnvironment();
  const drivers = software === undefined ? [{}] : [{}, software];
  for (const driver of drivers) {
    const first = await together(seeds.slice(0, TOGETHER), driver);
    if (!first.available) continue;
    const starts = Array.from(
      { length: Math.ceil(seeds.length / TOGETHER) - 1 },
      (_, i) => (i + 1) * TOGETHER,
    );
    const rest: DawnRuns[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let i = next++; i < starts.length; i = next++) {
        const from = starts[i] ?? 0;
        rest[i] = await together(seeds.slice(from, from + TOGETHER), driver);
        progress(next * TOGETHER);
      }
    };
    await Promise.all(Array.from({ length: PROCESSES }, work));
    const lost = rest.find(({ available }) => !available);
    return (
      lost ?? { ...first, runs: [first, ...rest].flatMap(all => ('runs' in all ? all.runs : [])) }
    );
  }
  return { available: false, why: 'no WebGPU adapter' };
}

async function together(
  seeds: readonly number[],
  driver: Readonly<Record<string, string>>,
): Promise<DawnRuns> {
  const script = path.join(projectRoot(), 'out', 'scripts', 'runOnDawn.js');
  const ended = await runProcess(process.execPath, [script, ...seeds.map(String)], {
    timeoutMs: LIMIT_MS,
    env: driver,
  });
  const lines = ended.stdout.split('\n').filter(line => line.startsWith('{'));
  const [first, ...rest] = lines.map(line => v.parse(lineSchema, JSON.parse(line)));
  if (first === undefined || !('available' in first))
    return { available: false, why: ended.stderr.slice(-1000) };
  if (!first.available) return first;
  const runs = rest.filter(line => 'seed' in line);
  const stopped = seeds[runs.length];
  if (stopped === undefined) return { ...first, runs };
  const message = `the process ended: ${ended.timedOut ? 'timed out' : ended.stderr.slice(-500)}`;
  const lost = { specKey: '', maxError: null, bound: null, mismatches: 0 };
  const others = await together(seeds.slice(runs.length + 1), driver);
  const after = others.available ? others.runs : [];
  return {
    ...first,
    runs: [...runs, { ...lost, seed: stopped, outcome: 'launch-error', message }, ...after],
  };
}
