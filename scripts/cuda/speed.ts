/**
 * Formats the benchmark of two rounds: rates, differences between the rounds, and differences from
 * an independent harness.
 */
import { table } from '../sections';
import { CONTESTANTS, roundsOf, type Benchmark, type Contestant, type Timed } from './records';
import { linePlot, type Series } from './plot';

/** Smallest problem size to which `MOST.rounds`, a limit in percent, applies. */
const LEAST_SIZE = 2048;
const MOST = { rounds: 1, harness: 3 } as const;

const percent = (one: number, other: number): number => 100 * (other / one - 1);
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
const tflops = (gflops: number): number => gflops / 1000;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const largest = (values: readonly number[]): number => Math.max(...values.map(Math.abs));

const rateAt = (bench: Benchmark, name: Contestant, size: number): number =>
  tflops(mean(roundsOf(bench, name, size).map(({ gflops }) => gflops)));

/** Returns the change of the median time from the first to the second round, in percent. */
const betweenRounds = (bench: Benchmark, name: Contestant, size: number): number => {
  const [first, second] = roundsOf(bench, name, size);
  return percent(first.medianMs, second.medianMs);
};

/** Returns the difference of the torch.mm time from our cuBLAS time per round, in percent. */
const harnesses = (bench: Benchmark, size: number): readonly number[] => {
  const torch = roundsOf(bench, 'torch.mm', size);
  return roundsOf(bench, 'cuBLAS', size).map(({ medianMs }, i) =>
    percent(medianMs, torch[i]?.medianMs ?? NaN),
  );
};

const verdict = (what: string, values: readonly number[], most: number): string =>
  `${what}: at most ${largest(values).toFixed(2)} %, ${largest(values) <= most ? 'within' : 'NOT within'} the limit of ${most} %`;

export function speed(bench: Benchmark): string {
  const { sizes, head, end, measurements } = bench;
  const rows = sizes.map(size => [
    String(size),
    ...CONTESTANTS.map(name => rateAt(bench, name, size).toFixed(2)),
    ...(['cuBLAS', 'cuBLASLt, fastest'] as const).map(name =>
      ((100 * rateAt(bench, 'ours', size)) / rateAt(bench, name, size)).toFixed(1),
    ),
    [...new Set(measurements.filter(ofSize(size)).map(kernelOf))].join(', '),
  ]);
  const timings = measurements.flatMap(({ timing }) => timing ?? []);
  const ends = (values: readonly number[], digits = 0): string =>
    [Math.min(...values), Math.max(...values)].map(value => value.toFixed(digits)).join(' to ');
  const all = [...bench.timed.values()].flat();
  return [
    table(
      ['m = n = k', ...CONTESTANTS, '% of cuBLAS', '% of cuBLASLt', 'our kernel: block, stages'],
      rows,
    ),
    '',
    `f32, TFLOP/s, means of the medians of two rounds; ${measurements.filter(({ outcome }) => outcome === 'correct').length} of ${measurements.length} results correct. The interquartile range is at most ${worstSpread(timings).toFixed(2)} % of the median for our kernels, and ${worstSpread(all).toFixed(2)} % for all four implementations. SM clock ${ends(timings.flatMap(({ clocks }) => [clocks?.smMinMHz ?? NaN, clocks?.smMaxMHz ?? NaN]))} MHz, power ${ends(timings.map(({ powerW }) => powerW?.mean ?? NaN))} W, up to ${Math.max(...timings.map(({ temperatureC }) => temperatureC?.max ?? NaN))} °C while our kernels and the libraries were timed.`,
    '',
    `Before: ${head.gpu}; after: ${end.gpu} (name, UUID, driver, power limit, SM clock, maximum SM clock, memory clock, °C). ${head.machine}; ${head.date}; commit \`${head.commit}\`; \`${head.command}\`; torch.mm by ${bench.harness}; raw: \`bench/h200-bench.jsonl\`.`,
  ].join('\n');
}

type Run = Benchmark['measurements'][number];
const ofSize =
  (size: number) =>
  ({ resolved }: Run): boolean =>
    resolved?.problem.m === size;
