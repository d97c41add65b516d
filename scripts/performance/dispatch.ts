/**
 * Compares the rates of our kernels with the rates of the library: the fastest kernel of each
 * benchmark in bench/h200-dispatch.jsonl, and the fastest schedule of the shipped dispatch table.
 */
import { unpacked, type PackedTable } from '../../src/core/defaults/dispatch/packed';
import type { RaceShape } from '../dispatch/race';
import { raceSections } from '../dispatch/race';

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

const BLAS: Readonly<Record<string, string>> = { rrr: 'NN', rcr: 'NT', crr: 'TN', ccr: 'TT' };

interface Beside {
  readonly shape: RaceShape['shape'];
  readonly layouts: string;
  readonly ours: number;
  readonly library: number;
}

/**
 * Returns one comparison per shape and layout. For a repeated benchmark, it is the comparison with
 * the highest ratio.
 */
function besides(text: string, file: string): readonly Beside[] {
  const found = new Map<string, Beside>();
  for (const { shapes } of raceSections(text, file)) {
    for (const { shape, layouts, gflops, baselines } of shapes) {
      const ours = Math.max(...gflops.map(rate => rate ?? 0));
      const library = Math.max(...baselines.map(({ gflops: rate }) => rate));
      const key = `${JSON.stringify(shape)} ${layouts}`;
      const known = found.get(key);
      if (known === undefined || ours / library > known.ours / known.library) {
        found.set(key, { shape, layouts, ours, library });
      }
    }
  }
  return [...found.values()];
}

const ratio = ({ ours, library }: Beside): number => ours / library;
const mean = (all: readonly Beside[]): number =>
  Math.exp(all.reduce((sum, one) => sum + Math.log(ratio(one)), 0) / all.length);
const sizes = ({ shape: { m, n, k } }: Beside): string =>
  m === n && n === k ? `${m}³` : `${m} x ${n} x ${k}`;
const tflops = (gflops: number): string => (gflops / 1000).toFixed(1);

function shipped(packed: PackedTable): readonly Beside[] {
  const found = new Map<string, Beside>();
  for (const { shape, layouts, gflops, baseline } of unpacked(packed)) {
    const key = `${JSON.stringify(shape)} ${layouts}`;
    const known = found.get(key)?.ours ?? 0;
    if (baseline === undefined || gflops <= known) continue;
    found.set(key, { shape, layouts, ours: gflops, library: baseline.gflops });
  }
  return [...found.values()];
}

export function besideLibrary(text: string, packed: PackedTable, table: Table): string {
  const file = 'bench/h200-dispatch.jsonl';
  const all = besides(text, file);
  const isSquare = ({ shape: { m, n, k } }: Beside): boolean => m === n && n === k && m % 128 === 0;
  const kept = shipped(packed);
  const groupsOf = (of: readonly Beside[]) => [
    ...Object.entries(BLAS).map(
      ([layouts, name]) =>
        [
          `29 squares, ${name}`,
          of.filter(one => one.layouts === layouts && isSquare(one)),
        ] as const,
    ),
    ['30 odd and skinny, NN', of.filter(one => !isSquare(one))] as const,
  ];
  const [groups, ofTable] = [groupsOf(all), groupsOf(kept)];
  const rows = groups.map(([name, group], i) => {
    const sorted = group.toSorted((one, other) => ratio(one) - ratio(other));
    const worst = sorted.slice(0, 3).map(one => `${ratio(one).toFixed(3)} at ${sizes(one)}`);
    const behind = group.filter(one => ratio(one) < 1).length;
    const table = mean(ofTable[i]?.[1] ?? []).toFixed(3);
    return [name, mean(group).toFixed(3), table, `${behind} of ${group.length}`, worst.join(', ')];
  });
  const [nn = []] = groups.map(([, group]) => group);
  const each = nn.map(one => [
    sizes(one),
    tflops(one.ours),
    tflops(one.library),
    ratio(one).toFixed(3),
  ]);
  const [head] = raceSections(text, file);
  return [
    table(
      [
        'shapes',
        'geometric mean of the ratios',
        'geometric mean with the shipped table',
        'slower than the library',
        'lowest ratios',
      ],
      rows,
    ),
    '',
    'Squares, NN:',
    '',
    table(['size', 'ours, TFLOP/s', 'library, TFLOP/s', 'ratio'], each),
    '',
    head === undefined
      ? ''
      : `${head.head.name}, driver ${head.head.driver}, ${head.head.compiler}; commit \`${head.head.commit.slice(0, 12)}\`; raw: \`${file}\`.`,
  ].join('\n');
}
