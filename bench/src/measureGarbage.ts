/**
 * Measures how much an unreadable run history delays CodeLens, in a real VS Code in Restricted
 * Mode. The measured time is from opening a kernel in a fresh window to its first lens. Windows
 * without a history alternate with windows whose history is 16 MB of unreadable lines:
 * node out/bench/measureGarbage.js [windows of each kind] [out.json]
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFile, startHost, waitForLens } from '../../scripts/vscodeHost';

const GARBAGE_BYTES = 16_000_000;
const KERNEL = `// @gemm {"problem":{"m":64,"n":64,"k":64},"grid":["n/16","m/16"],"block":[16,16],"args":["A","B","C"]}
extern "C" __global__ void plain(const float* A, const float* B, float* C) {
  C[0] = A[0] * B[0];
}
`;

const [windowsText = '7', out = 'bench/garbage-runs.json'] = process.argv.slice(2);

async function timeLensMs(garbage: boolean): Promise<number> {
  const workspace = await mkdtemp(join(tmpdir(), 'gemm-garbage-'));
  try {
    await writeFile(join(workspace, 'plain.cu'), KERNEL);
    if (garbage) {
      const runs = join(workspace, '.gemm', 'runs');
      await mkdir(runs, { recursive: true });
      await writeFile(join(runs, 'a.jsonl'), 'x\n'.repeat(GARBAGE_BYTES / 2));
    }
    const host = await startHost({ workspace, trust: 'restricted', env: {} });
    try {
      const began = performance.now();
      await openFile(host.page, 'plain.cu');
      await waitForLens(host.page, 'Verify');
      return performance.now() - began;
    } finally {
      await host.close();
    }
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

const without: number[] = [];
const withGarbage: number[] = [];
for (let window = 0; window < Number(windowsText); window++) {
  without.push(Math.round(await timeLensMs(false)));
  withGarbage.push(Math.round(await timeLensMs(true)));
}
const record = {
  at: new Date().toISOString(),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  command: `node out/bench/measureGarbage.js ${windowsText}`,
  machine: { cpu: cpus()[0]?.model, cores: cpus().length, load: loadavg()[0] },
  garbageBytes: GARBAGE_BYTES,
  lensMs: { without, withGarbage },
  medianDelayMs: median(withGarbage) - median(without),
};
await writeFile(out, `${JSON.stringify(record, null, 2)}\n`);
console.log(JSON.stringify(record));
