/**
 * Times the steps from the palette to a benchmark result, without CUDA, in a new VS Code per run:
 * node out/bench/measureFirstPoint.js [runs] [out.json]
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { walkToFirstPoint, type FirstPoint } from '../../scripts/demo/firstPoint';
import { startHost } from '../../scripts/vscodeHost';

const [runsText = '5', out = 'bench/first-point.json'] = process.argv.slice(2);

async function measure(): Promise<FirstPoint> {
  const workspace = await mkdtemp(join(tmpdir(), 'gemm-first-'));
  const host = await startHost({
    workspace,
    trust: 'trusted',
    env: { CUDA_PATH: '', CUDA_HOME: '' },
  });
  try {
    return await walkToFirstPoint(host.page);
  } finally {
    await host.close();
    await rm(workspace, { recursive: true, force: true });
  }
}

const runs: FirstPoint[] = [];
for (let run = 0; run < Number(runsText); run++) {
  const point = await measure();
  console.log(`${point.keys.length} keys, ${point.seconds.toFixed(1)} s: ${point.result}`);
  runs.push(point);
}
const record = {
  what: 'Generate tiled GEMM with default answers, then Benchmark; software adapter, no CUDA',
  command: 'node out/bench/measureFirstPoint.js',
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
  load: loadavg(),
  runs,
};
writeFileSync(out, `${JSON.stringify(record, null, 2)}\n`);
