/** `ladder SPEC --backend B`: one problem on every rung, each verified and timed, with what each step gained and why. */
import type { Availability } from '../../core/measure/backend';
import { BACKENDS, type BackendId, type Measurement } from '../../core/measure/measurement';
import { deviceOf, isDeviceId } from '../../core/device/devices';
import { frugalHoldsOf, holdsOf, stepsOf, type Hold, type Step } from '../../core/ladder/climb';
import { stepReport, summaryOf } from '../../core/ladder/report';
import { resolve } from '../../core/spec/resolve';
import { TARGETS } from '../../core/spec/schema';
import { backendOf, TARGET_OF } from '../backends';
import { command, device, set, specArgument, target, type Context } from '../command';
import { SEED } from '../measure';
import { writeOut } from '../output';
import { EXIT, lacking, unusable, type ExitCode } from '../result';
import { readSpec } from '../spec';
import { number, table } from '../table';

export const ladderCommand = command({
  name: 'ladder',
  description: 'Run every rung of the ladder for one problem, and say what each gained and why',
  args: {
    spec: specArgument,
    backend: {
      type: 'enum',
      options: [...BACKENDS],
      description: 'Where to run: cuda and webgpu verify and time, simulate and cpu verify',
    },
    set,
    device,
    target,
  },
  run: async (options, context) => {
    const { backend: id, json } = options;
    if (id === undefined) throw unusable(`ladder needs --backend ${BACKENDS.join(', ')}.`);
    const spec = await readSpec(options.spec, options);
    const wanted = TARGET_OF[id] ?? options.target ?? spec.targets?.[0] ?? TARGETS[0];
    if (options.target !== undefined && options.target !== wanted) {
      throw unusable(`The ${id} backend runs ${wanted}, not ${options.target}.`);
    }
    // A run asks its adapter for no more than a rung needs.
    const holds = id === 'webgpu' ? frugalHoldsOf(spec, wanted) : holdsOf(spec, wanted);
    const where = resolve(spec).device;
    if (!isDeviceId(where)) throw unusable(`Unknown device "${where}".`);
    const steps = await climb(holds, id, deviceOf(where).id, context, async step => {
      if (json === true) await writeOut(`${JSON.stringify(stepReport(step))}\n`);
    });
    const summary = summaryOf(steps);
    if (json === true) await writeOut(`${JSON.stringify({ summary })}\n`);
    return { exit: exitOf(steps, context), ...(json === true ? {} : { text: describe(steps) }) };
  },
});

async function climb(
  holds: readonly Hold[],
  id: BackendId,
  device: Parameters<typeof stepsOf>[2],
  context: Context,
  onStep: (step: Step) => Promise<void>,
): Promise<readonly Step[]> {
  const backend = backendOf(id);
  const here: Availability = await backend.probe();
  if (!here.available) throw lacking(`${here.why} ${here.next}`);
  const runs = new Map<number, Measurement>();
  const mode = id === 'cuda' || id === 'webgpu' ? 'time' : 'verify';
  let steps: readonly Step[] = [];
  for (const [index, hold] of holds.entries()) {
    if (context.abort.aborted) break;
    const { rung, number: at } = hold;
    context.note(`${at} of ${holds.length}: ${rung.algorithm}, ${rung.change}`);
    if (hold.ok) {
      const request = { runnable: hold.kernel, mode, seed: SEED } as const;
      const progress = (): void => undefined;
      runs.set(at, await backend.run(request, { abort: context.abort, progress }));
    }
    steps = stepsOf(holds.slice(0, index + 1), runs, device);
    const step = steps.at(-1);
    if (step !== undefined) await onStep(step);
  }
  return steps;
}

function exitOf(steps: readonly Step[], { abort }: Context): ExitCode {
  if (abort.aborted) return EXIT.interrupted;
  const runs = steps.flatMap(({ measurement }) => (measurement === null ? [] : [measurement]));
  if (runs.length === 0) return EXIT.unusable;
  if (runs.every(({ outcome }) => outcome === 'correct')) return EXIT.yes;
  const lacks = runs.every(({ outcome }) =>
    ['correct', 'constraint', 'unavailable'].includes(outcome),
  );
  return lacks ? EXIT.lacking : EXIT.no;
}

function describe(steps: readonly Step[]): string {
  const rows = steps.map(({ hold, measurement, gain }) => [
    hold.number,
    hold.rung.algorithm,
    hold.ok ? (measurement?.outcome ?? '-') : 'not legal',
    measurement?.timing === undefined ? null : number(Math.round(measurement.timing.gflops)),
    gain?.factor === null || gain === null ? null : `${number(gain.factor)}x`,
    hold.rung.change,
  ]);
  const reasons = steps.map(
    step => `${String(step.hold.number).padStart(2)}  ${stepReport(step).why}`,
  );
  return [
    table([['rung', 'algorithm', 'outcome', 'GFLOP/s', 'gain', 'what it changes'], ...rows]),
    '',
    ...reasons,
  ].join('\n');
}
