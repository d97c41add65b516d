/**
 * Writes the tables and plots of bench/reports/cuda.md from the raw results in bench/: node
 * out/scripts/cudaTables.js [--check]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ceilingsTable } from './cuda/ceilings';
import { ladderPlot, ladderTable } from './cuda/ladder';
import { mutantKinds, mutantList } from './cuda/mutants';
import { benchmark, ceilings, ladderRecord, mutants, textOf } from './cuda/records';
import { agreement, agreementPlot, speed, speedPlot } from './cuda/speed';
import { torchBenchmarkTable } from './cuda/torchBenchmark';
import { projectRoot } from './install/project';
import { withSections } from './sections';

const PAGE = 'bench/reports/cuda.md';
const root = projectRoot();

export function cudaFiles(): ReadonlyMap<string, string> {
  const bench = benchmark(textOf('h200-bench.jsonl'));
  const wrong = mutants();
  const ladder = ladderRecord('h200-ladder-4096.json');
  const theirs = textOf('h200-sgemm.txt');
  const page = withSections(PAGE, readFileSync(path.join(root, PAGE), 'utf8'), {
    speed: () => speed(bench),
    agreement: () => agreement(bench),
    'torch-benchmark': torchBenchmarkTable,
    ladder: () => ladderTable(ladder, theirs),
    mutants: () => mutantKinds(wrong),
    'mutant-list': () => mutantList(wrong),
    ceilings: () => ceilingsTable(ceilings()),
  });
  return new Map([
    [PAGE, page],
    ['docs/images/cuda-speed.svg', speedPlot(bench)],
    ['docs/images/cuda-agreement.svg', agreementPlot(bench)],
    ['docs/images/cuda-ladder.svg', ladderPlot(ladder, theirs)],
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of cudaFiles()) {
    const whole = path.join(root, file);
    if (!process.argv.includes('--check')) writeFileSync(whole, text);
    else if (!existsSync(whole) || readFileSync(whole, 'utf8') !== text)
      throw new Error(`${file} differs from the records in bench/. Fix: run without --check.`);
  }
}
