/**
 * Inputs that are not regular files: every command refuses every one of its inputs at once, with
 * exit code 2.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cli, found, inFolder, spec } from './cli';
import { bash, makeFifo, RUN } from './hostile';

const CUDA = spec({ algorithm: 'naive' }, { targets: ['cuda'] });

describe('an input that is not a regular file', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  const refused = (args: readonly string[], kind: RegExp, name: RegExp, cwd?: string): string => {
    const ran = bash('exec "$@" </dev/null', args, cwd === undefined ? {} : { cwd });
    assert.equal(ran.code, 2, `${args.join(' ')}: ${ran.stderr}`);
    assert.match(ran.stderr, kind, args.join(' '));
    assert.match(ran.stderr, name, args.join(' '));
    assert.doesNotMatch(ran.stderr, /Unexpected|node:internal/);
    return ran.stderr;
  };

  const SPECS: readonly (readonly string[])[] = [
    ['check', 'IN'],
    ['generate', 'IN', '--out', 'out'],
    ['compile', 'IN'],
    ['inspect', 'IN'],
    ['analyze', 'IN'],
    ['run', 'IN', '--backend', 'simulate'],
    ['bench', 'IN', '--backend', 'webgpu'],
    ['ncu', 'IN', '--report', 'ok.csv'],
    ['quiz', 'IN'],
    ['rank', 'IN'],
    ['dispatch', 'IN'],
    ['ladder', 'IN', '--backend', 'simulate'],
    ['tune', 'IN', '--backend', 'cuda'],
  ];
  for (const args of SPECS) {
    it(`${args[0] ?? ''} refuses a FIFO as its spec`, () =>
      inFolder(async folder => {
        const fifo = makeFifo(folder, 'ff.gemm.json');
        const said = refused(
          args.map(arg => (arg === 'IN' ? fifo : arg)),
          /FIFO/,
          /ff\.gemm\.json/,
          folder,
        );
        assert.match(said, /pass -/);
        assert.ok(!existsSync(path.join(folder, 'out')));
        await Promise.resolve();
      }));
  }

  const OTHERS: readonly (readonly string[])[] = [
    ['compile', 'IN.cu'],
    ['inspect', 'IN.cu'],
    ['analyze', 'IN.cu'],
    ['run', 'IN.cu', '--backend', 'cpu'],
    ['bench', 'ok.gemm.json', '--backend', 'cuda', '--against', 'IN'],
    ['tune', 'ok.gemm.json', '--backend', 'cuda', '--space', 'IN'],
    ['ncu', 'ok.gemm.json', '--report', 'IN'],
    ['ncu', 'ok.gemm.json', '--source', 'IN'],
    ['analyze', 'ok.gemm.json', '--estimate', '--runs', 'IN'],
    ['occupancy', '--batch', 'IN'],
  ];
  for (const args of OTHERS) {
    it(`refuses a FIFO: ${args.join(' ')}`, () =>
      inFolder(async folder => {
        writeFileSync(path.join(folder, 'ok.gemm.json'), CUDA);
        makeFifo(folder, 'IN');
        makeFifo(folder, 'IN.cu');
        refused(args, /FIFO/, /IN/, folder);
        await Promise.resolve();
      }));
  }

  it('refuses directories, devices and sockets, and names their kind', () =>
    inFolder(async folder => {
      const server = createServer();
      const socket = path.join(folder, 'socket');
      await new Promise<void>(resolve => server.listen(path.relative('.', socket), resolve));
      try {
        refused(['check', folder], /directory/, /cli/);
        refused(['check', '/dev/zero'], /character device/, /\/dev\/zero/);
        refused(['occupancy', '--batch', '/dev/zero'], /character device/, /\/dev\/zero/);
        refused(['check', 'socket'], /socket/, /socket/, folder);
      } finally {
        server.close();
      }
    }));

  it('refuses the pipe of a process substitution, and names standard input instead', () => {
    const ran = bash(`"$@" <(echo '{}')`, ['check']);
    assert.equal(ran.code, 2, ran.stderr);
    assert.match(ran.stderr, /\/dev\/fd\/\d+.*FIFO.*pass -/s);
  });

  it('refuses what it finds beside or above a spec, such as .gemm/dispatch.json', () =>
    inFolder(async folder => {
      const below = path.join(folder, 'a', 'b');
      mkdirSync(below, { recursive: true });
      mkdirSync(path.join(folder, '.gemm'));
      makeFifo(path.join(folder, '.gemm'), 'dispatch.json');
      writeFileSync(path.join(below, 'x.gemm.json'), spec());
      for (const command of ['check', 'dispatch', 'rank']) {
        refused([command, 'x.gemm.json'], /FIFO/, /dispatch\.json/, below);
      }
      await Promise.resolve();
    }));

  it('leaves out an include that is one, as it does a missing one (needs nvcc)', async function () {
    if (!(await found('nvcc'))) return this.skip();
    await inFolder(folder => {
      makeFifo(folder, 'pipe.h');
      writeFileSync(path.join(folder, 'k.cu'), '#include "pipe.h"\n__global__ void k() {}\n');
      const ran = bash('exec "$@" </dev/null', ['compile', 'k.cu'], { cwd: folder });
      assert.equal(ran.code, 1, ran.stderr);
      assert.match(ran.stderr, /pipe\.h/);
      return Promise.resolve();
    });
  });

  it('is refused as a journal, too', async function () {
    if (!(await found('webgpu'))) return this.skip();
    await inFolder(async folder => {
      const journal = makeFifo(folder, 'journal');
      for (const file of [journal, '/dev/null', folder]) {
        const args = ['tune', '-', '--backend', 'webgpu', '--journal', file, '--time', '5'];
        const ran = await cli(args, spec());
        assert.equal(ran.code, 2, ran.stderr);
        assert.match(ran.stderr, /FIFO|character device|directory/);
      }
    });
  }).timeout(60_000);

  it('is refused as the file of a JUnit report that nobody reads', () =>
    inFolder(async folder => {
      writeFileSync(path.join(folder, 'ok.gemm.json'), CUDA);
      writeFileSync(path.join(folder, 'runs.jsonl'), `${RUN}\n`);
      makeFifo(folder, 'gate.xml');
      const args = ['bench', 'ok.gemm.json', '--backend', 'cuda', '--against', 'runs.jsonl'];
      refused([...args, '--junit', 'gate.xml'], /FIFO/, /gate\.xml/, folder);
      await Promise.resolve();
    }));

  it('may be standard input, which a pipe and a file can be', () =>
    inFolder(async folder => {
      const file = path.join(folder, 'ok.gemm.json');
      writeFileSync(file, spec());
      for (const line of [`cat ok.gemm.json | "$@"`, '"$@" < ok.gemm.json']) {
        const ran = bash(line, ['check', '-'], { cwd: folder });
        assert.equal(ran.code, 0, ran.stderr);
      }
      assert.ok(readFileSync(file, 'utf8').length > 0);
      await Promise.resolve();
    }));
});

describe('an input without an end', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('is read up to a limit, from a device and from a pipe', () => {
    for (const line of ['"$@" < /dev/zero', 'yes | "$@"', 'cat /dev/zero | "$@"']) {
      const ran = bash(`ulimit -v 8000000; ${line}`, ['check', '-']);
      assert.equal(ran.code, 2, ran.stderr);
      assert.match(ran.stderr, /Standard input.*more than 4000000 bytes/);
    }
  });

  it('ends a batch at a line that is longer than any case', () => {
    const line =
      '{"computeCapability":"9.0","threadsPerBlock":64,"registersPerThread":32,"sharedBytesPerBlock":0}';
    const ran = bash(`(echo '${line}'; head -c 700000000 /dev/zero) | "$@"`, [
      'occupancy',
      '--batch',
      '-',
    ]);
    assert.equal(ran.code, 2, ran.stderr);
    assert.match(ran.stderr, /line 2/);
    assert.doesNotMatch(ran.stderr, /node:internal|RangeError|at /);
    // The cases before it have their answers.
    assert.equal((JSON.parse(ran.stdout) as { blocksPerSm: number }).blocksPerSm, 32);
  });

  it('is refused as a file that is too large, by its size', () =>
    inFolder(async folder => {
      const file = path.join(folder, 'large.gemm.json');
      writeFileSync(file, Buffer.alloc(4_000_001, ' '));
      const ran = await cli(['check', file]);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /large\.gemm\.json.*more than 4000000 bytes/);
      writeFileSync(file, spec().padEnd(1_000_000));
      assert.equal((await cli(['check', file])).code, 0);
    }));
});
