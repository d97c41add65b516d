/** `run` and `bench`: real runs where the machine can, plain refusals where it cannot. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { familyOf } from '../../src/core/defaults/dispatch/adapterFamily';
import { rowsText } from '../../src/core/defaults/dispatch/row';
import { row, schedule } from '../core/defaults/dispatch/tables';
import { CLI, cli, found, inFolder, jsonOf, spec, WITHOUT_TOOLS, type Doctor } from './cli';

interface Measurement {
  readonly specKey: string;
  readonly backend: string;
  readonly outcome: string;
  readonly message?: string;
  readonly verification: { readonly mismatches: number; readonly samples: number };
  readonly timing?: { readonly gflops: number; readonly errorPercent: number };
  readonly device: { readonly where: string };
}

describe('doctor', () => {
  it('lists every tool with a hint and always succeeds', async () => {
    const ran = await cli(['doctor', '--json']);
    assert.equal(ran.code, 0);
    const { tools } = jsonOf(ran) as Doctor;
    assert.deepEqual(
      tools.map(({ id }) => id),
      ['nvcc', 'gpu', 'ncu', 'cxx', 'webgpu', 'dawn', 'browser', 'vscode'],
    );
    assert.ok(tools.every(({ hint }) => hint !== ''));
  }).timeout(60_000);
});

describe('run --backend simulate', () => {
  for (const algorithm of ['naive', 'coalesced', 'shared-tile', 'thread-tile-2d']) {
    for (const target of ['cuda', 'wgsl']) {
      it(`verifies ${algorithm} for ${target}`, async () => {
        const text = spec({ algorithm }, { problem: { m: 37, n: 41, k: 29 } });
        const args = ['run', '-', '--backend', 'simulate', '--target', target, '--json'];
        const ran = await cli(args, text);
        assert.equal(ran.code, 0, ran.stderr);
        const measurement = jsonOf(ran) as Measurement;
        assert.equal(measurement.outcome, 'correct');
        assert.equal(measurement.backend, 'simulate');
        assert.equal(measurement.verification.samples, 37 * 41);
        assert.equal(measurement.timing, undefined);
      }).timeout(20_000);
    }
  }

  it('reports the device that replaces an unknown one', async () => {
    const text = spec({ algorithm: 'naive' }, { problem: { m: 8, n: 8, k: 8 }, device: 'sm_90a' });
    const ran = await cli(['run', '-', '--backend', 'simulate', '--json'], text);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stderr, /"sm_90a" is not in the device table\. .*H200.* is used instead/);
  });

  it('reports the element of the error bound', async () => {
    const text = spec({ algorithm: 'shared-tile' }, { problem: { m: 32, n: 32, k: 32 } });
    const { code, stdout } = await cli(['run', '-', '--backend', 'simulate'], text);
    assert.equal(code, 0);
    const line =
      /^largest error +\d\.\d\de-\d+; bound \d\.\d\de-\d+ at the element nearest to its bound$/m;
    assert.match(stdout, line);
  });

  it('rejects a problem that is too large with exit code 2', async () => {
    const text = spec(undefined, { problem: { m: 4096, n: 4096, k: 4096 } });
    const ran = await cli(['run', '-', '--backend', 'simulate', '--json'], text);
    assert.equal(ran.code, 2);
    assert.equal((jsonOf(ran) as Measurement).outcome, 'constraint');
    assert.match(ran.stderr, /choose a smaller problem/);
  });

  it('exits with 130 when interrupted', async function () {
    if (process.platform === 'win32') this.skip();
    const text = spec({ algorithm: 'naive' }, { problem: { m: 256, n: 256, k: 256 } });
    const child = spawn(process.execPath, [CLI, 'run', '-', '--backend', 'simulate', '--json']);
    const out: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stdin.end(text);
    const started = new Promise(resolve => child.stderr.once('data', resolve));
    await started;
    child.kill('SIGINT');
    const code = await new Promise(resolve => child.once('close', resolve));
    assert.equal(code, 130);
    const printed = JSON.parse(Buffer.concat(out).toString()) as Measurement;
    assert.equal(printed.outcome, 'cancelled');
  }).timeout(30_000);
});

describe('run and bench with invalid input', () => {
  const wgslOnly = spec(undefined, { targets: ['wgsl'] });
  const refused: readonly (readonly [string, readonly string[], number, RegExp, string?])[] = [
    ['no backend', ['run', '-'], 2, /--backend/],
    ['an unknown backend', ['run', '-', '--backend', 'metal'], 2, /simulate/],
    ['a kernel for another target', ['run', '-', '--backend', 'cpu'], 2, /runs cuda/, wgslOnly],
    ['bench on cpu', ['bench', '-', '--backend', 'cpu'], 2, /webgpu/],
    ['bench on simulate', ['bench', '-', '--backend', 'simulate'], 2, /webgpu/],
    [
      'no such library',
      ['bench', '-', '--backend', 'cuda', '--baseline', 'cublas,mkl'],
      2,
      /"mkl"/,
    ],
    ['cuBLAS in WebGPU', ['bench', '-', '--backend', 'webgpu', '--baseline', 'cublas'], 2, /cuda/],
    [
      'a target not listed',
      ['run', '-', '--backend', 'cuda'],
      2,
      /but the spec's targets are/,
      wgslOnly,
    ],
    ['no spec', ['run', '-', '--backend', 'simulate'], 2, /JSON/, ''],
  ];
  for (const [what, args, code, message, text = spec()] of refused) {
    it(`rejects ${what} with exit code ${code}`, async () => {
      const ran = await cli(args, text);
      assert.equal(ran.code, code, ran.stderr);
      assert.match(ran.stderr, message);
      assert.equal(ran.stdout, '');
    });
  }

  it('rejects an invalid spec with the field and the nearest legal value', async () => {
    const schedule = {
      algorithm: 'thread-tile-2d',
      block: { m: 64, n: 64, k: 8 },
      thread: { m: 5, n: 4 },
    };
    const ran = await cli(['run', '-', '--backend', 'simulate', '--json'], spec(schedule));
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /schedule\.thread\.m: .*Nearest: 4/);
  });

  it('rejects --robustness on other backends', async () => {
    const ran = await cli(['bench', '-', '--backend', 'cuda', '--robustness', 'off'], spec({}));
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /--robustness only applies to the webgpu backend, not cuda/);
    const other = await cli(['run', '-', '--backend', 'simulate', '--experimental'], spec({}));
    assert.equal(other.code, 2);
    assert.match(other.stderr, /--experimental only applies to the webgpu backend, not simulate/);
  });

  it('rejects a kernel of the other language', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, 'x.wgsl');
      const annotation = '{"problem":{"m":8,"n":8,"k":8},"grid":[1],"block":[8],"args":["a"]}';
      writeFileSync(file, `// @gemm ${annotation}\n@compute @workgroup_size(8) fn f() {}\n`);
      const { code, stderr } = await cli(['run', file, '--backend', 'cuda']);
      assert.equal(code, 2);
      assert.match(stderr, /runs cuda/);
      assert.equal((await cli(['compile', file])).code, 2);
    });
  });
});

describe('run --backend webgpu (Dawn)', () => {
  let skip = '';
  before(async function () {
    this.timeout(60_000);
    if (!(await found('webgpu'))) skip = 'no WebGPU adapter for Dawn';
  });

  it('verifies and times', async function () {
    if (skip !== '') this.skip();
    const ran = await cli(['bench', '-', '--backend', 'webgpu', '--json'], spec());
    assert.equal(ran.code, 0, ran.stderr);
    const measurement = jsonOf(ran) as Measurement;
    assert.equal(measurement.outcome, 'correct');
    assert.equal(measurement.verification.mismatches, 0);
    assert.ok(Number.isFinite(measurement.timing?.gflops));
    assert.equal(measurement.device.where, 'cli');
  }).timeout(120_000);

  it('uses the schedule of the adapter, unless the spec names a device', async function () {
    if (skip !== '') this.skip();
    interface Said {
      readonly device: { readonly name: string; readonly adapter: string };
      readonly resolved: { readonly schedule: unknown; readonly targets: readonly string[] };
      readonly scheduleFrom?: string;
    }
    await inFolder(async folder => {
      const file = path.join(folder, 'a.gemm.json');
      const ran = async (text: string, ...more: string[]): Promise<Said> => {
        writeFileSync(file, text);
        const args = ['run', file, '--backend', 'webgpu', '--json', ...more];
        return jsonOf(await cli(args)) as Said;
      };
      const before = await ran(spec());
      const family = familyOf(before.device.adapter);
      if (family === undefined) return this.skip();
      const tiny = schedule(32, 32);
      const own = row([96, 80, 64], 60, { schedule: tiny, target: 'wgsl', family });
      mkdirSync(path.join(folder, '.gemm'));
      const rows = path.join(folder, '.gemm', 'dispatch.json');
      writeFileSync(rows, rowsText([{ ...own, device: before.device.name }]));
      const after = await ran(spec());
      assert.deepEqual([after.resolved.schedule, after.resolved.targets], [tiny, ['wgsl']]);
      assert.match(
        after.scheduleFrom ?? '',
        /^Measured on .* at 96x80x64 rrr: .*\. Adopted in this workspace\.$/,
      );
      const named = await ran(spec(), '--device', 'h200');
      assert.notDeepEqual(named.resolved.schedule, tiny);
    });
  }).timeout(120_000);
});

describe('run --backend cpu', () => {
  it('exits with 3 and names the missing C++ compiler', async () => {
    const env = WITHOUT_TOOLS;
    const ran = await cli(['run', '-', '--backend', 'cpu', '--json'], spec(), { env });
    assert.equal(ran.code, 3);
    assert.equal((jsonOf(ran) as Measurement).outcome, 'unavailable');
    assert.match(ran.stderr, /g\+\+ .*use Simulate/);
  });

  it('verifies a kernel (needs g++ or clang++)', async function () {
    this.timeout(60_000);
    if (process.platform !== 'linux' || !(await found('cxx'))) this.skip();
    const ran = await cli(['run', '-', '--backend', 'cpu', '--json'], spec());
    assert.equal(ran.code, 0, ran.stderr);
    const measurement = jsonOf(ran) as Measurement;
    assert.equal(measurement.outcome, 'correct');
    assert.equal(measurement.verification.samples, 96 * 80);
  });
});

describe('run --backend cuda', () => {
  it('exits with 3 and names the missing toolchain', async () => {
    const env = WITHOUT_TOOLS;
    const ran = await cli(['run', '-', '--backend', 'cuda', '--json'], spec(), { env });
    assert.equal(ran.code, 3);
    assert.equal((jsonOf(ran) as Measurement).outcome, 'unavailable');
    assert.match(ran.stderr, /nvcc|nvidia/i);
    const compile = await cli(['compile', '-'], spec(), { env });
    assert.equal(compile.code, 3);
    assert.match(compile.stderr, /CUDA toolkit.* PATH.*CUDA_PATH/);
  });

  it('verifies a kernel (needs nvcc and an NVIDIA GPU)', async function () {
    this.timeout(120_000);
    if (!(await found('nvcc')) || !(await found('gpu'))) this.skip();
    const ran = await cli(['run', '-', '--backend', 'cuda', '--json'], spec());
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal((jsonOf(ran) as Measurement).outcome, 'correct');
  });
});
