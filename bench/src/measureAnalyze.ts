/**
 * Measures the CPU time of warm `analyze` calls for random specs and records it. The CPU time of
 * the process includes garbage collection and JIT compilation, but not other processes:
 * node out/bench/measureAnalyze.js [count] [out.json]
 */
import { writeFileSync } from 'node:fs';
import { analyze } from '../../src/core/report/analyze';
import { DEFAULT_DEVICE, findDevice } from '../../src/core/hardware/devices';
import { emit } from '../../src/core/kernel/emit';
import type { Kernel } from '../../src/core/kernel/kernel';
import { median, quantile } from '../../src/core/measure/statistics';
import { checkAndPlan } from '../../src/core/defaults/check';
import { TARGETS, type GemmSpec, type Target } from '../../src/core/spec/schema';
import { provenance } from '../../scripts/grid/provenance';
import { specOf } from '../../scripts/grid/specs';

const [countText = '2000', out = 'bench/analyze.json'] = process.argv.slice(2);
const TIMES = 5;
const LIMIT_MS = 5;

interface Asked {
  readonly seed: number;
  readonly target: Target;
  readonly spec: GemmSpec;
}

function kernelOf({ spec, target }: Asked): Kernel | null {
  const planned = checkAndPlan(spec).plans[target];
  return planned.ok ? emit(planned.plan) : null;
}

function analysed(kernel: Kernel): void {
  analyze(kernel, { device: findDevice(kernel.plan.spec.device)?.id ?? DEFAULT_DEVICE });
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const asked = Array.from({ length: Number(countText) }, (_, seed) => ({
  seed,
  spec: specOf(seed),
})).flatMap(spec => TARGETS.map((target): Asked => ({ ...spec, target })));
const legal = asked.flatMap(one => {
  const kernel = kernelOf(one);
  return kernel === null ? [] : [{ ...one, kernel }];
});
const whole = (one: Asked): void => {
  const kernel = kernelOf(one);
  if (kernel !== null) analysed(kernel);
};
for (const one of legal) whole(one);
/**
 * Each pass times every kernel once, so that a short disturbance does not affect all timings of one
 * kernel.
 */
const passes = Array.from({ length: TIMES }, () =>
  legal.map(one => ({
    analysis: cpuMs(() => {
      analysed(one.kernel);
    }),
    whole: cpuMs(() => {
      whole(one);
    }),
  })),
);
const timed = legal.map(({ seed, target, kernel }, i) => ({
  seed,
  target,
  specKey: kernel.specKey,
  analysis: passes.map(pass => pass[i]?.analysis ?? NaN),
  whole: passes.map(pass => pass[i]?.whole ?? NaN),
}));

const rounded = (value: number): number => Number(value.toFixed(3));
const figures = (values: readonly number[]) => ({
  p50Ms: rounded(median(values)),
  p95Ms: rounded(quantile(values, 0.95)),
  maxMs: rounded(Math.max(...values)),
});
const both = (of: 'analysis' | 'whole') => ({
  single: figures(timed.map(one => one[of][0] ?? NaN)),
  medianOfFive: figures(timed.map(one => median(one[of]))),
});
const record = {
  what: 'CPU time of warm analyze calls for random kernels, and of the complete sequence from the spec: resolve, check and plan for both targets, emit, analyze.',
  ...provenance(`node out/bench/measureAnalyze.js ${countText} ${out}`),
  kernels: timed.length,
  analysis: both('analysis'),
  whole: both('whole'),
  slow: timed
    .filter(one => median(one.analysis) > LIMIT_MS)
    .map(({ seed, target, specKey, analysis }) => ({
      seed,
      target,
      specKey,
      ms: analysis.map(rounded),
    })),
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(JSON.stringify(record, null, 1));
