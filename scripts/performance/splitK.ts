/** Reports the gain of split-K for problems whose C has few tiles. */
import * as v from 'valibot';
import { measurementSchema } from '../../src/core/measure/measurement';

const schema = v.object({
  what: v.string(),
  commit: v.string(),
  gpu: v.string(),
  verified: v.array(measurementSchema),
  timed: v.array(measurementSchema),
});

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

const tflops = (gflops: number | undefined): string =>
  gflops === undefined ? '' : (gflops / 1000).toFixed(2);

export function splitK(given: unknown, table: Table): string {
  const { what, commit, gpu, verified, timed } = v.parse(schema, given);
  const correct = verified.filter(({ outcome }) => outcome === 'correct').length;
  const rows = timed.map(({ resolved, timing, baseline }) => {
    const { m = 0, n = 0, k = 0, batch = 0 } = resolved?.problem ?? {};
    const { splitK: parts = 1, splitKReduction: way = '' } = resolved?.schedule ?? {};
    return [
      `${m} x ${n} x ${k}${batch > 1 ? `, batch ${batch}` : ''}`,
      `${parts}`,
      way,
      tflops(timing?.gflops),
      timing?.medianMs.toFixed(4) ?? '',
      tflops(baseline?.gflops),
    ];
  });
  return [
    table(['problem', 'slices', 'reduction', 'TFLOP/s', 'ms', 'cuBLAS, TFLOP/s'], rows),
    '',
    `${what}: ${correct} of ${verified.length} correct. ${gpu}; commit \`${commit.slice(0, 12)}\`; raw: \`bench/h200-split-k.json\`.`,
  ].join('\n');
}
