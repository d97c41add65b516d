/** The short form of an analysis: what limits a kernel, and the edits that raise its rate. */
import * as v from 'valibot';
import type { DeviceId } from '../../core/hardware/devices';
import type { Runnable } from '../../core/kernel/kernel';
import type { Measurement } from '../../core/measure/measurement';
import type { CompiledAccesses } from '../../core/memory/compiledAccesses';
import type { CompiledResources } from '../../core/occupancy/report';
import type { Analysis } from '../../core/report/analysis';
import { TARGETS } from '../../core/spec/schema';
import { analysisOf, explain, type Explained } from '../analyzed';
import { number, percent, quantity } from '../table';

const figure = v.nullable(v.number());
const edit = v.object({
  set: v.pipe(v.array(v.string()), v.description('Pass as set to apply the edit.')),
  tflops: v.pipe(v.number(), v.description('Predicted rate with the edit.')),
});
export type Edit = v.InferOutput<typeof edit>;

export const summarySchema = v.object({
  specKey: v.string(),
  device: v.string(),
  target: v.picklist(TARGETS),
  verdict: v.string(),
  limitedBy: v.nullable(v.string()),
  attainableTflops: figure,
  predicted: v.nullable(
    v.object({
      milliseconds: v.number(),
      tflops: v.number(),
      fitted: v.pipe(v.boolean(), v.description('Whether the model is fitted to such kernels.')),
      calibratedOn: v.string(),
    }),
  ),
  occupancy: v.nullable(
    v.object({
      occupancy: v.number(),
      blocksPerSm: v.number(),
      limiters: v.array(v.string()),
      registers: v.number(),
      registersFrom: v.string(),
      sharedBytes: v.number(),
    }),
  ),
  waves: v.nullable(v.object({ waves: v.number(), balance: v.number() })),
  dramBytes: figure,
  intensity: v.pipe(figure, v.description('FLOP/B, compulsory DRAM traffic.')),
  losses: v.array(
    v.object({
      cause: v.string(),
      share: v.pipe(
        v.number(),
        v.description('Fraction of the predicted time beyond the roofline.'),
      ),
      text: v.string(),
      edit: v.optional(edit),
    }),
  ),
  edits: v.pipe(
    v.array(edit),
    v.description('Edits with a higher predicted rate, from losses and wave quantization.'),
  ),
  accesses: v.pipe(
    v.array(v.object({ site: v.string(), text: v.string() })),
    v.description('Uncoalesced accesses and bank conflicts.'),
  ),
  notes: v.array(v.object({ level: v.string(), text: v.string() })),
});
export type Summary = v.InferOutput<typeof summarySchema>;

export interface Analyzed {
  readonly analysis: Analysis;
  readonly explained: Explained;
  readonly summary: Summary;
}

export interface AnalyzeOn {
  readonly device: DeviceId;
  readonly runs?: readonly Measurement[];
  readonly resources?: CompiledResources | undefined;
  readonly accesses?: CompiledAccesses | undefined;
}

export function analyzed(runnable: Runnable, { runs = [], ...on }: AnalyzeOn): Analyzed {
  const analysis = analysisOf(runnable, { ...on, runs });
  const explained = explain(runnable, analysis, { device: on.device, pictures: false, read: [] });
  return { analysis, explained, summary: summaryOf(analysis, explained) };
}

const MAX_LOSSES = 6;
const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
const setOf = (changes: readonly { readonly path: string; readonly to: unknown }[]): string[] =>
  changes.map(({ path, to }) => `${path}=${typeof to === 'string' ? to : JSON.stringify(to)}`);

