/**
 * Compares our occupancy with NVIDIA's `cuda_occupancy.h` on many random kernels and compute
 * capabilities, and records the result:
 * node out/bench/verifyOccupancy.js [count] [out.json]
 * Requires g++ and the headers of the CUDA toolkit, but no GPU.
 */
import { writeFileSync } from 'node:fs';
import { LIMITERS } from '../../src/core/occupancy/occupancy';
import { provenance } from '../../scripts/grid/provenance';
import { drawCases, oursOf } from '../../scripts/occupancy/cases';
import { findReference, type OccupancyCase } from '../../scripts/occupancy/reference';

const [countText = '10000000', out = 'bench/occupancy.json'] = process.argv.slice(2);
const TOGETHER = 250_000;
const MOST_SHOWN = 20;

interface Tally {
  cases: number;
  differing: number;
  cudaVersion: number;
  carvedOut: number;
  doNotFit: number;
  readonly limiters: Record<string, number>;
  readonly computeCapabilities: Record<string, number>;
  readonly examples: { given: OccupancyCase; ours: string; reference: string }[];
}

const tally: Tally = {
  cases: 0,
  differing: 0,
  cudaVersion: 0,
  carvedOut: 0,
  doNotFit: 0,
  limiters: {},
  computeCapabilities: {},
  examples: [],
};
const countUp = (counts: Record<string, number>, key: string): void => {
  counts[key] = (counts[key] ?? 0) + 1;
};

function note(given: OccupancyCase, reference: readonly number[]): void {
  const ours = oursOf(given).join(' ');
  const theirs = reference.join(' ');
  tally.cases++;
  if (ours !== theirs) {
    tally.differing++;
    if (tally.examples.length < MOST_SHOWN) tally.examples.push({ given, ours, reference: theirs });
  }
  const [blocks = 0, mask = 0] = reference;
  if (given.carveOutPercent !== undefined) tally.carvedOut++;
  if (blocks === 0) tally.doNotFit++;
  LIMITERS.forEach((limiter, bit) => {
    if ((mask & (2 ** bit)) !== 0) countUp(tally.limiters, limiter);
  });
  countUp(tally.computeCapabilities, given.computeCapability);
}

const reference = findReference();
if (!reference.ok) throw new Error(reference.reason);
const began = performance.now();
reference.ask(run => {
  for (let seed = 1; tally.cases < Number(countText); seed++) {
    const cases = drawCases(Math.min(TOGETHER, Number(countText) - tally.cases), seed);
    const { cudaVersion, rows } = run(cases);
    if (rows.length !== cases.length)
      throw new Error(`Expected ${cases.length} results, got ${rows.length}.`);
    tally.cudaVersion = cudaVersion;
    cases.forEach((given, i) => {
      note(given, rows[i] ?? []);
    });
    console.log(`${tally.cases} cases, ${tally.differing} differ`);
  }
});
const record = {
  what: 'Blocks per SM, limiters, allocated registers and allocated shared memory: our values compared with cuda_occupancy.h, for random threads, registers, static and dynamic shared memory and carveouts',
  ...provenance(`node out/bench/verifyOccupancy.js ${countText} ${out}`),
  ...tally,
  seconds: Math.round((performance.now() - began) / 1000),
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
process.exitCode = tally.differing === 0 ? 0 : 1;
