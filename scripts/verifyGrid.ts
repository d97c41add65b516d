/**
 * Runs the WGSL kernels of random legal specs on this machine's adapter and records what came of it:
 * node out/scripts/verifyGrid.js [count] [out.json]
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { validateWgsl } from '../src/host/dawn/backend';
import { runOnDawn } from './grid/dawnRuns';
import { drawnKernels, replay } from './grid/draws';
import { provenance } from './grid/provenance';
import { taken } from './grid/taken';
import { projectRoot } from './install/project';

const [countText = '2000', out = 'bench/wgsl-grid.json'] = process.argv.slice(2);
const began = performance.now();
const drawn = taken(Number(countText), drawnKernels('wgsl'));
const validated = await validateWgsl(
  { worker: path.join(projectRoot(), 'dist', 'dawnWorker.js'), where: 'script' },
  drawn.map(({ kernel: { source } }) => ({ source })),
);
if (!validated.ok) throw new Error(`${validated.why} ${validated.next}`);
const rejected = validated.messages.filter(messages => messages.length > 0).length;
const result = await runOnDawn(
  drawn.map(({ seed }) => seed),
  done => {
    console.log(`${done} of ${drawn.length}`);
  },
);
if (!result.available) throw new Error(result.why);
const share = ({ maxError, bound }: (typeof result.runs)[number]): number =>
  maxError === null || bound === null || bound === 0 ? 0 : maxError / bound;
const failed = result.runs.flatMap(({ outcome, message = '' }, i) => {
  const one = drawn[i];
  return outcome === 'correct' || one === undefined
    ? []
    : [replay({ ...one, failures: [`webgpu: ${outcome}. ${message}`] })];
});
const worst = [...result.runs].sort((left, right) => share(right) - share(left))[0];
const record = {
  what: "Random legal WGSL kernels: Dawn's validation, and their results against f64",
  ...(await provenance(`node out/scripts/verifyGrid.js ${countText} ${out}`)),
  adapter: result.device,
  ...{ kernels: drawn.length, lastSeed: drawn.at(-1)?.seed ?? null, rejected },
  seconds: Math.round((performance.now() - began) / 1000),
  ...{ worst, failed },
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(
  [
    ...failed,
    `${drawn.length} kernels: ${rejected} rejected by Dawn, ${failed.length} not correct`,
  ].join('\n'),
);
process.exitCode = rejected + failed.length === 0 ? 0 : 1;
