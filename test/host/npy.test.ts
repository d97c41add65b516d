/**
 * A kernel's host program with matrices of one's own, in NumPy's files: run on the CPU shim, and
 * compiled by nvcc.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { hostProgram } from '../../src/host/cuda/hostProgram';
import { handWritten, shimMachine } from './cudaSupport';
import { onceInHostileFolder } from './support';

const exec = promisify(execFile);
/** Of the hand-written kernel. */
const [M, N, K] = [45, 37, 29];

type Type = 'f2' | 'f4' | 'f8' | 'i1' | 'i4';
interface Written {
  readonly type?: Type;
  readonly fortran?: boolean;
  readonly version?: 1 | 2;
  readonly descr?: string;
  readonly shape?: string;
}

/** Small whole numbers, which every type holds. */
const element = (row: number, column: number, salt: number): number =>
  ((row * 7 + column * 3 + salt) % 11) - 5;

/** Of -5 to 5. */
function half(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const mantissa = (Math.abs(value) / 2 ** exponent - 1) * 1024;
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | mantissa;
}

const WRITE: Readonly<Record<Type, (to: Buffer, value: number, at: number) => void>> = {
  f2: (to, value, at) => to.writeUInt16LE(half(value), at * 2),
  f4: (to, value, at) => to.writeFloatLE(value, at * 4),
  f8: (to, value, at) => to.writeDoubleLE(value, at * 8),
  i1: (to, value, at) => to.writeInt8(value, at),
  i4: (to, value, at) => to.writeInt32LE(value, at * 4),
};

function npy(rows: number, columns: number, salt: number, how: Written = {}): Buffer {
  const { type = 'f4', fortran = false, version = 1 } = how;
  const descr = how.descr ?? `${type === 'i1' ? '|' : '<'}${type}`;
  const shape = how.shape ?? `(${rows}, ${columns})`;
  const fields = `{'descr': '${descr}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': ${shape}, }\n`;
  const length = Buffer.alloc(version === 1 ? 2 : 4);
  if (version === 1) length.writeUInt16LE(fields.length);
  else length.writeUInt32LE(fields.length);
  const data = Buffer.alloc(rows * columns * Number(type[1]));
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = fortran ? column * rows + row : row * columns + column;
      WRITE[type](data, element(row, column, salt), at);
    }
  }
  const magic = Buffer.from([0x93, ...Buffer.from('NUMPY'), version, 0]);
  return Buffer.concat([magic, length, Buffer.from(fields), data]);
}

const expected = (row: number, column: number, alpha: number, beta: number): number => {
  let sum = 0;
  for (let k = 0; k < K; k++) sum += element(row, k, 1) * element(k, column, 2);
  return alpha * sum + beta * element(row, column, 3);
};

