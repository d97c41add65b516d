/**
 * Tensor-core rungs, timed in interleaved rounds, and the steps of fast.cu measured in the same
 * call.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import {
  gainText,
  fitRungs,
  stepsOf,
  type RungFit,
  type Step,
} from '../../src/core/search/ladder/ladderSteps';
import { projectRoot } from '../install/project';
import { table } from '../sections';
import { latest, library, racesIn, type RaceLine } from '../tensor/raced';

const RACES = 'bench/h200-ladder-bf16.jsonl';
const FAST_CU = 'bench/h200-fast-cu.json';
const read = (file: string): string => readFileSync(path.join(projectRoot(), file), 'utf8');

export interface RacedStep {
  readonly step: Step;
  /** Rates in GFLOP/s, one per benchmarked size; undefined where the rung was not measured. */
  readonly gflops: readonly (number | undefined)[];
  /**
   * Comparison with the previous step, with the measured factor at 4096; null for the first step.
   */
  readonly gain: string | null;
}
const DETAIL_SIDE = 4096;

const races = (): readonly RaceLine[] => latest(racesIn(read(RACES))).map(({ race }) => race);

/** Returns the tensor-core rungs of a square bf16 problem. */
const rungsOf = (m: number): readonly RungFit[] =>
  fitRungs({ problem: { m, n: m, k: m, a: { dtype: 'bf16' } } }, 'cuda').filter(({ rung }) =>
    rung.algorithm.endsWith('mma'),
  );

/** Returns the rates of a benchmark in the order of the rungs, matched by their spec keys. */
function ratesOf({ shape, kernels }: RaceLine): readonly (number | undefined)[] {
  const rates = new Map(kernels.map(({ specKey, gflops }) => [specKey, gflops]));
  return rungsOf(shape.m).map(hold => (hold.ok ? rates.get(hold.kernel.specKey) : undefined));
}

export function racedSteps(): readonly RacedStep[] {
  const raced = races();
  const side = { m: DETAIL_SIDE, n: DETAIL_SIDE, k: DETAIL_SIDE };
  const holds = fitRungs({ problem: { ...side, a: { dtype: 'bf16' } } }, 'cuda');
  const steps = stepsOf(holds, new Map(), 'h200').filter(({ hold }) =>
    hold.rung.algorithm.endsWith('mma'),
  );
  const ratesOfSizes = raced.map(ratesOf);
  const rates = steps.map((_, index) => ratesOfSizes.map(ofSize => ofSize[index]));
  const at = raced.findIndex(({ shape }) => shape.m === DETAIL_SIDE);
  return steps.map((step, index) => {
    const [now, before] = [rates[index]?.[at], rates[index - 1]?.[at]];
    const factor = now === undefined || before === undefined ? null : now / before;
    return {
      step,
      gflops: rates[index] ?? [],
      gain: step.gain === null ? null : gainText({ factor }, step.gain.reasons),
    };
  });
}

const teraflops = (gflops: number | undefined): string =>
  gflops === undefined ? 'not measured' : (gflops / 1000).toFixed(1);
const factorOf = (now: number | undefined, before: number | undefined): string =>
  now === undefined || before === undefined ? '' : `${(now / before).toFixed(2)}x`;

export function racedOverview(): string {
  const raced = races();
  const steps = racedSteps();
  const rows = steps.map(({ step: { hold }, gflops }, index) => [
    String(hold.number),
    `\`${hold.rung.algorithm}\``,
    hold.rung.change,
    ...gflops.flatMap((rate, i) => [teraflops(rate), factorOf(rate, steps[index - 1]?.gflops[i])]),
  ]);
  const beside = raced.flatMap(race => [teraflops(library(race)?.gflops), '']);
  const sizes = raced.flatMap(({ shape }) => [`TFLOP/s at ${shape.m}`, 'gain']);
  const [one] = racesIn(read(RACES));
  return [
    table(
      ['', 'rung', 'change', ...sizes],
      [...rows, ['', 'cuBLASLt, fastest algorithm', '', ...beside]],
    ),
    '',
    `All kernels were timed in interleaved turns of 5 ms, so that they run at the same clocks. The clocks are higher than for \`wgmma\` kernels alone, since some of the other kernels draw less power. H200, driver ${one?.head.driver ?? ''}, ${one?.head.compiler ?? ''}, commit ${one?.head.commit ?? ''}; \`${RACES}\`.`,
  ].join('\n');
}

const fastCuSchema = v.object({
  what: v.string(),
  size: v.number(),
  kernels: v.array(v.object({ number: v.number(), what: v.string(), tflops: v.number() })),
});

export function fastCu(): string {
  const { what, size, kernels } = v.parse(fastCuSchema, JSON.parse(read(FAST_CU)));
  const [first, ...steps] = kernels;
  const rows = steps.map(({ number, what: change, tflops }, index) => {
    const before = steps[index - 1]?.tflops;
    return [
      String(number),
      change,
      tflops.toFixed(1),
      factorOf(tflops, before),
      `${(tflops / (first?.tflops ?? NaN)).toFixed(3)}x`,
    ];
  });
  return [
    `${what}. Measured in the same call as the rungs above, but in bursts at higher clocks. Compare the gains, and compare each ladder with its own library rate (cuBLAS ${first?.tflops.toFixed(1) ?? ''} TFLOP/s here). \`${FAST_CU}\`.`,
    '',
    table(['', 'step', `TFLOP/s at ${size}`, 'gain', 'of cuBLAS'], rows),
  ].join('\n');
}
