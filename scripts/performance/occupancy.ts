/** Compares our occupancy with NVIDIA's calculation. */
import * as v from 'valibot';

const schema = v.object({
  command: v.string(),
  commit: v.string(),
  seconds: v.number(),
  cases: v.number(),
  differing: v.number(),
  cudaVersion: v.number(),
  carvedOut: v.number(),
  doNotFit: v.number(),
  limiters: v.record(v.string(), v.number()),
  computeCapabilities: v.record(v.string(), v.number()),
});

const n = (value: number): string => value.toLocaleString('en-US');

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

export function occupancyProof(given: unknown, table: Table): string {
  const { command, commit, seconds, cases, differing, ...rest } = v.parse(schema, given);
  const { cudaVersion, carvedOut, doNotFit, limiters, computeCapabilities } = rest;
  const each = Object.values(computeCapabilities);
  const header = `${Math.floor(cudaVersion / 1000)}.${(cudaVersion % 1000) / 10}`;
  return [
    table(
      ['random kernels', 'differ', 'with a carve-out', 'fit no SM', ...Object.keys(limiters)],
      [[n(cases), n(differing), n(carvedOut), n(doNotFit), ...Object.values(limiters).map(n)]],
    ),
    '',
    `\`cuda_occupancy.h\` of CUDA ${header}; ${each.length} compute capabilities, at least ${n(Math.min(...each))} kernels each; the last columns count the limiters, possibly several per kernel; \`${command}\`, ${n(seconds)} s, commit \`${commit.slice(0, 12)}\`; raw: \`bench/occupancy.json\`.`,
  ].join('\n');
}
