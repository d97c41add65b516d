/** One measurement at a time on a GPU, across processes, and no lock outlives its process. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'esbuild';
import { lockGpu } from '../../../src/host/cuda/runner/gpuLock';
import type { NamedLock } from '../../../src/host/namedLock';
import { eachInHostileFolder } from '../support';

const posixOnly = process.platform === 'linux' ? describe : describe.skip;

/** Lets CommonJS packages inside an ES module call require. */
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

posixOnly('the lock of a GPU (Linux)', function () {
  this.timeout(20_000);
  let folder: string;
  eachInHostileFolder(given => {
    folder = given;
  });
  const uuid = `GPU-test-${process.pid}`;
  /** The lock, where it was had. */
  const had = (lock: Awaited<ReturnType<typeof lockGpu>>): NamedLock => {
    assert.ok(lock !== undefined && 'release' in lock);
    return lock;
  };
  const options = (more: Partial<Parameters<typeof lockGpu>[1]> = {}) => ({
    owner: 'test',
    signal: new AbortController().signal,
    waiting: () => 0,
    ...more,
  });
  /** Another process that takes the lock and keeps it. */
  const holder = async () => {
    const file = path.join(folder, 'holder.mjs');
    await build({
      stdin: {
        contents: `
          import { lockGpu } from './src/host/cuda/runner/gpuLock';
          const signal = new AbortController().signal;
          await lockGpu(process.argv[2], { owner: 'the other editor', signal, waiting: () => 0 });
          console.log('locked'); setInterval(() => 0, 1000);`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: file,
      logLevel: 'error',
      banner: { js: REQUIRE },
    });
    const child = spawn(process.execPath, [file, uuid], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return child;
  };

  it('is had by one after the other, in this process too', async () => {
    const first = had(await lockGpu(uuid, options()));
    assert.equal(first.note, undefined);
    let said = '';
    let isOver = false;
    const second = lockGpu(uuid, options({ waiting: owner => (said = owner) })).then(lock => {
      isOver = true;
      return lock;
    });
    await wait(300);
    assert.deepEqual([isOver, said], [false, 'test']);
    first.release();
    had(await second).release();
    assert.ok(isOver);
  });

  it('is another one for another GPU', async () => {
    const locks = [await lockGpu(uuid, options()), await lockGpu(`${uuid}-b`, options())];
    for (const lock of locks) had(lock).release();
    assert.equal(locks.length, 2);
  });

  it('says who has it, is waited for, and falls to whoever waits when its process is killed', async () => {
    const child = await holder();
    let said = '';
    const lock = lockGpu(uuid, options({ waiting: owner => (said = owner) }));
    await wait(300);
    assert.equal(said, 'the other editor');
    child.kill('SIGKILL');
    had(await lock).release();
  });

  it('is not waited for any longer after a cancel', async () => {
    const child = await holder();
    const controller = new AbortController();
    const lock = lockGpu(uuid, options({ signal: controller.signal }));
    await wait(200);
    controller.abort();
    assert.equal(await lock, undefined);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('is given up after a limit, with the name of the GPU and of its owner', async () => {
    const child = await holder();
    // A stopped process holds its lock and answers nobody.
    child.kill('SIGSTOP');
    const stopped = await lockGpu(uuid, options({ waitMs: 300 }));
    assert.ok(stopped !== undefined && 'failed' in stopped);
    assert.match(stopped.failed, new RegExp(`The GPU ${uuid} is still reserved by .*Fix: `));
    child.kill('SIGCONT');
    const held = await lockGpu(uuid, options({ waitMs: 1000 }));
    assert.match(held !== undefined && 'failed' in held ? held.failed : '', /by the other editor/);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});
