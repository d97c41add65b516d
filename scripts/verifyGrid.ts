/**
 * Runs the WGSL twin of every spec of the grid on this machine's adapter and records the outcomes:
 * node out/scripts/verifyGrid.js [count] [out.json]
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { dawnBackend, validateWgsl } from '../src/host/dawn/backend';
import { gridKernels } from './grid/specs';
import { projectRoot } from './install/project';

const [countText = '240', out = 'bench/wgsl-grid.json'] = process.argv.slice(2);
const options = { worker: path.join(projectRoot(), 'dist', 'dawnWorker.js'), where: 'cli' };
const kernels = gridKernels(Number(countText), ['cuda', 'wgsl']).flatMap(([, wgsl]) => wgsl ?? []);
const context = {
  abort: new AbortController().signal,
  progress: () => undefined,
};

const validated = await validateWgsl(
  options,
  kernels.map(({ source }) => ({ source })),
);
if (!validated.ok) throw new Error(`${validated.why} ${validated.next}`);
const rejected = validated.messages.filter(messages => messages.length > 0).length;
const backend = dawnBackend(options);
const probed = await backend.probe();
if (!probed.available) throw new Error(`${probed.why} ${probed.next}`);

const results: {
  specKey: string;
  outcome: string;
  maxError: number | null;
  bound: number | null;
}[] = [];
for (const runnable of kernels) {
  const { outcome, verification } = await backend.run(
    { runnable, mode: 'verify', seed: 3 },
    context,
  );
  const { maxError, bound } = verification;
  results.push({ specKey: runnable.specKey, outcome, maxError, bound });
  if (results.length % 40 === 0) console.log(`${results.length} of ${kernels.length} run`);
}
const wrong = results.filter(({ outcome }) => outcome !== 'correct').length;
const record = {
  what: "Emitted WGSL kernels: Dawn's validation, and their results against f64",
  command: `node out/scripts/verifyGrid.js ${countText} ${out}`,
  adapter: probed.device,
  ...{ rejected, wrong, results },
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(
  `${kernels.length} kernels: ${rejected} rejected by Dawn, ${wrong} not correct: ${out}`,
);
process.exitCode = rejected + wrong === 0 ? 0 : 1;
