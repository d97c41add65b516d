/**
 * `ladder SPEC --backend B`: runs one problem on every rung, verified and timed, with the gain of
 * each step and its reason.
 */
import { t } from '@vscode/l10n';
import type { Availability, Backend } from '../../core/measure/backend';
import { BACKENDS, type Measurement } from '../../core/measure/measurement';
import { deviceOf, isDeviceId } from '../../core/hardware/devices';
import {
  fitRungs,
  predictedGflops,
  stepsOf,
  type RungFit,
  type Step,
} from '../../core/search/ladder/ladderSteps';
import { rungFile } from '../../core/search/ladder/files';
import { predictedFor, rateUnitOf, shownFactor } from '../../core/search/ladder/rates';
import { precise } from '../../core/text/numbers';
import { stepReport, summaryOf } from '../../core/search/ladder/report';
import { resolve } from '../../core/defaults/resolve';
import { TARGETS } from '../../core/spec/schema';
import { backendOf, TARGET_OF } from '../backends';
import { command, device, set, specArgument, target, type Context } from '../command';
import { SEED } from '../measure';
import { writeOut } from '../output';
import { EXIT, missingPrerequisite, invalidInput, type ExitCode } from '../result';
import { readSpec } from '../spec';
import { table } from '../table';
import { writeKernels } from '../writeKernels';

export const ladderCommand = command({
  name: 'ladder',
  description: 'Run every rung of the ladder for one problem and report the gain of each',
  args: {
    spec: specArgument,
    backend: {
      type: 'enum',
      options: [...BACKENDS],
      description: 'Backend: cuda and webgpu verify and time; simulate and cpu only verify',
    },
    out: {
      type: 'string',
      valueHint: 'DIR',
      description: 'Output folder for the files of all rungs',
    },
    force: { type: 'boolean', description: 'Replace files that were edited' },
    set,
    device,
    target,
  },
  run: async (options, context) => {
    const { backend: id, json, out } = options;
    if (id === undefined) throw invalidInput(`ladder requires --backend ${BACKENDS.join(', ')}.`);
    const spec = await readSpec(options.spec, options);
    const wanted = TARGET_OF[id] ?? options.target ?? spec.targets?.[0] ?? TARGETS[0];
    if (options.target !== undefined && options.target !== wanted) {
      throw invalidInput(`The ${id} backend runs ${wanted}, not ${options.target}.`);
    }
    const backend = backendOf(id);
    const here: Availability = await backend.probe();
    if (!here.available) throw missingPrerequisite(`${here.why} ${here.next}`);
    // A run requests only the limits that a rung requires, not the adapter's maximum.
    const room = id === 'webgpu' ? here.limits : undefined;
    const holds = fitRungs(spec, wanted, room && { ...room, owner: t('this adapter') });
    if (out !== undefined) await writeFiles(holds, out, options.force === true);
    const where = resolve(spec).device;
    if (!isDeviceId(where)) throw invalidInput(`Unknown device "${where}".`);
    const steps = await runRungs(holds, backend, deviceOf(where).id, context, async step => {
      if (json === true) await writeOut(`${JSON.stringify(stepReport(step))}\n`);
    });
    const summary = summaryOf(steps);
    if (json === true) await writeOut(`${JSON.stringify({ summary })}\n`);
    return { exit: exitOf(steps, context), ...(json === true ? {} : { text: describe(steps) }) };
  },
});

async function runRungs(
  holds: readonly RungFit[],
  backend: Backend,
  device: Parameters<typeof stepsOf>[2],
  context: Context,
  onStep: (step: Step) => Promise<void>,
): Promise<readonly Step[]> {
  const runs = new Map<number, Measurement>();
  const mode = backend.id === 'cuda' || backend.id === 'webgpu' ? 'time' : 'verify';
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

async function writeFiles(holds: readonly RungFit[], out: string, replace: boolean): Promise<void> {
  const files = holds.flatMap(hold => rungFile(hold) ?? []);
  await writeKernels(files.map(({ name, text }) => ({ root: out, name, text, replace })));
}

function describe(steps: readonly Step[]): string {
  const unit = rateUnitOf(steps);
  const device = predictedFor(steps);
  const models = device !== null;
  const rows = steps.map(step => {
    const { hold, measurement } = step;
    const [factor, predicted] = [shownFactor(step), predictedGflops(step)];
    return [
      hold.number,
      hold.rung.algorithm,
      hold.ok ? (measurement?.outcome ?? '-') : 'not legal',
      measurement?.timing === undefined ? null : unit.text(measurement.timing.gflops),
      ...(models ? [predicted === null ? null : unit.text(predicted)] : []),
      factor === null ? null : `${precise(factor)}x`,
      hold.rung.change,
    ];
  });
  const reasons = steps.flatMap(step => {
    const { rung, why, adapted } = stepReport(step);
    return [`${String(rung).padStart(2)}  ${why}`, ...(adapted === null ? [] : [`    ${adapted}`])];
  });
  const head = [
    'rung',
    'algorithm',
    'outcome',
    unit.name,
    ...(models ? ['predicted'] : []),
    'gain',
    'change',
  ];
  return [
    table([head, ...rows]),
    '',
    device !== null
      ? t(
          'Predicted rates are for {0}. Gains compare measured rates, or predicted rates where no times were measured.',
          device,
        )
      : t('No predicted rates: the time model covers CUDA only.'),
    '',
    ...reasons,
  ].join('\n');
}
