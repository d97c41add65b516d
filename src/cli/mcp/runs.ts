/** Short forms of measurements, and the run history of the root folder. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import * as v from 'valibot';
import { runLine, MAX_LINE_CHARACTERS } from '../../core/measure/historyLine';
import { runsFileName } from '../../core/measure/history';
import { measurementSchema, type Measurement } from '../../core/measure/measurement';
import { appendLines } from '../../host/runHistoryFiles';
import type { ServerSettings } from './settings';

const { entries } = measurementSchema.pipe[0];

export const measurementOutput = v.object({
  name: v.pipe(v.string(), v.description('The path, or the specKey of a spec.')),
  specKey: v.string(),
  problem: v.nullable(v.object({ m: v.number(), n: v.number(), k: v.number() })),
  backend: entries.backend,
  device: v.string(),
  outcome: entries.outcome,
  message: v.optional(v.string()),
  verification: v.omit(entries.verification, ['wrong']),
  findings: v.optional(v.array(v.object({ id: v.string(), message: v.string() }))),
  timing: v.optional(
    v.pick(entries.timing.wrapped, ['medianMs', 'intervalMs', 'gflops', 'errorPercent', 'timer']),
  ),
  joules: v.optional(v.number()),
  baselines: v.optional(
    v.array(v.object({ name: v.string(), medianMs: v.number(), gflops: v.number() })),
  ),
  resources: entries.resources,
  scheduleFrom: v.optional(v.string()),
  at: v.optional(v.string()),
  recorded: v.optional(
    v.pipe(v.string(), v.description('File of the run history that has this run.')),
  ),
});
export type MeasurementOutput = v.InferOutput<typeof measurementOutput>;

export function brief(measurement: Measurement, name = measurement.specKey): MeasurementOutput {
  const { specKey, backend, outcome, message, timing, energy, resources, at } = measurement;
  const { resolved, device, findings, scheduleFrom, baselines } = measurement;
  const verification = { ...measurement.verification };
  delete verification.wrong;
  return {
    name,
    specKey,
    problem: resolved === null ? null : sizeOf(resolved),
    backend,
    device: device.name,
    outcome,
    ...(message === undefined ? {} : { message: message.slice(0, MAX_MESSAGE) }),
    verification,
    ...(findings && { findings: findings.map(({ id, message: what }) => ({ id, message: what })) }),
    ...(timing && { timing }),
    ...(energy && { joules: energy.joules }),
    ...(baselines && {
      baselines: baselines.map(({ name: library, medianMs, gflops }) => ({
        name: library,
        medianMs,
        gflops,
      })),
    }),
    ...(resources && { resources }),
    ...(scheduleFrom === undefined ? {} : { scheduleFrom }),
    ...(at === undefined ? {} : { at }),
  };
}

const MAX_MESSAGE = 2000;

const sizeOf = ({ problem: { m, n, k } }: NonNullable<Measurement['resolved']>) => ({ m, n, k });

/**
 * Appends a run to `.gemm/runs` below the root. Returns the path of the file relative to the root,
 * or the reason why the run was not recorded.
 */
export async function record(
  measurement: Measurement,
  { root }: Pick<ServerSettings, 'root'>,
): Promise<{ readonly recorded: string } | { readonly failed: string }> {
  const line = runLine(randomUUID(), { ...measurement, at: new Date().toISOString() });
  if (line.length > MAX_LINE_CHARACTERS)
    return { failed: `its line has ${line.length} characters, which the reader refuses.` };
  const result = await appendLines(root, runsFileName(measurement.specKey), [line]);
  return 'failed' in result ? result : { recorded: path.relative(root, result.written) };
}
