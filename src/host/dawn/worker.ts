/**
 * Runs one job on Dawn, the WebGPU of Chromium as an npm package, in a process of its own: a driver that
 * hangs or crashes takes only this process with it. Bundled to dist/dawnWorker.js.
 */
import { readFileSync, writeSync } from 'node:fs';
import * as v from 'valibot';
import { SUBMIT_MS, type Environment } from '../../webgpu/environment';
import { probeWebgpu } from '../../webgpu/probe';
import { runOnWebgpu } from '../../webgpu/run';
import { messageOf } from '../text';
import { jobSchema, RESTART, unpackRequest, type Job, type Line } from './job';
import { validateTexts } from './validate';

type Create = (options: string[]) => GPU;
const PACKAGE = 'webgpu';

const ADVICE = {
  noApi: 'npm install webgpu',
  noAdapter:
    "Install the GPU's Vulkan driver. Without a GPU, install Chromium (for example apt-get install " +
    'chromium): it brings a software driver.',
  restart: RESTART,
};

/** Unrounded timestamps: nobody else's secrets are in this process. */
const RUN_OPTIONS = ['disable-dawn-features=timestamp_quantization'];
const UNCHECKED_OPTION = 'enable-dawn-features=disable_robustness';
/** Compiles WGSL and checks pipelines, without any driver. */
const VALIDATE_OPTIONS = ['backend=null'];

/** Synchronous, because what follows may never give the event loop another turn. */
const say = (line: Line): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

async function main(): Promise<void> {
  const job = v.parse(jobSchema, JSON.parse(readFileSync(0, 'utf8')));
  let create: Create;
  try {
    ({ create } = (await import(PACKAGE)) as { create: Create });
  } catch (error) {
    const why = `The npm package ${PACKAGE} (Dawn) cannot be loaded: ${messageOf(error)}`;
    say({ type: 'failed', why: why.slice(0, 2000), next: 'Install it: npm install webgpu' });
    return;
  }
  const alive = setInterval(() => {
    say({ type: 'alive' });
  }, 1000);
  await perform(job, create);
  clearInterval(alive);
}

async function perform(job: Job, create: Create): Promise<void> {
  if (job.type === 'validate') {
    const messages = await validateTexts(create(VALIDATE_OPTIONS), job.texts);
    say({ type: 'validated', messages });
    return;
  }
  const env = environment(create, job);
  if (job.type === 'probe') {
    say({ type: 'availability', answer: await probeWebgpu(env) });
    return;
  }
  const measurement = await runOnWebgpu(env, unpackRequest(job), {
    abort: new AbortController().signal,
    progress: progress => {
      say({ type: 'progress', ...progress });
    },
  });
  say({ type: 'measured', measurement, ceilings: [...env.ceilings], losses: env.losses.count });
}

const environment = (create: Create, job: Extract<Job, { where: string }>): Environment => ({
  gpu: create(job.robustness === 'off' ? [...RUN_OPTIONS, UNCHECKED_OPTION] : RUN_OPTIONS),
  losses: { count: job.type === 'run' ? job.losses : 0 },
  robustness: job.robustness ?? 'on',
  now: () => performance.now(),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
  visible: () => true,
  onHidden: () => () => undefined,
  submitMs: (job.type === 'run' ? job.submitMs : undefined) ?? SUBMIT_MS,
  where: job.where,
  advice: ADVICE,
  ceilings: new Map(job.type === 'run' ? job.ceilings : []),
});

try {
  await main();
} catch (error) {
  const why = `The Dawn worker failed: ${messageOf(error)}`;
  say({ type: 'failed', why: why.slice(0, 2000), next: 'Please report it, with the kernel.' });
}
// Everything is said. An orderly exit would wait for Dawn's threads, which may be in an endless kernel.
process.kill(process.pid, 'SIGKILL');
