/**
 * Times the text-editor features on this machine:
 * node out/bench/measureEditor.js [runs] [out.json]
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { emit } from '../../src/core/kernel/emit';
import { parseKernelText } from '../../src/core/source/kernelFile';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import { createKernelFactsCache } from '../../src/extension/editor/kernelFacts';
import { lensPlaces } from '../../src/extension/editor/lensPlaces';

const KERNELS = 1000;
const SHOWN = 20;
const WARM_UP = 5;

const [runsText = '100', out = 'bench/editor.json'] = process.argv.slice(2);
const runs = Number(runsText);

function generated(index: number): string {
  const spec = {
    problem: { m: 64 + index, n: 64, k: 64 },
    schedule: { algorithm: 'naive' as const },
  };
  const planned = plan(resolve(spec), 'cuda');
  if (!planned.ok) throw new Error('Expected a legal naive kernel.');
  return emit(planned.plan).source;
}

const described = (index: number): string =>
  [
    `// @gemm {"entry":"k${index}","problem":{"m":1024,"n":1024,"k":1024},"grid":["ceil(n / 16)","ceil(m / 16)"],"block":[16,16],"args":["m","n","k","a","b","c"]}`,
    'template <int TILE = 16>',
    `__global__ void __launch_bounds__(256) k${index}(int m, int n, int k, const float* a, const float* b, float* c) {`,
    '  __shared__ float As[16][16];  // a tile of A',
    '  for (int i = 0; i < k; i += 16) { /* stage, multiply */ c[i] += a[i] * b[i]; }',
    '}\n',
  ].join('\n');

interface Timed {
  readonly name: string;
  readonly runs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly budgetMs?: number;
}

function time(
  name: string,
  prepare: (run: number) => () => unknown,
  budget: Pick<Timed, 'budgetMs'> = {},
): Timed {
  const times: number[] = [];
  for (let run = -WARM_UP; run < runs; run++) {
    const act = prepare(run);
    const before = performance.now();
    act();
    if (run >= 0) times.push(performance.now() - before);
  }
  times.sort((left, right) => left - right);
  const at = (fraction: number) => times[Math.ceil(fraction * times.length) - 1] ?? NaN;
  const result = { name, runs, medianMs: at(0.5), p95Ms: at(0.95), ...budget };
  console.log(
    `${name}: median ${result.medianMs.toFixed(2)} ms, p95 ${result.p95Ms.toFixed(2)} ms`,
  );
  return result;
}

const one = Array.from({ length: KERNELS }, (_, i) => described(i)).join('\n');
const many = Array.from({ length: KERNELS }, (_, i) => generated(i));
/** Appends a comment to the source, so that no result is cached for it. */
const changed = (text: string, run: number): string => `${text}// ${run}\n`;
const lenses = (text: string) => lensPlaces(parseKernelText(text, 'kernels.cu'));
const knowledge = () =>
  createKernelFactsCache({
    factsOf: () => undefined,
    runsOf: () => [],
    runs: () => [],
    device: () => 'h200',
  });

const BUDGET = { budgetMs: 50 };

const results = [
  time(
    `CodeLens of ${KERNELS} kernels in one document`,
    run => {
      const text = changed(one, run);
      return () => lenses(text);
    },
    BUDGET,
  ),
  time(
    `CodeLens of ${KERNELS} documents of one generated kernel each`,
    run => {
      const texts = many.map(text => changed(text, run));
      return () => texts.map(lenses);
    },
    BUDGET,
  ),
  time(`CodeLens details of ${SHOWN} visible kernels, of ${KERNELS} in one document`, run => {
    const file = parseKernelText(changed(one, run), 'kernels.cu');
    const known = knowledge();
    return () => file.kernels.slice(0, SHOWN).map(({ entry }) => known.of(file, entry));
  }),
  time('CodeLens details of one generated kernel', run => {
    const file = parseKernelText(many[(run + WARM_UP) % KERNELS] ?? '', 'kernel.cu');
    const known = knowledge();
    return () => file.kernels.map(({ entry }) => known.of(file, entry));
  }),
];

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const record = {
  what: 'Times of text-editor features',
  command: `node out/bench/measureEditor.js ${runs} ${out}`,
  machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.versions.node}`,
  loadAverage: loadavg().map(load => Number(load.toFixed(2))),
  commit,
  characters: { oneDocument: one.length, documents: many.join('').length },
  results,
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
