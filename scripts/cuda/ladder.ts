/** Compares the ladder with the kernels of SGEMM_CUDA, as timed by SGEMM_CUDA's executable. */
import { LADDER } from '../../src/core/search/ladder/rungs';
import { fitRungs } from '../../src/core/search/ladder/ladderSteps';
import { sameJson } from '../../src/core/spec/sameJson';
import { table } from '../sections';
import { barPlot, type Bar } from './plot';
import type { LadderRecord } from './records';
import { missing, nameOf, sgemmOrigin, sgemmRuns, type SgemmRun } from './sgemm';

const SIZE = 4096;

interface Rung {
  readonly number: number;
  readonly algorithm: string;
  readonly change: string;
  readonly tflops: number;
  readonly iqrPercent: number;
}

function rungsOf({ results }: LadderRecord): readonly Rung[] {
  return fitRungs({ problem: { m: SIZE, n: SIZE, k: SIZE } }, 'cuda').flatMap(hold => {
    const run = results.find(({ resolved }) => hold.ok && sameJson(resolved, hold.kernel.spec));
    if (run?.timing === undefined) return [];
    const { gflops, iqrMs, medianMs } = run.timing;
    const { algorithm, change } = hold.rung;
    return [
      {
        number: hold.number,
        algorithm,
        change,
        tflops: gflops / 1000,
        iqrPercent: (100 * iqrMs) / medianMs,
      },
    ];
  });
}

const library = ({ results }: LadderRecord): number => {
  const rates = results
    .filter(({ resolved }) => resolved?.problem.m === SIZE)
    .flatMap(({ baseline }) => baseline?.gflops ?? [])
    .sort((a, b) => a - b);
  return (rates[Math.floor(rates.length / 2)] ?? NaN) / 1000;
};

/**
 * Formats a table that pairs each SGEMM_CUDA kernel with the first rung of the corresponding
 * algorithm.
 */
export function ladderTable(record: LadderRecord, printed: string): string {
  const theirs = sgemmRuns(printed, SIZE);
  const origin = sgemmOrigin(printed);
  const absent = missing(theirs).map(kernel => `${kernel} (${nameOf(kernel).name})`);
  const rungs = rungsOf(record);
  if (rungs.length < LADDER.length / 2)
    throw new Error(
      'The ladder record does not match the current rungs. Fix: run out/bench/measureLadder.js again.',
    );
  const taken = new Set<number>();
  const beside = (algorithm: string): readonly SgemmRun[] => {
    const some = theirs.filter(
      ({ kernel }) => nameOf(kernel).algorithm === algorithm && !taken.has(kernel),
    );
    for (const { kernel } of some) taken.add(kernel);
    return some;
  };
  const shown = ({ kernel, gflops }: SgemmRun): string =>
    `${kernel} ${nameOf(kernel).name}: ${gflops === undefined ? 'no time' : (gflops / 1000).toFixed(2)}`;
  const rows = rungs.map(({ number, algorithm, change, tflops, iqrPercent }) => [
    String(number),
    `\`${algorithm}\``,
    change,
    tflops.toFixed(2),
    iqrPercent.toFixed(2),
    beside(algorithm).map(shown).join('<br>'),
  ]);
  const cublas = ['', 'cuBLAS', '', library(record).toFixed(2), ''];
  return [
    table(
      ['', 'rung', 'change', 'TFLOP/s', 'IQR, %', 'SGEMM_CUDA, TFLOP/s'],
      [...rows, [...cublas, beside('cuBLAS').map(shown).join('<br>')]],
    ),
    '',
    `Ours: ${record.gpu.before} before, ${record.gpu.after} after (name, driver, power limit, SM clock, maximum SM clock, memory clock, °C); nvcc ${record.nvcc}; commit \`${record.commit}\`; \`${record.command}\`; raw: \`bench/h200-ladder-4096.json\`. SGEMM_CUDA: ${origin.gpu} °C before, commit \`${origin.commit}\`${absent.length === 0 ? '' : `, no output for kernel ${absent.join(', ')}`}; raw: \`bench/h200-sgemm.txt\`.`,
  ].join('\n');
}

export function ladderPlot(record: LadderRecord, printed: string): string {
  const theirs = sgemmRuns(printed, SIZE);
  const ours = rungsOf(record).map(({ number, algorithm, tflops }): Bar => ({
    label: `${number} ${algorithm}`,
    value: tflops,
    of: 0,
  }));
  const others = theirs.flatMap(({ kernel, gflops }): readonly Bar[] =>
    gflops === undefined || kernel === 0
      ? []
      : [{ label: `SGEMM_CUDA ${kernel} ${nameOf(kernel).name}`, value: gflops / 1000, of: 1 }],
  );
  const libraries: readonly Bar[] = [
    { label: 'cuBLAS, by our runner', value: library(record), of: 2 },
    ...theirs.flatMap(({ kernel, gflops }) =>
      kernel === 0 && gflops !== undefined
        ? [{ label: 'cuBLAS, by SGEMM_CUDA', value: gflops / 1000, of: 2 }]
        : [],
    ),
  ];
  return barPlot(
    `TFLOP/s at ${SIZE}, f32, on an NVIDIA H200`,
    ['ours', 'SGEMM_CUDA', 'cuBLAS'],
    [...ours, ...others, ...libraries],
  );
}
