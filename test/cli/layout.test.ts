/** `layout`: what programs and people get of CuTe's algebra. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cli, inFolder, jsonOf, spec } from './cli';

describe('layout', () => {
  it('answers a layout as one JSON value', async () => {
    const ran = await cli(['layout', '((2,2),2):((1,4),2)', '--json']);
    assert.equal(ran.code, 0);
    assert.deepEqual(jsonOf(ran), {
      expression: '((2,2),2):((1,4),2)',
      layout: '((2,2),2):((1,4),2)',
      shape: [[2, 2], 2],
      stride: [[1, 4], 2],
      size: 8,
      cosize: 8,
      rank: 2,
      depth: 2,
      offset: 0,
      coverage: 'compact',
      table: [
        [0, 2],
        [1, 3],
        [4, 6],
        [5, 7],
      ],
    });
  });

  it('answers operations, and prints tables for people', async () => {
    const composed = await cli(['layout', 'compose((8,8):(1,8), (4,2):(2,1))']);
    assert.equal(composed.code, 0);
    assert.match(composed.stdout, /^\(4,2\):\(2,1\)\nsize 8, cosize 8/);
    const size = await cli(['layout', 'size((8,8))', '--json']);
    assert.deepEqual(jsonOf(size), { expression: 'size((8,8))', value: 64 });
  });

  it('marks what is wrong, with exit code 2', async () => {
    const { code, stdout, stderr } = await cli(['layout', 'size((8,8)', '--json']);
    assert.equal(code, 2);
    assert.match(stderr, /^Column 11: Expected "," .*\n\n {2}size\(\(8,8\)\n {12}\^\n$/);
    assert.match(stdout, /"message":"Column 11:/);
    assert.equal((await cli(['layout'])).code, 2);
  });
});

const NT = spec(
  { algorithm: 'layout' },
  {
    problem: {
      m: 5120,
      n: 5120,
      k: 4096,
      a: { layout: 'col' },
      b: { layout: 'row' },
      c: { layout: 'col' },
    },
  },
);

describe('layout --spec', () => {
  it('prints the matrices as BLAS and CuTe describe them', async () => {
    const { code, stdout } = await cli(['layout', '--spec', '-'], NT);
    assert.equal(code, 0);
    assert.match(stdout, /^SGEMM NT, column-major\n/);
    assert.match(
      stdout,
      /^B +yes +5120 x 4096 +column-major +\(1,5120\) +N-major +\(N,K\) +\(5120,4096\) +\(1,5120\)$/m,
    );
    assert.match(stdout, /^gA +\(_128,_8,512\):\(_1,5120,40960\) +local_tile\(mA, /m);
  });

  it('prints the same as one JSON value', async () => {
    const found = jsonOf(await cli(['layout', '--spec', '-', '--json'], NT)) as {
      letters: string;
      operands: readonly { operand: string; major: string; layout: string }[];
      layouts: readonly { name: string; layout: string }[];
    };
    assert.equal(found.letters, 'NT');
    assert.deepEqual(
      found.operands.map(({ operand, major }) => `${operand} ${major}`),
      ['a M', 'b N', 'c M'],
    );
    assert.equal(found.layouts.find(({ name }) => name === 'tC')?.layout, '(_16,_16):(_1,_16)');
  });

  it('defines the layouts of the kernel for an expression', async () => {
    const { stdout } = await cli(['layout', 'gA(_,_,3)', '--spec', '-'], NT);
    assert.match(stdout, /^\(_128,_8\):\(_1,5120\), starting at offset 122880\n/);
    const wrong = await cli(['layout', 'gD', '--spec', '-'], NT);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /^Column 1: .* such as gD = 8;/);
  });
});

describe('layout --svg', () => {
  const draw = (file: string, ...args: readonly string[]) =>
    cli(['layout', ...args, '--svg', file]);

  it('writes a picture with one cell per element', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, 'new', 'bank.svg');
      const ran = await draw(file, '(4,8):(8,1)', '--color', 'bank', '--dtype', 'f16');
      assert.equal(ran.code, 0, ran.stderr);
      const svg = readFileSync(file, 'utf8');
      assert.match(svg, /^<svg [^>]*role="img">\n<title>\(4,8\):\(8,1\)<\/title>/);
      assert.equal(svg.match(/>b\d+</g)?.length, 32);
      assert.match(svg, />31<.*>b15</);
    });
  });

  it('leaves another file unchanged without --force', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, 'my.svg');
      writeFileSync(file, '<svg/>');
      const ran = await draw(file, '(4,8)');
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /The file exists and was left unchanged\. Fix: add --force/);
      assert.equal(readFileSync(file, 'utf8'), '<svg/>');
      assert.equal((await draw(file, '(4,8)', '--force')).code, 0);
      assert.match(readFileSync(file, 'utf8'), />31</);
      assert.equal((await draw(file, '(4,8)')).code, 0, 'the same picture is no conflict');
    });
  });

  it('draws a thread-value layout over a tile', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, 'tv.svg');
      const ran = await draw(file, '((4,8),(2,2)):((32,1),(16,8))', '--tile', '16x8');
      assert.equal(ran.code, 0, ran.stderr);
      const svg = readFileSync(file, 'utf8');
      assert.equal(svg.match(/>T\d+</g)?.length, 128);
      assert.equal(svg.match(/>V3</g)?.length, 32);
    });
  });

  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['(4,8)', '--color', 'bank'], /--color requires a picture\. Fix: add --svg FILE/],
    [['(4,8)', '--force'], /--force requires a picture/],
    [['--svg', 'x.svg'], /Missing argument EXPR/],
    [['size((4,8))', '--svg', 'x.svg'], /is not a layout, so it has no picture/],
    [['(128,128)', '--svg', 'x.svg'], /16384 cells; at most 4096 are drawn\. Fix: draw a part/],
    [['(4,8)', '--tile', '16', '--svg', 'x.svg'], /--tile: expected rows x columns/],
    [['(4,8)', '--tile', '4x4', '--svg', 'x.svg'], /outside of the 4 x 4 tile/],
    [['(4,8)', '--svg', 'x.svg', '--color', 'red'], /red/],
  ];
  for (const [args, message] of wrong) {
    it(`rejects ${args.join(' ')}`, async () => {
      await inFolder(async folder => {
        const given = args.map(arg => (arg === 'x.svg' ? path.join(folder, arg) : arg));
        const ran = await cli(['layout', ...given]);
        assert.equal(ran.code, 2, ran.stdout);
        assert.match(ran.stderr, message);
        assert.ok(!existsSync(path.join(folder, 'x.svg')));
      });
    });
  }
});
