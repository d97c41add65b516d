/**
 * runProcess: nothing survives, nothing overflows, nothing is interpreted. POSIX only where it says
 * so.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'esbuild';
import { OUTPUT_CAP_BYTES } from '../../src/host/output';
import { runProcess } from '../../src/host/process';
import { fakeProgram, hostileFolder, STUBBORN, survivors } from './support';

const posix = process.platform !== 'win32';

describe('runProcess', () => {
  let folder: string;
  let remove: () => void;
  beforeEach(() => {
    ({ path: folder, remove } = hostileFolder());
  });
  afterEach(() => {
    remove();
  });
  const node = (code: string, options: Partial<Parameters<typeof runProcess>[2]> = {}) =>
    runProcess(process.execPath, ['-e', code], { timeoutMs: 20_000, ...options });

  it('passes arguments and input as they are', async () => {
    const args = ['a b', '$(touch pwned)', `'"`, '', 'é日本', '*', '; exit 3'];
    const file = fakeProgram(
      folder,
      'echo',
      `process.stdin.on('data', d => process.stderr.write(d)); console.log(JSON.stringify(args));`,
    );
    const result = await runProcess(file, args, { timeoutMs: 20_000, input: 'in\n', cwd: folder });
    assert.deepEqual(JSON.parse(result.stdout), args);
    assert.equal(result.stderr, 'in\n');
    assert.equal(result.code, 0);
    assert.ok(!existsSync(path.join(folder, 'pwned')));
  });

  it('gives the exit code and whole lines of both streams', async () => {
    const lines: string[] = [];
    const result = await node(
      `process.stdout.write('one\\r\\ntw'); process.stderr.write('err\\n'); setTimeout(() => { process.stdout.write('o\\nlast'); process.exitCode = 7 }, 50)`,
      { onLine: (line, stream) => lines.push(`${stream}: ${line}`) },
    );
    assert.equal(result.code, 7);
    assert.deepEqual(lines.sort(), ['stderr: err', 'stdout: last', 'stdout: one', 'stdout: two']);
  });

  it('joins characters that were split between chunks, and replaces what is no UTF-8', async () => {
    const result = await node(
      `const b = Buffer.from('é日'); process.stdout.write(b.subarray(0, 1)); setTimeout(() => process.stdout.write(Buffer.concat([b.subarray(1), Buffer.from([0xff, 0xfe])])), 50)`,
    );
    assert.equal(result.stdout, 'é日��');
  });

  it('hands down no variable that injects code or flags', async () => {
    process.env['NVCC_APPEND_FLAGS'] = '-run';
    try {
      const result = await node('console.log(JSON.stringify(process.env))', {
        env: { EXTRA: 'yes' },
      });
      const seen = JSON.parse(result.stdout) as Record<string, string>;
      assert.equal(seen['NVCC_APPEND_FLAGS'], undefined);
      assert.equal(seen['LD_PRELOAD'], undefined);
      assert.equal(seen['LANG'], 'C');
      assert.equal(seen['EXTRA'], 'yes');
    } finally {
      delete process.env['NVCC_APPEND_FLAGS'];
    }
  });

  it('keeps 4 MB of 1 GB and says so', async () => {
    const file = fakeProgram(
      folder,
      'flood',
      `const chunk = Buffer.alloc(2 ** 20, 'x'); for (let i = 0; i < 1024; i++) fs.writeSync(1, chunk);`,
    );
    // A pipe may be full for a moment; writeSync then fails, and the flood ends early.
    const result = await runProcess(file, [], { timeoutMs: 20_000 });
    assert.ok(result.truncated);
    assert.ok(result.stdout.length < OUTPUT_CAP_BYTES + 200);
    assert.match(result.stdout.slice(-200), /is truncated/);
  });

  it('says why it did not start a program', async () => {
    const plain = path.join(folder, 'plain');
    writeFileSync(plain, 'no program', { mode: 0o644 });
    const why = async (file: string): Promise<string | undefined> =>
      (await runProcess(file, [], { timeoutMs: 5000 })).spawnError;
    assert.match((await why('nvcc')) ?? '', /not an absolute path/);
    assert.match((await why(path.join(folder, 'x.bat'))) ?? '', /batch file/);
    assert.match((await why(path.join(folder, 'missing'))) ?? '', /does not exist/);
    if (posix) assert.match((await why(plain)) ?? '', /not executable/);
    const gone = await runProcess(process.execPath, [], {
      timeoutMs: 5000,
      cwd: path.join(folder, 'gone'),
    });
    assert.match(gone.spawnError ?? '', /folder .*gone.* does not exist/);
  });

  it('does not start when it is already aborted', async () => {
    const result = await node('', { signal: AbortSignal.abort() });
    assert.ok(result.aborted);
    assert.equal(result.code, null);
  });

  if (!posix) return;

  it('ends a child and a grandchild that both ignore SIGTERM at the deadline', async function () {
    this.timeout(15_000);
    const file = fakeProgram(folder, 'stubborn', STUBBORN);
    const result = await runProcess(file, [], { timeoutMs: 1500 });
    assert.ok(result.timedOut);
    assert.deepEqual(await survivors(folder), []);
  });

  it('ends them on abort', async function () {
    this.timeout(15_000);
    const file = fakeProgram(folder, 'stubborn', STUBBORN);
    const controller = new AbortController();
    const running = runProcess(file, [], { timeoutMs: 20_000, signal: controller.signal });
    while (!existsSync(path.join(folder, 'pids'))) await wait(20);
    controller.abort();
    assert.ok((await running).aborted);
    assert.deepEqual(await survivors(folder), []);
  });

  it('ends what a program leaves behind when it exits', async () => {
    const file = fakeProgram(folder, 'leaves', `${STUBBORN}\nprocess.exit(0);`);
    const result = await runProcess(file, [], { timeoutMs: 10_000 });
    assert.equal(result.code, 0);
    assert.deepEqual(await survivors(folder), []);
  });

  for (const how of ['process.exit(0)', "process.kill(process.pid, 'SIGTERM')"]) {
    it(`ends them when this process itself ends by ${how}`, async function () {
      this.timeout(15_000);
      const file = fakeProgram(folder, 'stubborn', STUBBORN);
      const parent = path.join(folder, 'parent.mjs');
      await build({
        stdin: {
          contents: `
            import { existsSync } from 'node:fs';
            import { runProcess } from './src/host/process';
            void runProcess(process.argv[2], [], { timeoutMs: 60000 });
            setInterval(() => { if (existsSync(process.argv[3])) ${how}; }, 20);`,
          resolveDir: process.cwd(),
        },
        bundle: true,
        platform: 'node',
        format: 'esm',
        outfile: parent,
        logLevel: 'error',
      });
      const { execFile } = await import('node:child_process');
      await new Promise(done =>
        execFile(process.execPath, [parent, file, path.join(folder, 'pids')], done),
      );
      assert.deepEqual(await survivors(folder), []);
    });
  }
});