function kernelOf({ resolved }: Run): string {
  if (resolved === null) throw new Error('Expected a spec for every measurement of the benchmark.');
  const { block, stages } = resolved.schedule;
  return `${[block?.m, block?.n, block?.k].join('x')}, ${stages}`;
}
const worstSpread = (all: readonly Pick<Timed, 'iqrMs' | 'medianMs'>[]): number =>
  Math.max(...all.map(({ iqrMs, medianMs }) => (100 * iqrMs) / medianMs));

export function agreement(bench: Benchmark): string {
  const { sizes } = bench;
  const rows = sizes.map(size => [
    String(size),
    ...CONTESTANTS.map(name => signed(betweenRounds(bench, name, size))),
    ...harnesses(bench, size).map(signed),
  ]);
  const large = sizes.filter(size => size >= LEAST_SIZE);
  const small = sizes.filter(size => size < LEAST_SIZE);
  const rounds = (['ours', 'cuBLAS'] as const).map(name =>
    verdict(
      `change of ${name} from round 1 to round 2, sizes from ${LEAST_SIZE}`,
      large.map(size => betweenRounds(bench, name, size)),
      MOST.rounds,
    ),
  );
  const other = [large, small].flatMap(some =>
    some.length === 0
      ? []
      : verdict(
          `difference of torch.mm from cuBLAS, sizes ${some.join(', ')}`,
          some.flatMap(size => harnesses(bench, size)),
          MOST.harness,
        ),
  );
  const launches = small.flatMap(size => {
    const extra = harnesses(bench, size).map(
      (over, i) => 10 * over * (roundsOf(bench, 'cuBLAS', size)[i]?.medianMs ?? NaN),
    );
    const timing = bench.measurements.find(ofSize(size))?.timing;
    return `at size ${size}, the difference is ${extra.map(value => value.toFixed(1)).join(' and ')} µs per launch: the timer of torch.mm times single launches, our runner times batches of ${timing?.batch ?? NaN} launches (${timing?.graph === true ? 'as a CUDA graph' : 'without a CUDA graph'})`;
  });
  return [
    table(
      [
        '% of time',
        ...CONTESTANTS.map(name => `${name}: round 2 / round 1`),
        'torch.mm / cuBLAS, round 1',
        'torch.mm / cuBLAS, round 2',
      ],
      rows,
    ),
    '',
    [...rounds, ...other, ...launches].map(line => `- ${line}`).join('\n'),
  ].join('\n');
}

export function speedPlot(bench: Benchmark): string {
  const series = CONTESTANTS.map((name): Series => ({
    name,
    points: bench.sizes.map(size => [size, rateAt(bench, name, size)] as const),
  }));
  const top = Math.max(...series.flatMap(({ points }) => points.map(([, value]) => value)));
  return linePlot({
    title: 'f32 on an NVIDIA H200',
    x: 'm = n = k',
    y: 'TFLOP/s',
    series,
    range: [0, Math.ceil(top / 10) * 10],
    step: 10,
  });
}

export function agreementPlot(bench: Benchmark): string {
  const over = (name: string, of: (size: number) => number): Series => ({
    name,
    points: bench.sizes.map(size => [size, of(size)] as const),
  });
  const series = [
    over('ours: round 2 / round 1', size => betweenRounds(bench, 'ours', size)),
    over('cuBLAS: round 2 / round 1', size => betweenRounds(bench, 'cuBLAS', size)),
    over('torch.mm / cuBLAS, round 1', size => harnesses(bench, size)[0] ?? NaN),
    over('torch.mm / cuBLAS, round 2', size => harnesses(bench, size)[1] ?? NaN),
  ];
  const reach = Math.ceil(
    Math.max(MOST.harness, largest(series.flatMap(({ points }) => points.map(([, y]) => y)))),
  );
  return linePlot({
    title: 'Differences of medians, with dashed limits',
    x: 'm = n = k',
    y: '% of time',
    series,
    range: [-reach, reach],
    step: 1,
    limits: [-MOST.harness, -MOST.rounds, MOST.rounds, MOST.harness],
  });
}
