/** Tools for specs: choose a schedule, check a spec, generate its kernels. */
import * as v from 'valibot';
import { isDeviceId } from '../../../core/hardware/devices';
import { specKey } from '../../../core/plan/specKey';
import { rankInSteps } from '../../../core/search/rank/rank';
import { resolve } from '../../../core/defaults/resolve';
import { TARGETS } from '../../../core/spec/schema';
import { toSpec } from '../../../core/spec/toSpec';
import { describeCheck } from '../../checked';
import { deviceOfInput, kernelOn } from '../../kernel';
import { finish } from '../../steps';
import { number } from '../../table';
import {
  describedSpecArguments,
  deviceArgument,
  problemArgument,
  targetArgument,
} from '../arguments';
import { specOf, withTargets, type SpecSubject } from '../subject';
import { analyzed, summarySchema, summaryText } from '../summary';
import { tool } from '../tool';

const anySpec = v.pipe(
  v.record(v.string(), v.unknown()),
  v.description('Complete spec. Pass it as spec to the other tools, or save it as a .gemm.json.'),
);

const ranked = v.object({
  specKey: v.string(),
  tflops: v.number(),
  milliseconds: v.number(),
  schedule: v.record(v.string(), v.unknown()),
});

/** Returns the spec with every field of its schedule. */
const completed = ({ report, written }: SpecSubject): Record<string, unknown> => ({
  ...withTargets(toSpec(report.resolved), written.targets),
});

async function alternatives(
  { input: { spec } }: SpecSubject,
  count: number,
  abort: AbortSignal,
): Promise<readonly v.InferOutput<typeof ranked>[]> {
  const resolved = resolve(spec);
  if (count === 0 || !isDeviceId(resolved.device) || !resolved.targets.includes('cuda')) return [];
  const ranking = await finish(rankInSteps(resolved, count + 1), abort);
  if ('why' in ranking) return [];
  const own = specKey(resolved);
  return ranking.best
    .map(({ schedule, tflops, milliseconds }) => ({
      specKey: specKey({ ...resolved, schedule }),
      tflops,
      milliseconds,
      schedule: { ...schedule },
    }))
    .filter(one => one.specKey !== own)
    .slice(0, count);
}

export const suggestSpec = tool({
  name: 'suggest_spec',
  title: 'Suggest a spec',
  description:
    'Start here. Chooses the best known schedule for a GEMM (C := alpha * A * B + beta * C, with an optional epilogue): measured, predicted, or the default for its shape. Returns the complete spec, what limits its kernel, and alternatives.',
  effects: 'none',
  input: v.strictObject({
    problem: problemArgument,
    device: deviceArgument,
    target: targetArgument,
    alternatives: v.optional(
      v.pipe(
        v.number(),
        v.safeInteger(),
        v.minValue(0),
        v.maxValue(10),
        v.description(
          'Number of other schedules with the best predicted rates (CUDA); default 3; 0 is faster.',
        ),
      ),
      3,
    ),
  }),
  output: v.object({
    spec: anySpec,
    scheduleFrom: v.string(),
    legal: v.array(v.picklist(TARGETS)),
    analysis: summarySchema,
    alternatives: v.array(ranked),
  }),
  run: async ({ problem, device, target, alternatives: count }, call) => {
    const given = { spec: { problem }, device, target };
    const subject = await specOf(given, call);
    const { input, report } = subject;
    const kernel = kernelOn(input, deviceOfInput(input));
    const { summary } = analyzed(kernel, { device: deviceOfInput(input) });
    if (count > 0) call.note('Ranking schedules');
    const others = await alternatives(subject, count, call.abort);
    const spec = completed(subject);
    return {
      value: {
        spec,
        scheduleFrom: report.scheduleFrom.text,
        legal: [...report.legal],
        analysis: summary,
        alternatives: [...others],
      },
      text: [
        ...subject.remarks,
        `Schedule: ${report.scheduleFrom.text}`,
        `Legal targets: ${report.legal.join(', ')}`,
        `spec: ${JSON.stringify(spec)}`,
        summaryText(summary),
        ...others.map(
          one =>
            `Alternative, ${number(one.tflops)} TFLOP/s: ${one.specKey}, schedule ${JSON.stringify(one.schedule)}`,
        ),
      ].join('\n'),
    };
  },
});

export const checkSpec = tool({
  name: 'check_spec',
  title: 'Check a spec',
  description:
    'Checks a spec: lists its legal targets, and for the others each violated rule with the nearest legal value. Lists every field of a schedule.',
  effects: 'none',
  input: v.strictObject(describedSpecArguments),
  output: v.object({
    ok: v.boolean(),
    specKey: v.string(),
    legal: v.array(v.picklist(TARGETS)),
    scheduleFrom: v.string(),
    violations: v.array(
      v.object({
        target: v.picklist(TARGETS),
        path: v.string(),
        message: v.string(),
        nearest: v.pipe(v.unknown(), v.description('Nearest legal value; null if none is known.')),
      }),
    ),
    spec: anySpec,
  }),
  run: async (given, call) => {
    const subject = await specOf(given, call);
    const { report } = subject;
    const { ok, specKey: key, legal, scheduleFrom, violations } = report;
    return {
      value: {
        ok,
        specKey: key,
        legal: [...legal],
        scheduleFrom: scheduleFrom.text,
        violations: violations.map(({ target, path, message, nearest }) => ({
          target,
          path,
          message,
          nearest,
        })),
        spec: completed(subject),
      },
      text: [...subject.remarks, describeCheck(report)].join('\n'),
    };
  },
});