describe('a host program with .npy files (needs g++ on Linux)', function () {
  this.timeout(120_000);
  let folder: string;
  let nvcc: string;
  onceInHostileFolder(shimMachine, (at, made) => {
    folder = at;
    ({ nvcc } = made);
  });

  const compiled = new Map<string, Promise<string>>();
  const programOf = (shape: Parameters<typeof handWritten>[0]): Promise<string> => {
    const key = JSON.stringify(shape);
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const place = path.join(folder, `program ${compiled.size}`);
    mkdirSync(place);
    const kernel = handWritten(shape);
    writeFileSync(path.join(place, 'kernel.cu'), kernel.source);
    writeFileSync(path.join(place, 'main.cu'), hostProgram(kernel, 'kernel.cu'));
    const made = exec(nvcc, ['-o', 'gemm'], { cwd: place }).then(() => place);
    compiled.set(key, made);
    return made;
  };
  const run = async (
    shape: Parameters<typeof handWritten>[0],
    files: Readonly<Record<string, Buffer>>,
    options: readonly string[] = [],
  ): Promise<{ readonly code: number; readonly stderr: string; readonly out: string }> => {
    const place = await programOf(shape);
    for (const [name, bytes] of Object.entries(files)) {
      writeFileSync(path.join(place, `${name}.npy`), bytes);
    }
    const given = Object.keys(files).flatMap(name => [`--${name}`, `${name}.npy`]);
    const args = [...given, '--out', 'out.npy', ...options];
    const out = path.join(place, 'out.npy');
    return await new Promise(resolve => {
      execFile('./gemm', args, { cwd: place }, (error, _stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), stderr, out });
      });
    });
  };

  function check(file: string, alpha = 1, beta = 0): void {
    const bytes = readFileSync(file);
    const header = 10 + bytes.readUInt16LE(8);
    assert.equal(header % 64, 0);
    assert.match(
      bytes.toString('latin1', 10, header),
      /^\{'descr': '<f4', 'fortran_order': False, 'shape': \(45, 37\), \} *\n$/,
    );
    assert.equal(bytes.length, header + M * N * 4);
    for (let row = 0; row < M; row++) {
      for (let column = 0; column < N; column++) {
        const actual = bytes.readFloatLE(header + 4 * (row * N + column));
        assert.equal(actual, expected(row, column, alpha, beta), `${row}, ${column}`);
      }
    }
  }

  const pairs: readonly (readonly [Written, Written])[] = [
    [{}, {}],
    [{ type: 'f2' }, { type: 'i1', fortran: true }],
    [
      { type: 'f8', fortran: true },
      { type: 'i4', version: 2 },
    ],
  ];
  for (const [one, other] of pairs) {
    it(`multiplies ${JSON.stringify(one)} by ${JSON.stringify(other)}`, async () => {
      const ran = await run({}, { a: npy(M, K, 1, one), b: npy(K, N, 2, other) });
      assert.equal(ran.code, 0, ran.stderr);
      check(ran.out);
    });
  }

  it('reads C where beta is not 0, in column-major matrices with gaps', async () => {
    const shape = { layout: 'col', alpha: 2, beta: -3 } as const;
    const files = { a: npy(M, K, 1), b: npy(K, N, 2), c: npy(M, N, 3) };
    const ran = await run(shape, files);
    assert.equal(ran.code, 0, ran.stderr);
    check(ran.out, 2, -3);
    const without = await run(shape, { a: files.a, b: files.b });
    assert.equal(without.code, 2);
    assert.match(without.stderr, /--c \(beta is not 0\)/);
  });

  const good = npy(K, N, 2);
  const wrong: readonly (readonly [string, Buffer, RegExp])[] = [
    ['the wrong shape', npy(K, M, 1), /a\.npy: is 29 x 45; expected 45 x 29 for A\./],
    ['one dimension', npy(M, K, 1, { shape: '(1305,)' }), /shape \(1305,\); expected two/],
    ['three', npy(M, K, 1, { shape: '(45, 29, 1)' }), /shape \(45, 29, 1\)/],
    ['complex numbers', npy(M, K, 1, { descr: '<c8' }), /elements of type '<c8'; expected f2, f4/],
    ['big-endian numbers', npy(M, K, 1, { descr: '>f4' }), /type '>f4'/],
    ['missing bytes', npy(M, K, 1).subarray(0, -1), /ends after 5219 of 5220 bytes/],
    ['half a header', npy(M, K, 1).subarray(0, 40), /ends within its header/],
    ['another file', Buffer.from('PK and so on, for a while'), /is not a \.npy file/],
    ['nothing', Buffer.alloc(0), /is not a \.npy file/],
  ];
  for (const [what, bytes, message] of wrong) {
    it(`refuses ${what} in a sentence`, async () => {
      const { code, stderr } = await run({}, { a: bytes, b: good });
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
  }

  it('says which files belong together', async () => {
    const { code, stderr } = await run({}, { b: good });
    assert.equal(code, 2);
    assert.match(stderr, /--a, --b and --out together; beta is 0/);
    assert.equal((await run({}, { a: npy(M, K, 1), b: good, c: npy(M, N, 3) })).code, 2);
  });
});
