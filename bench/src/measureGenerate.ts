/**
 * Measures warm `generate` calls for random specs (resolve, check, plan and emit for every target)
 * and records the times:
 * node out/bench/measureGenerate.js [count] [out.json]
 */
import { writeFileSync } from 'node:fs';
import { emit } from '../../src/core/kernel/emit';
import { checkAndPlan } from '../../src/core/defaults/check';
import { TARGETS, type GemmSpec } from '../../src/core/spec/schema';
import { provenance } from '../../scripts/grid/provenance';
import { specOf } from '../../scripts/grid/specs';

const [countText = '1000', out = 'bench/generate.json'] = process.argv.slice(2);
/**
 * Number of runs per spec. The minimum time is recorded, which reduces the effect of other load on
 * the machine. A spec whose minimum exceeds LIMIT_MS gets up to MOST_TIMES runs.
 */
const TIMES = 5;
const MOST_TIMES = 60;
const LIMIT_MS = 5;

/**
 * Returns the total length of the sources for all targets, in characters; 0 if the spec is illegal
 * for every target.
 */
function generate(spec: GemmSpec): number {
  const { plans } = checkAndPlan(spec);
  return TARGETS.reduce((sum, target) => {
    const planned = plans[target];
    return sum + (planned.ok ? emit(planned.plan).source.length : 0);
  }, 0);
}

function shortest(spec: GemmSpec): number {
  let least = Infinity;
  for (let i = 0; i < TIMES || (least > LIMIT_MS && i < MOST_TIMES); i++) {
    const began = performance.now();
    generate(spec);
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

const specs = Array.from({ length: Number(countText) }, (_, seed) => ({
  seed,
  spec: specOf(seed),
}));
for (const { spec } of specs) generate(spec);
const timed = specs.map(({ seed, spec }) => ({
  seed,
  ms: shortest(spec),
  legal: generate(spec) > 0,
}));
const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((left, right) => left - right);
  return Number(
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(3),
  );
};
const figures = (of: typeof timed) => {
  const values = of.map(({ ms }) => ms);
  return {
    specs: of.length,
    p50Ms: percentile(values, 0.5),
    p95Ms: percentile(values, 0.95),
    maxMs: percentile(values, 1),
  };
};
const slow = timed.filter(({ ms }) => ms > LIMIT_MS);
const record = {
  what: 'Warm resolve, check, plan and emit for both targets: minimum of five runs per spec, or of up to 60 runs if all five took over 5 ms.',
  ...provenance(`node out/bench/measureGenerate.js ${countText} ${out}`),
  legal: figures(timed.filter(({ legal }) => legal)),
  illegal: figures(timed.filter(({ legal }) => !legal)),
  slow: slow.map(({ seed, ms }) => ({ seed, ms: Number(ms.toFixed(2)) })),
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(JSON.stringify(record, null, 1));
