/**
 * Compares counters with the analysis in a Markdown table: one row per differing quantity, then one
 * row per kernel without counters.
 */
import * as v from 'valibot';
import type { GemmSpec } from '../../../src/core/spec/schema';

export interface Counted {
  readonly spec: GemmSpec;
  /** Comparison with Nsight Compute counters; null if there is none. */
  readonly counters: unknown;
  readonly analysis: {
    readonly specKey: string;
    readonly occupancy?: unknown;
    readonly memoryLevels: {
      readonly levels: readonly {
        readonly level: string;
        readonly bytes: { readonly value: number };
      }[];
    } | null;
  };
  readonly message: string;
}

const figure = v.nullable(v.looseObject({ value: v.number() }));
const inspection = v.looseObject({
  rows: v.array(
    v.looseObject({
      id: v.string(),
      name: v.string(),
      ours: figure,
      counted: figure,
      verdict: v.string(),
      why: v.string(),
    }),
  ),
});

interface Row {
  readonly kernel: string;
  readonly quantity: string;
  readonly ours: number;
  readonly counted: number;
  readonly equal: boolean;
}

/** Memory levels of the modeled quantities, which are compared with a tolerance. */
const MODELLED: Readonly<Record<string, string>> = { 'dram-bytes': 'dram', 'l2-bytes': 'l2' };

export function rowsOf({ counters, analysis }: Counted): readonly Row[] {
  const read = v.safeParse(inspection, counters);
  if (!read.success) return [];
  return read.output.rows.flatMap(({ id, name, ours, counted, verdict }) => {
    const level = analysis.memoryLevels?.levels.find(one => one.level === MODELLED[id]);
    const said = level?.bytes.value ?? ours?.value;
    if (said === undefined || counted === null) return [];
    const equal =
      level === undefined ? verdict === 'equal' : Math.abs(said / counted.value - 1) <= 0.1;
    return [
      { kernel: analysis.specKey, quantity: name, ours: said, counted: counted.value, equal },
    ];
  });
}

export function summary(results: readonly Counted[]): string {
  const rows = results.flatMap(rowsOf);
  const failed = results.filter(({ counters }) => counters === null);
  const equal = rows.filter(row => row.equal).length;
  const line = ({ kernel, quantity, ours, counted }: Row): string =>
    `| \`${kernel}\` | ${quantity} | ${ours} | ${counted} | ${(100 * (ours / counted - 1)).toFixed(2)} % |`;
  return [
    `${results.length} kernels, ${failed.length} without counters; ${equal} of ${rows.length} quantities agree (DRAM and L2 within 10 %).`,
    '',
    '| kernel | quantity | analysis | ncu | difference |',
    '| --- | --- | ---: | ---: | ---: |',
    ...rows.filter(row => !row.equal).map(line),
    ...failed.map(
      ({ analysis, message }) => `| \`${analysis.specKey}\` | none: ${message} | | | |`,
    ),
  ].join('\n');
}
