/**
 * Chooses the default schedule of random CUDA problems on an H200. Records the time of the choice,
 * problems without a legal default, defaults above the workspace limit, and defaults that do not
 * use legal tensor cores:
 * `node out/bench/planRandom.js --seed SEED [--count 10000] [--out bench/default-choice.json]`
 * No GPU is required.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { resolve, resolveWithOrigin } from '../../src/core/defaults/resolve';
import { quantile } from '../../src/core/measure/statistics';
import { plan } from '../../src/core/plan/planner';
import { workspaceBytes, WORKSPACE_LIMIT_BYTES } from '../../src/core/plan/workspace';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import type { GemmSpec } from '../../src/core/spec/schema';
import { choicesOf, type Choices } from '../../scripts/grid/choices';
import { provenance } from '../../scripts/grid/provenance';

const { values: given } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '10000' },
    out: { type: 'string', default: 'bench/default-choice.json' },
  },
});
if (given.seed === undefined) throw new Error('--seed is required.');
const [seed, count] = [Number(given.seed), Number(given.count)];

const DTYPES = ['f32', 'bf16', 'f16', 'tf32', 'e4m3'] as const;
const LAYOUTS = ['row', 'col'] as const;
const MAX_EXTENT = 20_000;
const STRIDE = 1_000_000;
/** Problems before the measurement, so that the code is compiled. */
const WARM_UP = 500;

/** Extents are log-uniform; half of the problems has multiples of 8. */
function problemOf(from: Choices): GemmSpec['problem'] {
  const dtype = from.pick(DTYPES);
  const step = from.pick([1, 8]);
  const side = (): number => {
    const drawn = MAX_EXTENT ** (from.between(0, 1_000_000) / 1_000_000);
    return Math.max(1, step * Math.round(drawn / step));
  };
  const [m, n, k] = [side(), side(), side()];
  return {
    m,
    n,
    k,
    batch: from.pick([1, 1, 1, 2, 5]),
    beta: from.pick([0, 0, 1]),
    a: { dtype, layout: from.pick(LAYOUTS) },
    b: { dtype, layout: from.pick(LAYOUTS) },
    c: { layout: from.pick(LAYOUTS), ...(dtype === 'e4m3' ? { dtype: 'bf16' as const } : {}) },
  };
}

const specOf = (index: number): GemmSpec => ({
  version: 1,
  problem: problemOf(choicesOf(seed * STRIDE + index)),
  device: 'h200',
  targets: ['cuda'],
});

const TENSOR = ['wgmma', 'mma'] as const;

const usesTensorCores = ({ schedule }: ResolvedSpec): boolean =>
  TENSOR.some(algorithm => algorithm === schedule.algorithm);

const isLegalOn = (spec: GemmSpec, algorithm: (typeof TENSOR)[number]): boolean =>
  plan(resolve({ ...spec, schedule: { algorithm } }), 'cuda').ok;

const milliseconds: number[] = [];
const origins: Record<string, number> = {};
const refused: unknown[] = [];
const overLimit: unknown[] = [];
const withoutTensorCores: unknown[] = [];

for (let index = 0; index < WARM_UP; index++) resolveWithOrigin(specOf(count + index));
for (let index = 0; index < count; index++) {
  const spec = specOf(index);
  const began = performance.now();
  const { resolved, found } = resolveWithOrigin(spec);
  milliseconds.push(performance.now() - began);
  const origin = `${spec.problem.a?.dtype ?? ''} ${found?.how ?? 'default'}`;
  origins[origin] = (origins[origin] ?? 0) + 1;
  const planned = plan(resolved, 'cuda');
  if (!planned.ok) {
    const rules = [...new Set(planned.violations.map(({ rule }) => rule))];
    refused.push({ problem: spec.problem, rules });
    continue;
  }
  const bytes = workspaceBytes(planned.plan, resolved.problem.accumulator);
  if (bytes > WORKSPACE_LIMIT_BYTES) overLimit.push({ problem: spec.problem, bytes });
  if (resolved.problem.a.dtype === 'f32' || usesTensorCores(resolved)) continue;
  if (TENSOR.some(algorithm => isLegalOn(spec, algorithm))) withoutTensorCores.push(spec.problem);
}

const rounded = (value: number): number => Number(value.toFixed(3));
const record = {
  what: 'Default schedules of random CUDA problems on an H200',
  ...provenance(`node out/bench/planRandom.js ${process.argv.slice(2).join(' ')}`),
  seed,
  count,
  milliseconds: {
    median: rounded(quantile(milliseconds, 0.5)),
    p99: rounded(quantile(milliseconds, 0.99)),
    maximum: rounded(Math.max(...milliseconds)),
  },
  origins,
  refused,
  overLimit,
  withoutTensorCores,
};
writeFileSync(given.out, `${JSON.stringify(record, null, 1)}\n`);
console.log({
  ...record,
  refused: refused.length,
  overLimit: overLimit.length,
  withoutTensorCores: withoutTensorCores.length,
});
