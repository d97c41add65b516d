/**
 * Writes the tables of bench/reports/performance.md from the raw results in bench/: node
 * out/scripts/performance.js [--check]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { packedSchema } from '../src/core/defaults/dispatch/packed';
import { measurementSchema, type Measurement } from '../src/core/measure/measurement';
import { specKey } from '../src/core/plan/specKey';
import type { ResolvedSpec } from '../src/core/spec/resolved';
import { projectRoot } from './install/project';
import { besideLibrary } from './performance/dispatch';
import { editor } from './performance/editor';
import { explorer } from './performance/explorer';
import { besideWebgpuLibraries } from './performance/libraries';
import { occupancyProof } from './performance/occupancy';
import { proof } from './performance/proof';
import { rankTimes, timeModel } from './performance/rank';
import { splitK } from './performance/splitK';
import { startup } from './performance/startup';
import { mmaRaces, splitRaces, tensorRaces } from './performance/tensor';
import { warpGroupModel } from './performance/warpGroups';
import { table, withSections } from './sections';
import { readShapes } from './tensor/candidates';

const root = projectRoot();
const textOf = (file: string): string => readFileSync(join(root, 'bench', file), 'utf8');
const read = (file: string): unknown => JSON.parse(textOf(file));
/** Record of the time model that default schedules use. */
const WGMMA_MODEL = 'h200-wgmma-model.json';

const ladderSchema = v.object({
  command: v.string(),
  commit: v.string(),
  gpu: v.object({ before: v.string() }),
  nvcc: v.string(),
  results: v.array(measurementSchema),
});
const sizeOf = ({ resolved }: Measurement): number => resolved?.problem.m ?? NaN;
const withoutLimits = ({ version, problem, schedule, device, targets }: ResolvedSpec) => ({
  version,
  problem,
  schedule,
  device,
  targets,
});
const rungOf = ({ resolved, specKey: whole }: Measurement): string => {
  const key = resolved === null ? whole : specKey(withoutLimits(resolved));
  return key.replace(/-\d+x\d+x\d+-rrr/, '').replace('gemm-f32-', '');
};
const tflops = (gflops: number): string => (gflops / 1000).toFixed(2);

function ladder(file: string): string {
  const { command, commit, gpu, nvcc, results } = v.parse(ladderSchema, read(file));
  const sizes = [...new Set(results.map(sizeOf))].sort((a, b) => a - b);
  const rungs = [...new Set(results.map(rungOf))];
  const at = (rung: string, size: number) =>
    results.find(run => rungOf(run) === rung && sizeOf(run) === size);
  const rate = (run: Measurement | undefined): string =>
    run?.timing === undefined ? (run?.outcome ?? '') : tflops(run.timing.gflops);
  const compiledFacts = results.some(({ resources }) => resources !== undefined);
  const rows = rungs.map(rung => [
    `\`${rung}\``,
    ...sizes.map(size => rate(at(rung, size))),
    ...(compiledFacts
      ? [String(results.find(run => rungOf(run) === rung)?.resources?.registers ?? '')]
      : []),
  ]);
  const baselines = sizes.map(size => {
    const all = results.filter(run => sizeOf(run) === size && run.baseline !== undefined);
    const values = all.map(run => run.baseline?.gflops ?? 0).sort((a, b) => a - b);
    const middle = values[Math.floor(values.length / 2)];
    return middle === undefined ? '' : tflops(middle);
  });
  const name = results.find(run => run.baseline !== undefined)?.baseline?.name;
  const timings = results.flatMap(({ timing }) => timing ?? []);
  const fastest = sizes.flatMap(size => {
    const [best] = results
      .filter(run => sizeOf(run) === size && run.timing !== undefined)
      .sort((a, b) => (b.timing?.gflops ?? 0) - (a.timing?.gflops ?? 0));
    const { timing, baseline } = best ?? {};
    if (timing === undefined || baseline === undefined) return [];
    return [
      `${tflops(timing.gflops)} TFLOP/s at ${size}, ${(100 * baseline.ratio).toFixed(1)} % of ${baseline.name}`,
    ];
  });
  const [ceilings] = results.flatMap(run => run.ceilings ?? []);
  const worst = (of: (timing: (typeof timings)[number]) => number) => Math.max(...timings.map(of));
  const clocks = timings.flatMap(timing => timing.clocks?.smMHz ?? []);
  const clock =
    clocks.length === 0 ? '' : ` SM clock ${Math.min(...clocks)} to ${Math.max(...clocks)} MHz.`;
  const { timer = '', cache = '', inputs = '' } = timings[0] ?? {};
  return [
    table(
      ['TFLOP/s', ...sizes.map(size => `${size}³`), ...(compiledFacts ? ['registers'] : [])],
      [...rows, ...(name === undefined ? [] : [[name, ...baselines, '']])],
    ),
    '',
    `${results.filter(({ outcome }) => outcome === 'correct').length} of ${results.length} runs had a correct result. ` +
      `Timer ${timer}, cache ${cache}, inputs ${inputs}; the interquartile range is at most ` +
      `${worst(t => (100 * t.iqrMs) / t.medianMs).toFixed(2)} % of the median, the timer's error at most ` +
      `${worst(t => t.errorPercent).toPrecision(2)} %.${clock}` +
      (ceilings === undefined
        ? ''
        : ` Ceilings measured in the same runs: FMA rate ${tflops(ceilings.gflops ?? 0)} TFLOP/s, memory bandwidth ${Math.round(ceilings.bandwidthGBps ?? 0)} GB/s.`),
    ...(fastest.length === 0 ? [] : ['', `Fastest kernel per size: ${fastest.join('; ')}.`]),
    '',
    `${gpu.before.split(', ').slice(0, 3).join(', ')}; nvcc ${nvcc}; commit \`${commit.slice(0, 12)}\`; \`${command}\`; raw: \`bench/${file}\`.`,
  ].join('\n');
}