function summaryOf(analysis: Analysis, { verdict, why, filling }: Explained): Summary {
  const { occupancy, prediction, roofline, traffic, waves } = analysis;
  const losses = (why.waterfall?.falls ?? [])
    .filter(({ cause }) => cause !== 'rest')
    .slice(0, MAX_LOSSES)
    .map(({ cause, share, text = '' }) => {
      const best = Object.entries(why.gapEdits).find(([name]) => name === cause)?.[1];
      const found = best && { set: setOf(best.changes), tflops: best.tflops };
      return { cause, share, text, ...(found && { edit: found }) };
    });
  return {
    specKey: analysis.specKey,
    device: analysis.device,
    target: analysis.target,
    verdict: verdict.text,
    limitedBy: verdict.limitedBy,
    attainableTflops: known(verdict.attainable.value),
    predicted:
      prediction === null
        ? null
        : {
            milliseconds: prediction.milliseconds.value,
            tflops: prediction.tflops.value,
            fitted: prediction.fitted,
            calibratedOn: prediction.calibratedOn,
          },
    occupancy:
      occupancy === null
        ? null
        : {
            occupancy: occupancy.occupancy,
            blocksPerSm: occupancy.blocksPerSm,
            limiters: [...occupancy.limiters],
            registers: occupancy.registers.value,
            registersFrom: occupancy.registers.from,
            sharedBytes: occupancy.sharedBytes.value,
          },
    waves: waves === null ? null : { waves: waves.waves, balance: waves.balance.value },
    dramBytes: known(traffic.dram.value),
    intensity: known(roofline.problemRatio.value),
    losses,
    edits: editsOf([
      ...losses.flatMap(({ edit: found }) => found ?? []),
      ...filling.map(({ changes, tflops }) => ({ set: setOf(changes), tflops: tflops.after })),
    ]),
    accesses: accessesOf(analysis),
    notes: analysis.notes.map(({ level, text }) => ({ level, text })),
  };
}

/** Returns distinct edits, fastest first. */
const editsOf = (edits: readonly Edit[]): Edit[] =>
  [...new Map(edits.map(one => [one.set.join(), one])).values()].toSorted(
    (one, other) => other.tflops - one.tflops,
  );

function accessesOf({ globalMemory, sharedMemory }: Analysis): Summary['accesses'] {
  const uncoalesced = globalMemory
    .filter(({ sectorsPerRequest, idealSectors }) => sectorsPerRequest > idealSectors)
    .map(({ site, op, sectorsPerRequest, idealSectors }) => ({
      site,
      text: `uncoalesced global ${op}: ${number(sectorsPerRequest)} sectors per request, ideal ${number(idealSectors)}`,
    }));
  const conflicts = sharedMemory
    .filter(({ conflictsPerRequest }) => conflictsPerRequest > 0)
    .map(({ site, op, wavefrontsPerRequest, idealWavefronts }) => ({
      site,
      text: `bank conflicts of a shared ${op}: ${number(wavefrontsPerRequest)} wavefronts per request, ideal ${number(idealWavefronts)}`,
    }));
  return [...uncoalesced, ...conflicts];
}

export function summaryText(summary: Summary): string {
  const { predicted, occupancy, losses, edits, accesses, notes, waves } = summary;
  return [
    `${summary.specKey} (${summary.target}) on ${summary.device}`,
    `Limit: ${summary.verdict}`,
    predicted === null
      ? 'Predicted time: none, because the time model does not cover this kernel.'
      : `Predicted: ${quantity(predicted.milliseconds, 'ms')}, ${quantity(predicted.tflops, 'TFLOP/s')}${shareOf(summary)}; ${predicted.fitted ? 'fitted to measurements' : 'not fitted to such kernels'}`,
    occupancy === null
      ? 'Occupancy: unknown'
      : `Occupancy: ${percent(occupancy.occupancy)}, ${occupancy.blocksPerSm} blocks per SM, limited by ${occupancy.limiters.join(', ')}; ${occupancy.registers} registers per thread (${occupancy.registersFrom}), ${occupancy.sharedBytes} B shared memory`,
    ...(waves === null
      ? []
      : [`Waves: ${number(waves.waves)}, load balance ${percent(waves.balance)}`]),
    ...(losses.length === 0 ? [] : ['Losses, largest first:']),
    ...losses.map(({ share, text, cause }) => `  ${percent(share)} of the gap: ${text || cause}`),
    ...(edits.length === 0 ? [] : ['Edits (predicted rate):']),
    ...edits.map(({ set, tflops }) => `  set ${JSON.stringify(set)}: ${number(tflops)} TFLOP/s`),
    ...accesses.map(({ site, text }) => `${site}: ${text}`),
    ...notes.map(({ level, text }) => `${level}: ${text}`),
  ].join('\n');
}

const shareOf = ({ predicted, attainableTflops }: Summary): string =>
  predicted === null || attainableTflops === null
    ? ''
    : ` (${percent(predicted.tflops / attainableTflops)} of ${number(attainableTflops)} attainable)`;
