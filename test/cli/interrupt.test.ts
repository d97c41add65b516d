/**
 * SIGINT: the first ends a command in bounded time with 130, the second ends it at once, whatever
 * it waits for.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inFolder, spec } from './cli';
import { makeFifo, started, type Running } from './hostile';

describe('SIGINT', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  const large = spec(undefined, {
    problem: { m: 4096, n: 4096, k: 4096 },
    device: 'h200',
    targets: ['cuda'],
  });

  /** The environment with a script that Node runs before the CLI. */
  const withHook = (folder: string, script: string): NodeJS.ProcessEnv => {
    const hook = path.join(folder, 'hook.cjs');
    writeFileSync(hook, script);
    return { ...process.env, NODE_OPTIONS: `--require "${hook.replace(/["\\]/g, '\\$&')}"` };
  };
  const READY = "() => process.stderr.write('ready')";

  it('ends rank in the middle of its search', () =>
    inFolder(async folder => {
      // A timer runs once the spec is read only where the search lets it.
      const script = `process.stdin.once('end', () => setTimeout(${READY}, 500));`;
      const env = withHook(folder, script);
      const running = started(['rank', '-', '--top', '1'], { env, input: large });
      const first = await Promise.race([running.noted, running.ended]);
      assert.match(String(first), /ready/, 'the search was over before any event was handled');
      running.kill('SIGINT');
      assert.equal(await running.ended, 130);
    })).timeout(120_000);

  it('ends a command that waits for standard input', async () => {
    for (const args of [
      ['check', '-'],
      ['occupancy', '--batch', '-'],
    ]) {
      const running = started(args, { env: { ...process.env, NODE_DEBUG: 'stream' } });
      await running.noted;
      running.kill('SIGINT');
      assert.equal(await running.ended, 130, args.join(' '));
    }
  });

  /**
   * A command in a thread's open(2), which process.exit would join: a FIFO takes the place of each
   * file.
   */
  const held = (folder: string): Running => {
    const fifo = makeFifo(folder, 'pipe');
    const stat = `const fs = require('node:fs/promises'); fs.stat = () => fs.open(${JSON.stringify(fifo)}, 'r');`;
    return started(['check', fifo], {
      env: withHook(folder, `${stat} setTimeout(${READY}, 300);`),
    });
  };

  it('ends a process that a thread holds in the system, in bounded time', () =>
    inFolder(async folder => {
      const running = held(folder);
      await running.noted;
      running.kill('SIGINT');
      assert.equal(await running.ended, 130);
    })).timeout(60_000);

  it('ends such a process at once when it comes again, also after SIGTERM', () =>
    inFolder(async folder => {
      for (const first of ['SIGINT', 'SIGTERM'] as const) {
        const running = held(mkdtempSync(path.join(folder, 'held-')));
        await running.noted;
        running.kill(first);
        // A signal that is pending is not counted twice.
        const again = setInterval(() => {
          running.kill('SIGINT');
        }, 50);
        assert.equal(await running.ended, 130);
        clearInterval(again);
      }
    })).timeout(60_000);
});
