/**
 * Counts wavefronts, sectors and bytes of generated kernels with Nsight Compute and compares them with the analysis:
 * node out/scripts/countMemory.js [out.json] [size]
 * Needs a GPU, nvcc and ncu with the permission to read counters; says so and stops where it is refused. Uses Node alone.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { summary, type Counted } from './memory/counted';
import { countedKernels } from './memory/kernels';

const [out = 'bench/memory-h200.json', sizeText = '1024'] = process.argv.slice(2);
const size = Number(sizeText);
/** Exit code of the CLI for what this machine lacks, a permission included. */
const LACKING = 3;

function ask(command: string, spec: object, args: readonly string[] = []) {
  return spawnSync(process.execPath, ['dist/cli.js', command, '-', '--json', ...args], {
    input: JSON.stringify(spec),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: 600_000,
  });
}

const results: Counted[] = [];
for (const spec of countedKernels(size)) {
  const { status, stdout, stderr } = ask('ncu', spec);
  if (status === LACKING) {
    console.error(stderr.trim());
    process.exit(LACKING);
  }
  const counters: unknown = status === 0 ? JSON.parse(stdout) : null;
  const analysis = JSON.parse(ask('analyze', spec, ['--estimate']).stdout) as Counted['analysis'];
  results.push({ spec, counters, analysis, message: status === 0 ? '' : stderr.trim() });
  console.error(
    `${results.length}: ${analysis.specKey}${status === 0 ? '' : `: ${stderr.trim()}`}`,
  );
}
const command = `node out/scripts/countMemory.js ${out} ${size}`;
writeFileSync(out, `${JSON.stringify({ command, size, results }, null, 1)}\n`);
console.log(summary(results));
