/** `loops`: nests as text, their programs and their runs. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onPath } from '../../scripts/install/find';
import { cli, inFolder, jsonOf, spec } from './cli';

const python = onPath('python3');
const suffix = python === undefined ? ' (skipped: no python3)' : '';

interface Report {
  readonly text: string;
  readonly loops: readonly { readonly variable: string; readonly parallel: boolean }[] | null;
  readonly violations: Readonly<Record<'sequential' | 'cuda' | 'wgsl', readonly unknown[]>>;
  readonly launch: { readonly threads: number } | null;
  readonly cacheLines: { readonly misses: Readonly<Record<'a' | 'b' | 'c', number>> } | null;
  readonly run?: { readonly outcome: string };
}

describe('loops', () => {
  it('lists the named nests with their cache misses', async () => {
    const ran = await cli(['loops', '--json']);
    assert.equal(ran.code, 0, ran.stderr);
    const nests = jsonOf(ran) as readonly (Report & { readonly name: string })[];
    const missesOf = (name: string): number => {
      const { a, b, c } = nests.find(nest => nest.name === name)!.cacheLines!.misses;
      return a + b + c;
    };
    assert.ok(missesOf('tiled') < missesOf('ikj'));
    assert.ok(missesOf('ikj') < missesOf('ijk'));
  });

  it('reports which loops may run in parallel', async () => {
    const ran = await cli(['loops', 'grid', '--size', '100x70x50', '--json']);
    const { loops, launch, violations } = jsonOf(ran) as Report;
    assert.deepEqual(
      loops!.filter(({ parallel }) => !parallel).map(({ variable }) => variable),
      ['k', 'k0'],
    );
    assert.equal(launch!.threads, 256);
    assert.deepEqual(violations, { sequential: [], cuda: [], wgsl: [] });
  });

  it('verifies a nest by simulation', async () => {
    const ran = await cli(['loops', 'warp-tile', '--size', '65x68x9', '--backend', 'simulate']);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /simulate: C is correct; 4420 elements/);
  });

  it(`runs a nest in Python${suffix}`, async function () {
    if (python === undefined) return this.skip();
    const ran = await cli([
      'loops',
      'shared',
      '--size',
      '33x17x5',
      '--dtype',
      's32',
      '--backend',
      'python',
    ]);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /python: C is 33 x 17: largest error 0\.000/);
  });

  it('writes the programs of the languages in which the nest is legal', async () => {
    await inFolder(async folder => {
      const out = path.join(folder, 'nests');
      assert.equal((await cli(['loops', 'shared', '--out', out])).code, 0);
      assert.deepEqual(readdirSync(out).sort(), ['loops.cu', 'loops.py', 'loops.wgsl']);
      const file = path.join(out, 'loops.py');
      writeFileSync(file, `${readFileSync(file, 'utf8')}# mine\n`);
      const again = await cli(['loops', 'ijk', '--out', out]);
      assert.equal(again.code, 2);
      assert.match(again.stderr, /was edited and was left unchanged/);
      assert.match(readFileSync(file, 'utf8'), /# mine/);
      assert.equal((await cli(['loops', 'ijk', '--out', out, '--force'])).code, 0);
    });
  });

  it('ends with exit code 1 for a nest that does not compute C', async () => {
    const ran = await cli(['loops', 'i:4 j k']);
    assert.equal(ran.code, 1);
    assert.match(ran.stdout, /Not legal: The innermost loop over i has step 4/);
  });

  it('shows why k cannot be parallel, with the sequential program unaffected', async () => {
    const shown = await cli(['loops', 'i j k@grid', '--show', 'python']);
    assert.equal(shown.code, 0);
    const refused = await cli(['loops', 'i j k@grid', '--show', 'cuda']);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /all iterations over k add to the same element of C/);
  });

  it('rejects unusable input with exit code 2', async () => {
    for (const [args, reason] of [
      [['loops', 'i j x'], /Column 5: "x" is not an axis/],
      [['loops', 'ijk', '--size', '64x64'], /"64x64" is not a size/],
      [['loops', 'ijk', '--size', '0x1x1'], /is not a size/],
      [['loops', 'ijk', '--size', '65537x1x1'], /is not a size/],
      [['loops', 'ijk', '--size', '1e3x1x1x1'], /is not a size/],
      [['loops', 'ijk', '--cache', '-1'], /--cache/],
      [['loops', 'ijk', '--size', '512x512x512', '--backend', 'simulate'], /exceeds the limit/],
    ] as const) {
      const ran = await cli([...args]);
      assert.equal(ran.code, 2, args.join(' '));
      assert.match(ran.stderr, reason);
    }
  });
});

describe('generate --target python', () => {
  it(`writes the loop nest of the kernel, which runs${suffix}`, async function () {
    if (python === undefined) return this.skip();
    await inFolder(async folder => {
      const ran = await cli(
        ['generate', '-', '--out', folder, '--target', 'python', '--json'],
        spec(),
      );
      assert.equal(ran.code, 0, ran.stderr);
      const { kernels } = jsonOf(ran) as {
        kernels: readonly { target: string; path: string; nest: string }[];
      };
      assert.equal(kernels.length, 1);
      assert.equal(kernels[0]!.target, 'python');
      assert.match(readFileSync(kernels[0]!.path, 'utf8'), /def gemm\(A, B, M, N, K\):/);
      const checked = await cli([
        'loops',
        kernels[0]!.nest,
        '--size',
        '20x20x20',
        '--backend',
        'python',
      ]);
      assert.equal(checked.code, 0, checked.stderr);
    });
  });

  it('states why gemv has no loop nest', async () => {
    await inFolder(async folder => {
      const gemv = JSON.stringify({
        version: 1,
        problem: { m: 1, n: 4096, k: 4096 },
        schedule: { algorithm: 'gemv' },
      });
      const ran = await cli(['generate', '-', '--out', folder, '--target', 'python'], gemv);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /gemv divides K among the threads/);
    });
  });
});