const processesSchema = v.object({
  what: v.string(),
  machine: v.string(),
  how: v.string(),
  runs: v.array(
    v.object({ command: v.string(), state: v.string(), commit: v.string(), seconds: v.number() }),
  ),
});

function processes(): string {
  const { what, machine, how, runs } = v.parse(processesSchema, read('processes.json'));
  const rows = runs.map(run => [
    `\`${run.command}\``,
    run.state,
    run.seconds.toFixed(1),
    `\`${run.commit}\``,
  ]);
  const head = ['command', 'before', 'seconds', 'commit'];
  return [`${what}. ${machine}; ${how}.`, '', table(head, rows)].join('\n');
}

const SECTIONS: Readonly<Record<string, () => string>> = {
  'ladder-cuda': () => ladder('h200-ladder-cuda.json'),
  'ladder-webgpu': () => ladder('h200-ladder-webgpu.json'),
  'beside-library': () =>
    besideLibrary(
      textOf('h200-dispatch.jsonl'),
      v.parse(
        packedSchema,
        JSON.parse(
          readFileSync(join(root, 'src/core/defaults/dispatch/tables/h200-cuda-f32.json'), 'utf8'),
        ),
      ),
      table,
    ),
  'webgpu-libraries': () =>
    readdirSync(join(root, 'bench'))
      .filter(file => file.endsWith('-libraries.json'))
      .sort()
      .map(file => besideWebgpuLibraries(file, read(file), table))
      .join('\n\n'),
  'tensor-races': () =>
    tensorRaces(textOf('h200-wgmma.jsonl'), readShapes(join(root, 'bench', 'shapes.json')), table),
  'tensor-split': () => splitRaces(textOf('h200-wgmma-split.jsonl'), table),
  'tensor-mma': () => mmaRaces(textOf('h200-mma-race.jsonl'), table),
  proof: () => proof(read),
  'time-model': () => timeModel(read('time-model.json'), table),
  'wgmma-model': () => warpGroupModel(read(WGMMA_MODEL), WGMMA_MODEL, table),
  rank: () => rankTimes(read('rank.json'), table),
  occupancy: () => occupancyProof(read('occupancy.json'), table),
  'split-k': () => splitK(read('h200-split-k.json'), table),
  processes,
  startup: () => startup(read('startup.json'), table),
  explorer: () => explorer(read('explorer.json'), table),
  editor: () => editor(read('editor.json'), table),
};

const PAGE = 'bench/reports/performance.md';
const file = join(root, PAGE);
const before = readFileSync(file, 'utf8');
const text = withSections(PAGE, before, SECTIONS);
if (process.argv.includes('--check')) {
  if (text !== before)
    throw new Error(
      `${PAGE} differs from the records in bench/. Fix: run node out/scripts/performance.js without --check.`,
    );
} else {
  writeFileSync(file, text);
}
