/** `check`: legality, overrides, and every kind of unusable spec. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cli, inFolder, jsonOf, spec } from './cli';

interface Report {
  readonly ok: boolean;
  readonly specKey: string;
  readonly resolved: { readonly problem: { readonly m: number }; readonly device: string };
  readonly legal: readonly string[];
  readonly violations: readonly {
    readonly target: string;
    readonly path: string;
    readonly nearest: unknown;
  }[];
}

const bigForWgsl = {
  algorithm: 'thread-tile-2d',
  block: { m: 128, n: 128, k: 8 },
  thread: { m: 4, n: 4 },
};

describe('check', () => {
  it('reports every spec of several, also after one that is not valid', async () => {
    await inFolder(async folder => {
      const file = (name: string, text: string): string => {
        writeFileSync(path.join(folder, name), text);
        return path.join(folder, name);
      };
      const [legal, broken, illegal] = [
        file('a.gemm.json', spec()),
        file('b.gemm.json', '{'),
        file('c.gemm.json', spec({ algorithm: 'wgmma', block: { m: 3, n: 3, k: 3 } })),
      ];
      const all = await cli(['check', legal, broken, illegal, '--json']);
      assert.equal(all.code, 2);
      const { ok, specs } = jsonOf(all) as {
        readonly ok: boolean;
        readonly specs: readonly { readonly path: string; readonly ok?: boolean }[];
      };
      assert.equal(ok, false);
      assert.deepEqual(
        specs.map(one => one.ok),
        [true, undefined, false],
      );
      assert.equal((await cli(['check', legal, illegal])).code, 1);
      const twice = await cli(['check', legal, legal]);
      assert.equal(twice.code, 0);
      assert.match(twice.stdout, /2 of 2 specs are legal/);
    });
  });

  it('says yes with exit code 0', async () => {
    const ran = await cli(['check', '-', '--json'], spec());
    assert.equal(ran.code, 0);
    const report = jsonOf(ran) as Report;
    assert.equal(report.ok, true);
    assert.equal(report.resolved.device, 'h200');
    assert.match(report.specKey, /^[A-Za-z0-9_.-]+$/);
    assert.deepEqual(report.violations, []);
  });

  it('says no with exit code 1, the field and the nearest legal value', async () => {
    const ran = await cli(['check', '-', '--target', 'wgsl', '--json'], spec(bigForWgsl));
    assert.equal(ran.code, 1);
    const report = jsonOf(ran) as Report;
    assert.equal(report.ok, false);
    assert.ok(report.violations.length > 0);
    assert.ok(report.violations.every(({ target }) => target === 'wgsl'));
    assert.ok(report.violations.every(violation => violation.path.startsWith('schedule.')));
    assert.equal((await cli(['check', '-', '--target', 'wgsl'], spec(bigForWgsl))).code, 1);
  });

  it('is content with one legal target when none is listed', async () => {
    const ran = await cli(['check', '-', '--json'], spec(bigForWgsl));
    assert.equal(ran.code, 0);
    assert.deepEqual((jsonOf(ran) as Report).legal, ['cuda']);
  });

  it('overrides fields, the device and the target', async () => {
    const sets = ['--set', 'problem.m=512', '--set', 'schedule.algorithm=naive'];
    const ran = await cli(['check', '-', ...sets, '--device', 't4', '--json'], spec());
    const { resolved, specKey } = jsonOf(ran) as Report;
    assert.equal(resolved.problem.m, 512);
    assert.equal(resolved.device, 't4');
    assert.match(specKey, /naive/);
  });

  it('says how targets are set', async () => {
    const one = await cli(['check', '-', '--set', 'targets.0=wgsl'], spec());
    assert.equal(one.code, 2);
    assert.match(one.stderr, /as a whole\. Fix: use --set 'targets=\["wgsl"\]'/);
    const whole = await cli(['check', '-', '--json', '--set', 'targets=["wgsl"]'], spec());
    assert.deepEqual((jsonOf(whole) as Report).legal, ['wgsl']);
  });

  it('reads a file whose path needs quoting', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, "a 'b' ü.gemm.json");
      writeFileSync(file, `\uFEFF${spec()}`);
      assert.equal((await cli(['check', file])).code, 0);
    });
  });

  const size = (m: unknown): string => spec(undefined, { problem: { m, n: 8, k: 8 } });
  const unusable: readonly (readonly [string, string, string])[] = [
    ['malformed JSON', '{"problem": {"m": 1,}', 'line 1'],
    ['nothing', '', 'JSON'],
    ['another kind of JSON', '7', 'Object'],
    ['a missing problem', '{}', 'problem'],
    ['an unknown field', spec(undefined, { nvcc: '/bin/sh' }), 'nvcc'],
    ['an unknown field inside', spec({ algorithm: 'naive', flags: '-run' }), 'schedule.flags'],
    ['a zero size', size(0), 'problem.m'],
    ['a negative size', size(-4), 'problem.m'],
    ['a fractional size', size(2.5), 'problem.m'],
    ['a huge size', size(1e15), 'problem.m'],
    ['a size that is text', size('8'), 'problem.m'],
    ['an unknown algorithm', spec({ algorithm: 'magic' }), 'schedule.algorithm'],
    ['an unknown device', spec(undefined, { device: 'h9000' }), 'device'],
    ['no targets at all', spec(undefined, { targets: [] }), 'targets'],
  ];
  for (const [what, text, where] of unusable) {
    it(`refuses ${what} with exit code 2 and says where`, async () => {
      const ran = await cli(['check', '-', '--json'], text);
      assert.equal(ran.code, 2, ran.stdout);
      assert.ok(ran.stderr.includes(where), ran.stderr);
      assert.ok(ran.stdout.includes(where), ran.stdout);
    });
  }

  for (const assignment of ['problem.m', '=1', 'problem..m=1', '__proto__.x=1', 'problem.m=abc']) {
    it(`refuses --set ${assignment}`, async () => {
      const { code, stderr } = await cli(['check', '-', '--set', assignment], spec());
      assert.equal(code, 2, stderr);
    });
  }

  it('refuses a field that is given twice, also where an option overrides a field', async () => {
    const twice = '{"problem":{"m":64,"m":128,"n":64,"k":64}}';
    for (const more of [
      [],
      ['--set', 'problem.n=32'],
      ['--device', 'h200'],
      ['--target', 'cuda'],
    ]) {
      const { code, stderr } = await cli(['check', '-', ...more], twice);
      assert.equal(code, 2, more.join(' '));
      assert.match(stderr, /problem\.m: Duplicate field/);
      const long = await cli(['check', '-', ...more], spec().padEnd(1_000_001));
      assert.equal(long.code, 2, more.join(' '));
      assert.match(long.stderr, /1000001 characters/);
    }
  });

  it('refuses a folder and a file that is too large', async () => {
    await inFolder(async folder => {
      const { code, stderr } = await cli(['check', folder]);
      assert.equal(code, 2);
      assert.match(stderr, /Cannot read/);
      mkdirSync(path.join(folder, 'sub'));
      const file = path.join(folder, 'sub', 'large.gemm.json');
      writeFileSync(file, ' '.repeat(5_000_000));
      assert.match((await cli(['check', file])).stderr, /bytes/);
    });
  });
});
