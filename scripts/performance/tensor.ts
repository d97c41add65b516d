/** Formats the tables of the tensor-core benchmarks against NVIDIA's libraries. */
import type { NamedShape } from '../tensor/candidates';
import { fastest, latest, library, racesIn, type Raced, type RaceLine } from '../tensor/raced';

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

const teraflops = (gflops: number | undefined): string => ((gflops ?? NaN) / 1000).toFixed(1);
const mean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
const list = (values: readonly string[]): string => [...new Set(values)].join(', ');
const range = (values: readonly number[]): string =>
  `${Math.round(Math.min(...values)).toLocaleString('en')} to ${Math.round(Math.max(...values)).toLocaleString('en')}`;

function origin(races: readonly Raced[], raw: string): string {
  const heads = races.map(({ head }) => head);
  const clocks = races.flatMap(({ race }) => race.clocks?.smMHz ?? []);
  const watts = races.flatMap(({ race }) => race.powerW?.mean ?? []);
  const options = heads.map(({ command }) => `\`${command.replace(/ --out \S+/, '')}\``);
  return (
    `${list(options)}; driver ${list(heads.map(({ driver }) => driver))}, ${list(heads.map(({ compiler }) => compiler))}, ` +
    `commit ${list(heads.map(({ commit }) => `\`${commit}\``))}, clocks ${range(clocks)} MHz, mean power ${range(watts)} W. Raw: \`${raw}\`.`
  );
}

const COLUMNS = ['bf16 TN', 'bf16 NN', 'f16 TN', 'f16 NN', 'tf32 TN', 'e4m3 TN'];
const columnOf = ({ dtype, order }: RaceLine): string => `${dtype} ${order}`;

export function tensorRaces(text: string, shapes: readonly NamedShape[], table: Table): string {
  const all = racesIn(text).filter(({ race }) => race.dtype !== 'f32');
  const races = latest(all);
  const at = (name: string, column: string): RaceLine | undefined =>
    races.find(({ race }) => race.shape.name === name && columnOf(race) === column)?.race;
  const cell = (race: RaceLine | undefined): string =>
    race === undefined
      ? '–'
      : `${teraflops(fastest(race)?.gflops)} / ${teraflops(library(race)?.gflops)} (${race.ratio?.toFixed(3) ?? ''})`;
  const rows = shapes.map(({ name, m, n, k }) => [
    name.startsWith('square') ? `${m}` : `${m} x ${n} x ${k}`,
    name.startsWith('square') ? '' : name,
    ...COLUMNS.map(column => cell(at(name, column))),
  ]);
  const ratios = (column: string, isWanted: (race: RaceLine) => boolean): readonly number[] =>
    races.flatMap(({ race }) =>
      columnOf(race) === column && isWanted(race) && race.ratio !== null ? [race.ratio] : [],
    );
  const isSquare = ({ shape }: RaceLine): boolean => shape.name.startsWith('square');
  const means = COLUMNS.map(column => {
    const [some, squares] = [ratios(column, () => true), ratios(column, isSquare)];
    return `${column} ${mean(some).toFixed(3)} for ${some.length} shapes (minimum ${Math.min(...some).toFixed(3)}, among the squares ${Math.min(...squares).toFixed(3)})`;
  });
  return [
    table(['size', 'name', ...COLUMNS], rows),
    '',
    `Geometric means: ${means.join('; ')}.`,
    '',
    ...again(all),
    origin(races, 'bench/h200-wgmma.jsonl'),
  ].join('\n');
}

function again(all: readonly Raced[]): readonly string[] {
  const keys = [...new Set(all.map(({ race }) => race.key))];
  const twice = keys.flatMap(key => {
    const ratios = all.flatMap(({ race }) => (race.key === key ? (race.ratio ?? []) : []));
    return ratios.length < 2
      ? []
      : [`${key} ${ratios.map(ratio => ratio.toFixed(3)).join(' and ')}`];
  });
  return twice.length === 0 ? [] : [`Ratios of repeated benchmarks: ${twice.join('; ')}.`, ''];
}

export function splitRaces(text: string, table: Table): string {
  const races = latest(racesIn(text));
  const rows = races.flatMap(({ race }) =>
    ['bf16x3', 'bf16x6', 'bf16x9', 'tf32x3'].flatMap(split => {
      const best = fastest({
        ...race,
        kernels: race.kernels.filter(({ schedule }) => splitOf(schedule) === split),
      });
      const beside = library(race);
      const cublas = race.baselines.find(({ name }) => name.startsWith('cuBLAS '));
      if (best?.gflops === undefined || beside?.gflops === undefined) return [];
      return [
        [
          String(race.shape.m),
          race.order,
          split,
          teraflops(best.gflops),
          String(best.smMHz ?? ''),
          teraflops(beside.gflops),
          String(beside.smMHz ?? ''),
          (best.gflops / beside.gflops).toFixed(2),
          best.maxError?.toExponential(2) ?? '',
          cublas?.maxError?.toExponential(2) ?? '',
        ],
      ];
    }),
  );
  return [
    table(
      [
        'size',
        'layouts',
        'split',
        'TFLOP/s',
        'MHz',
        'library, TFLOP/s',
        'MHz',
        'ratio',
        'maximum error',
        'maximum error of cuBLAS',
      ],
      rows,
    ),
    '',
    origin(races, 'bench/h200-wgmma-split.jsonl'),
  ].join('\n');
}

const splitOf = (schedule: unknown): unknown =>
  typeof schedule === 'object' && schedule !== null && 'split' in schedule
    ? schedule.split
    : undefined;

export function mmaRaces(text: string, table: Table): string {
  const races = latest(racesIn(text));
  const rows = races.map(({ race }) => {
    const [best, beside] = [fastest(race), library(race)];
    return [
      race.order,
      `\`${best?.specKey ?? ''}\``,
      teraflops(best?.gflops),
      String(best?.smMHz ?? ''),
      teraflops(beside?.gflops),
      String(beside?.smMHz ?? ''),
      race.ratio?.toFixed(3) ?? '',
    ];
  });
  return [
    table(['layouts', 'fastest', 'TFLOP/s', 'MHz', 'cuBLASLt, TFLOP/s', 'MHz', 'ratio'], rows),
    '',
    origin(races, 'bench/h200-mma-race.jsonl'),
  ].join('\n');
}
