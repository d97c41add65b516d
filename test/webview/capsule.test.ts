/** Capsules: what they leave out, hide and repeat. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Measurement } from '../../src/core/measure/measurement';
import { DETAILS, omissions } from '../../webview/capsule/detail';
import { MAX_TEXT, publicRun, withoutPaths } from '../../webview/capsule/privacy';
import { commandOf, plainName } from '../../webview/capsule/reproduce';
import { zoneText } from '../../webview/capsule/zone';
import { bundledCapsule } from '../helpers/capsules';
import { timed } from '../helpers/measurements';

const PRIVACY = {
  roots: ['/home/jane doe/work/gemm', 'C:\\Users\\Jane\\gemm'],
  secrets: ['/home/jane doe', 'jane.doe'],
};

describe('the texts of a capsule', () => {
  for (const [name, text, expected] of [
    ['a path below the workspace', '/home/jane doe/work/gemm/k/a.cu(3): error', 'k/a.cu(3): error'],
    ['a path below a Windows workspace', 'C:\\Users\\Jane\\gemm\\a.cu: error', 'a.cu: error'],
    ['a path of another folder', 'in /opt/other/x/kernel.cu:12', 'in …/kernel.cu:12'],
    ['a folder', 'cannot open /srv/data/bob.smith', 'cannot open …'],
    ['the home directory', 'see /home/jane doe/notes here', 'see … here'],
    ['a Windows path', 'D:\\people\\bob\\a.cu failed', '…/a.cu failed'],
    ['a UNC path', '\\\\server\\share\\bob\\x failed', '… failed'],
    ['a file URI', 'file:///home/bob/a.wgsl', '…/a.wgsl'],
    ['the user name', 'owner Jane.Doe, limit 3', 'owner …, limit 3'],
    ['a rate', '1.5 TFLOP/s, 3/4 of 10 GB/s', '1.5 TFLOP/s, 3/4 of 10 GB/s'],
    ['a URL', 'https://example.org/a/b', 'https://example.org/a/b'],
    ['control characters', 'a\u0000b\u202Ec', 'a bc'],
  ] as const)
    it(`handle ${name}`, () => {
      assert.equal(withoutPaths(text, PRIVACY), expected);
    });

  it('never contain the home directory or a workspace folder', () => {
    const part = fc.constantFrom('/home/jane doe', ...PRIVACY.roots, '/', 'a', ' ', '.', '"', '\\');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), parts => {
        const shown = withoutPaths(parts.join(''), PRIVACY).toLowerCase();
        assert.ok(!shown.includes('/home/jane doe'), shown);
      }),
    );
  });

  it('are shortened, while numbers, keys and the spec of a run stay the same', () => {
    const run: Measurement = {
      ...timed({ gflops: 1234.5, sourceHash: 'a'.repeat(64) }),
      message: 'x'.repeat(20_000),
      findings: [{ id: 'race', message: '/home/bob/x.cu', line: 3 }],
    };
    const shown = publicRun(run, PRIVACY);
    assert.equal(shown.message?.length, MAX_TEXT);
    assert.deepEqual(shown.findings, [{ id: 'race', message: '…/x.cu', line: 3 }]);
    assert.deepEqual(shown.timing, run.timing);
    assert.deepEqual(
      [shown.specKey, shown.kernelKey, shown.sourceHash],
      [run.specKey, run.kernelKey, run.sourceHash],
    );
  });
});

describe('the command of a capsule', () => {
  const run = timed({ gflops: 1 });

  it('repeats the backend, the libraries and the options of the run', () => {
    const baseline = { id: 'cublaslt', name: 'cuBLASLt', medianMs: 1, gflops: 1, ratio: 1 };
    assert.equal(
      commandOf('a.gemm.json', { ...run, baselines: [baseline] }, 'cuda'),
      'gemm-explorer bench a.gemm.json --backend cuda --baseline cublaslt',
    );
    const device = { ...run.device, robustness: 'off', experimental: true } as const;
    assert.equal(
      commandOf('a.gemm.json', { ...run, backend: 'webgpu', device }, 'wgsl'),
      'gemm-explorer bench a.gemm.json --backend webgpu --robustness off --experimental',
    );
  });

  it('verifies without timing if the run was not timed, and analyzes without a run', () => {
    const { timing, ...untimed } = run;
    assert.ok(timing);
    assert.equal(
      commandOf('a.gemm.json', { ...untimed, backend: 'cpu' }, 'cuda'),
      'gemm-explorer run a.gemm.json --backend cpu',
    );
    assert.equal(
      commandOf('a.gemm.json', undefined, 'wgsl'),
      'gemm-explorer analyze a.gemm.json --target wgsl',
    );
  });

  it('names only files that need no quotes in a shell', () => {
    assert.equal(plainName('my-1.gemm.json', 'key'), 'my-1.gemm.json');
    for (const name of [
      'a b.gemm.json',
      '-x.gemm.json',
      '$(x).gemm.json',
      'a\n.gemm.json',
      'a.json',
    ])
      assert.equal(plainName(name, 'gemm-f32'), 'gemm-f32.gemm.json');
  });
});

describe('the times of a capsule', () => {
  it('name their time zone', () => {
    assert.deepEqual([0, -60, 480, -330, 150].map(zoneText), [
      'UTC',
      'UTC+1',
      'UTC-8',
      'UTC+5:30',
      'UTC-2:30',
    ]);
  });
});

describe('the size of a capsule', () => {
  it('states each part that a level of detail leaves out', () => {
    const amounts = { longestSource: 150_000, earlierRuns: 40 };
    const counts = DETAILS.map(detail => omissions(detail, amounts).length);
    assert.deepEqual(counts, [1, 2, 3, 4, 4]);
    const small = { longestSource: 10, earlierRuns: 0 };
    assert.deepEqual(omissions(DETAILS[0] ?? assert.fail(), small), []);
  });

  it('shrinks to the limit and states in the file what was left out', () => {
    const spec = { problem: { m: 256, n: 256, k: 256 } };
    const whole = bundledCapsule({ spec });
    assert.deepEqual(whole.omitted, []);
    const reached = [0.99, 0.75, 0.5].map(share => {
      const mostBytes = Math.floor(share * whole.bytes);
      const { bytes, html, omitted } = bundledCapsule({ spec, mostBytes });
      assert.ok(bytes <= mostBytes && omitted.length > 0, `${bytes} B of ${mostBytes} B`);
      for (const text of omitted) assert.ok(html.includes(text), text);
      return omitted.length;
    });
    assert.deepEqual(
      reached.toSorted((a, b) => a - b),
      reached,
    );
    assert.throws(() => bundledCapsule({ spec, mostBytes: 1000 }), /does not fit into 1000 bytes/);
  });

  it('stays below the limit with as many runs as the history has', () => {
    const spec = { problem: { m: 256, n: 256, k: 256 } };
    const key = /gemm-[\w-]+/.exec(bundledCapsule({ spec }).html)?.[0] ?? assert.fail();
    const run = { ...timed({ gflops: 1 }), specKey: key, message: 'y'.repeat(600) };
    const runs = Array.from({ length: 500 }, () => run);
    const { bytes } = bundledCapsule({ spec, runs });
    assert.ok(bytes < 1_000_000, `${bytes} B`);
  });
});
