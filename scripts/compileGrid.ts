/**
 * Compiles a grid of legal specs with nvcc for several architectures, no warning allowed, and records it:
 * node out/scripts/compileGrid.js [count] [out.json]
 */
import { writeFileSync } from 'node:fs';
import { runProcess } from '../src/host/process';
import { findNvcc } from '../src/host/toolchain';
import { compileTogether } from './grid/compile';
import { gridKernels } from './grid/specs';

const ARCHITECTURES = ['75', '80', '86', '89', '90', '100', '120'];
const TOGETHER = 20;

const [countText = '240', out = 'bench/compile-grid.json'] = process.argv.slice(2);
const count = Number(countText);
const found = await findNvcc();
if (!found.ok) throw new Error(found.why);
const { nvcc } = found;
const kernels = gridKernels(count, ['cuda', 'wgsl']).map(([cuda]) => {
  if (cuda === undefined) throw new Error('a drawn spec has no CUDA kernel');
  return cuda;
});
const failures: { specKeys: string[]; output: string }[] = [];
for (let from = 0; from < kernels.length; from += TOGETHER) {
  const batch = kernels.slice(from, from + TOGETHER);
  const result = await compileTogether(nvcc.path, batch, ARCHITECTURES);
  if (!result.ok)
    failures.push({ specKeys: batch.map(({ specKey }) => specKey), output: result.output });
  console.log(
    `${Math.min(from + TOGETHER, count)} of ${count} compiled, ${failures.length} batches failed`,
  );
}
const version = await runProcess(nvcc.path, ['--version'], { timeoutMs: 10_000 });
const record = {
  what: 'Emitted CUDA kernels compiled without a warning (-Wall -Wextra, -Werror all-warnings)',
  command: `node out/scripts/compileGrid.js ${count} ${out}`,
  nvcc: /release [\d.]+, V[\d.]+/.exec(version.stdout)?.[0] ?? 'unknown',
  architectures: ARCHITECTURES.map(arch => `sm_${arch}`),
  specs: kernels.map(({ specKey }) => specKey),
  failures,
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(
  `${kernels.length} specs, ${ARCHITECTURES.length} architectures, ${failures.length} failures: ${out}`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
