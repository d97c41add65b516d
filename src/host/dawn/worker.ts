/**
 * Runs one job on Dawn, Chromium's WebGPU implementation as an npm package. The job runs in a child
 * process, so that a hang or crash of the driver only affects this process. The module is bundled
 * as dist/dawnWorker.js.
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
    "Install the GPU's Vulkan driver. Without a GPU, install Chromium (for example apt-get install chromium), which includes a software driver.",
  restart: RESTART,
};

/** Instructions to enable a feature, by feature name. */
const WITHHELD = {
  'shader-f16':
    "On NVIDIA's Vulkan driver, Dawn supports this feature only with --experimental (run, bench and tune). Other adapters without this feature cannot run this kernel.",
  'chromium-experimental-subgroup-matrix':
    'Dawn supports this feature only with --experimental (run, bench and tune), and the driver must support cooperative matrices.',
};

/** Options that compile WGSL without a driver, with experimental features enabled. */
const VALIDATE_OPTIONS = ['backend=null', `enable-dawn-features=${EXPERIMENTAL_TOGGLES.join(',')}`];

/** Remedy for a package that was not installed by the extension. */
const BROKEN = 'Reinstall that package, or remove it to use a different package.';

/** Prints a message synchronously, because a driver may block the event loop afterwards. */
const writeLine = (line: Line): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

async function main(): Promise<void> {
  const job = v.parse(jobSchema, JSON.parse(readFileSync(0, 'utf8')));
  // The argument is the folder in which Dawn was installed for the user, if any.
  const loaded = await loadDawn(process.argv[2]);
  if (!loaded.ok) {
    const { why, installable } = loaded;
    writeLine({ type: 'failed', why, next: BROKEN, installable });
    return;
  }
  const { create, path, version, installed } = loaded;
  if (job.type === 'locate') {
    writeLine({ type: 'located', path, version, installed });
    return;
  }
  const alive = setInterval(() => {
    writeLine({ type: 'alive' });
  }, 1000);
  await perform(job, create);
  clearInterval(alive);
}

async function perform(job: Exclude<Job, { type: 'locate' }>, create: Create): Promise<void> {
  if (job.type === 'validate') {
    const messages = await validateTexts(create(VALIDATE_OPTIONS), job.texts);
    writeLine({ type: 'validated', messages });
    return;
  }
  const env = environment(create, job);
  if (job.type === 'probe') {
    writeLine({ type: 'availability', answer: await probeWebgpu(env) });
    return;
  }
  const measurement = await runOnWebgpu(env, unpackRequest(job), {
    abort: new AbortController().signal,
    progress: progress => {
      writeLine({ type: 'progress', ...progress });
    },
  });
  writeLine({
    type: 'measured',
    measurement,
    ceilings: [...env.ceilings],
    losses: env.losses.count,
  });
}

const environment = (create: Create, job: Extract<Job, { where: string }>): Environment => ({
  gpu: create(dawnToggles(job)),
  losses: { count: job.type === 'run' ? job.losses : 0 },
  robustness: job.robustness ?? 'on',
  experimental: job.experimental ?? false,
  judges: true,
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
  writeLine({
    type: 'failed',
    why: why.slice(0, 2000),
    next: 'Report this failure, with the kernel.',
  });
}
// All output has been written. A normal exit would wait for Dawn's threads, which may run an
// endless kernel.
process.kill(process.pid, 'SIGKILL');
