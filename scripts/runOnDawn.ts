/**
 * Runs the WGSL kernels of seeds sequentially in this process. Prints the probe result and then the
 * result of each kernel, each as one line of JSON. scripts/grid/dawnRuns.ts starts it: node
 * out/scripts/runOnDawn.js 3 17 20
 */
import { writeSync } from 'node:fs';
import { SUBMIT_MS, type Environment } from '../src/webgpu/environment';
import { probeWebgpu } from '../src/webgpu/probe';
import { runOnWebgpu } from '../src/webgpu/run';
import { INPUTS, PATIENT } from './grid/draws';
import { kernelOf } from './grid/properties';
import { specOf } from './grid/specs';

const PACKAGE = 'webgpu';
const { create } = (await import(PACKAGE)) as { create: (options: string[]) => GPU };
const nothing = (): void => undefined;
const environment: Environment = {
  gpu: create([]),
  now: () => performance.now(),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
  visible: () => true,
  onHidden: () => nothing,
  where: 'script',
  ceilings: new Map(),
  losses: { count: 0 },
  robustness: 'on',
  submitMs: SUBMIT_MS,
  advice: {
    noApi: 'npm install webgpu',
    noAdapter: 'Install Chromium, which includes the software driver SwiftShader.',
    restart: '',
  },
};
const say = (line: object): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

const probed = await probeWebgpu(environment);
say(probed);
for (const seed of probed.available ? process.argv.slice(2).map(Number) : []) {
  const kernel = kernelOf(specOf(seed), 'wgsl');
  if (kernel === null) throw new Error(`seed ${seed} has no WGSL kernel`);
  const request = { runnable: kernel, mode: 'verify', seed: INPUTS } as const;
  const { outcome, message, verification } = await runOnWebgpu(environment, request, PATIENT);
  const { maxError, bound, mismatches } = verification;
  say({ seed, specKey: kernel.specKey, outcome, message, maxError, bound, mismatches });
}
// An orderly exit would wait for Dawn's threads.
process.kill(process.pid, 'SIGKILL');
