/** The problems of bench/shapes.json, and the schedules of `wgmma` that race at each. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { GemmSpec, Layout, Schedule } from '../../src/core/spec/schema';

const side = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const shapesSchema = v.pipe(
  v.array(v.object({ ...{ name: v.string(), m: side, n: side, k: side, from: v.string() } })),
  v.check(
    shapes => new Set(shapes.map(({ name }) => name)).size === shapes.length,
    'Each shape has a name of its own.',
  ),
);
export type NamedShape = v.InferOutput<typeof shapesSchema>[number];

export const readShapes = (file: string): readonly NamedShape[] =>
  v.parse(shapesSchema, JSON.parse(readFileSync(file, 'utf8')));

/** As BLAS names them of row-major matrices: weights as they are stored, [outputs][inputs], and turned over. */
const ORDERS = {
  TN: { a: 'row', b: 'col' },
  NN: { a: 'row', b: 'row' },
} as const satisfies Readonly<Record<string, Readonly<Record<'a' | 'b', Layout>>>>;
export type Order = keyof typeof ORDERS;

export interface Contest {
  readonly shape: NamedShape;
  readonly dtype: 'bf16' | 'f16';
  readonly order: Order;
  readonly specs: readonly GemmSpec[];
}

/** What a record knows a contest by. */
export const contestKey = ({ shape, dtype, order }: Omit<Contest, 'specs'>): string =>
  `${shape.name}, ${dtype} ${order}`;

/** All shapes in the most usual type and order first. */
export const contestsOf = (shapes: readonly NamedShape[]): readonly Contest[] =>
  (
    [
      ['bf16', 'TN'],
      ['f16', 'TN'],
      ['bf16', 'NN'],
      ['f16', 'NN'],
    ] as const
  ).flatMap(([dtype, order]) =>
    shapes.map(shape => ({
      ...{ shape, dtype, order },
      specs: schedulesFor(shape).map(schedule => specOf({ shape, dtype, order }, schedule)),
    })),
  );

const specOf = (
  { shape: { m, n, k }, dtype, order }: Omit<Contest, 'specs'>,
  schedule: Schedule,
): GemmSpec => ({
  problem: {
    ...{ m, n, k },
    a: { dtype, layout: ORDERS[order].a },
    b: { dtype, layout: ORDERS[order].b },
  },
  schedule: { algorithm: 'wgmma', ...schedule },
  ...{ targets: ['cuda'], device: 'h200' },
});

const pair = { m: 2, n: 1 };
const alone = { m: 1, n: 1 };
const turns = (m: number, n: number, cluster = alone): Schedule => ({
  ...{ block: { m, n, k: 64 }, kernelSchedule: 'pingpong', consumers: 2, cluster },
});
const shared = (m: number, n: number, consumers: number, cluster = alone): Schedule => ({
  ...{ block: { m, n, k: 64 }, kernelSchedule: 'cooperative', consumers, cluster },
});

/** The rows of the smallest tile, and of one that two consumers share. */
const FEW_ROWS = 64;
const SOME_ROWS = 512;

/** The default, and what lies around it: few rows want many blocks, many rows large tiles that are shared. */
const schedulesFor = ({ m }: NamedShape): readonly Schedule[] => [
  {},
  ...(m > SOME_ROWS
    ? [
        ...[turns(128, 192, pair), turns(128, 192), turns(128, 160, pair), turns(128, 128, pair)],
        ...[shared(128, 256, 2), shared(128, 256, 2, pair), shared(256, 128, 2, pair)],
        shared(256, 192, 2, { m: 1, n: 2 }),
      ]
    : m > FEW_ROWS
      ? [
          ...[turns(64, 256, pair), turns(128, 128), turns(128, 128, pair), turns(128, 192)],
          ...[shared(64, 128, 1), shared(64, 256, 1), shared(128, 256, 2)],
        ]
      : [shared(64, 64, 1), shared(64, 128, 1), shared(64, 192, 1), shared(64, 256, 1)]),
];
