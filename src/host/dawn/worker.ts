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
import { loadDawn, type Create } from './load';
import { dawnToggles, EXPERIMENTAL_TOGGLES } from './toggles';
import { validateTexts } from './validate';

const ADVICE = {
  noApi: 'npm install webgpu',
  noAdapter:
    "Install the GPU's Vulkan driver. Without a GPU, install Chromium (for example apt-get install " +
    'chromium): it brings a software driver.',
  restart: RESTART,
};

/** Sentences by feature, for the adapters that do not offer it. */
const WITHHELD = {
  'shader-f16':
    "Dawn withholds it from NVIDIA's Vulkan driver unless the command line's run, bench or tune has --experimental; other adapters without it cannot run this.",
  'chromium-experimental-subgroup-matrix':
    "Dawn withholds it unless the command line's run, bench or tune has --experimental; the driver must have cooperative matrices as well.",
};

/** Compiles WGSL and checks pipelines, without any driver: whatever some adapter may offer. */
const VALIDATE_OPTIONS = ['backend=null', `enable-dawn-features=${EXPERIMENTAL_TOGGLES.join(',')}`];

/** Not of ours, so not for us to repair. */
const BROKEN = 'Install that package again, or remove it: then another one can be used.';

/** Synchronous, because what follows may never give the event loop another turn. */
const say = (line: Line): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

async function main(): Promise<void> {
  const job = v.parse(jobSchema, JSON.parse(readFileSync(0, 'utf8')));
  // Where Dawn was installed for the user, if it was.
  const loaded = await loadDawn(process.argv[2]);
  if (!loaded.ok) {
    const { why, installable } = loaded;
    say({ type: 'failed', why, next: BROKEN, installable });
    return;
  }
  const { create, path, version, installed } = loaded;
  if (job.type === 'locate') {
    say({ type: 'located', path, version, installed });
    return;
  }
  const alive = setInterval(() => {
    say({ type: 'alive' });
  }, 1000);
  await perform(job, create);
  clearInterval(alive);
}

async function perform(job: Exclude<Job, { type: 'locate' }>, create: Create): Promise<void> {
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
  gpu: create(dawnToggles(job)),
  losses: { count: job.type === 'run' ? job.losses : 0 },
  robustness: job.robustness ?? 'on',
  experimental: job.experimental ?? false,
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
  advice: { ...ADVICE, withheld: job.experimental === true ? {} : WITHHELD },
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
