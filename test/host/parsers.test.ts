/** The readers of compiler output: known logs, and arbitrary bytes that must not trouble them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeLine as decodeRun } from '../../src/core/measure/historyLine';
import { decodeLine } from '../../src/host/cuda/runner/protocol';
import { parseDiagnostics } from '../../src/host/diagnostics';
import { demangle } from '../../src/core/source/symbols';
import { parsePtxas } from '../../src/host/ptxas';
import { plainText, printable } from '../../src/host/text';
import { runs } from '../helpers/depth';

const LOG = `ptxas info    : 0 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function '_ZN2ns6matmulILi4EEEvPKfPf' for 'sm_75'
ptxas info    : Function properties for _ZN2ns6matmulILi4EEEvPKfPf
    256 bytes stack frame, 12 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 16384 bytes smem, 384 bytes cmem[0], 16 bytes cmem[3]
ptxas info    : Function properties for _Z6helperf
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'plain' for 'sm_75'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 352 bytes cmem[0]
`;

describe('parsePtxas', () => {
  it('reads every kernel, and not the functions between them', () => {
    const none = { spillStores: 0, spillLoads: 0, stackBytes: 0, sharedBytes: 0, warnings: [] };
    assert.deepEqual(parsePtxas(LOG).unread, []);
    assert.deepEqual(parsePtxas(LOG).kernels, [
      {
        entry: 'matmul',
        symbol: '_ZN2ns6matmulILi4EEEvPKfPf',
        arch: 'sm_75',
        registers: 255,
        sharedBytes: 16384,
        spillStores: 12,
        spillLoads: 24,
        stackBytes: 256,
        constantBytes: 400,
        warnings: [],
      },
      {
        ...none,
        entry: 'plain',
        symbol: 'plain',
        arch: 'sm_75',
        registers: 8,
        constantBytes: 352,
      },
    ]);
  });

  it('finds none in a log without them', () => {
    assert.deepEqual(parsePtxas(''), { kernels: [], unread: [] });
    assert.deepEqual(parsePtxas('ptxas info    : Used 8 registers').kernels, []);
  });

  const ONE = "ptxas info    : Compiling entry function 'one' for 'sm_90'\n";
  it('calls what a kernel uses unknown where its line cannot be right, and never 0', () => {
    for (const line of [
      'Used 99999999999999999999 registers, -5 bytes smem',
      'Used 256 registers',
      'Used 0 registers',
      'Used -8 registers',
      'Used many registers',
      'Used 8 registers, -5 bytes smem',
      'Used 8 registers, x12 bytes smem',
      'Used 8 registers, 1.5 bytes cmem[0]',
      'Used 8 registers, 99999999999999999999 bytes smem',
      '-1 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads',
    ]) {
      const { kernels, unread } = parsePtxas(`${ONE}ptxas info    : ${line}\n`);
      assert.deepEqual(kernels, [], line);
      assert.match(unread.join('\n'), /^ptxas reported invalid resources of one: "/);
    }
    assert.deepEqual(parsePtxas(ONE).unread, ['ptxas did not report the registers of one.']);
  });

  it('reads numbers up to their limits, and words that it does not know', () => {
    const line =
      'Used 255 registers, used 16 barriers, 233472 bytes smem, 2 textures, 8 bytes lmem';
    const words =
      'ptxas info    : (C7510) Potential Performance Loss: accumulator registers of a wgmma';
    const { kernels, unread } = parsePtxas(`${ONE}${words}\nptxas info    : ${line}\n`);
    assert.deepEqual(unread, []);
    assert.deepEqual(
      kernels.map(kernel => [kernel.registers, kernel.sharedBytes]),
      [[255, 233_472]],
    );
  });

  it('leaves out the kernels of a namespace, whatever they are called', () => {
    const kernel = (symbol: string, registers: number): string =>
      `ptxas info    : Compiling entry function '${symbol}' for 'sm_90'
ptxas info    : Function properties for ${symbol}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used ${registers} registers
`;
    const log = [
      kernel('_ZN7harness4copyEPK6float4PS0_x', 10),
      kernel('_ZN7harness4fillEPfxxij', 11),
      kernel('_ZN8harness24copyEPf', 12),
      kernel('_Z4copyPKfS0_Pf', 13),
      kernel('fill', 14),
    ].join('');
    const found = (except?: string) =>
      parsePtxas(log, except).kernels.map(({ entry, registers }) => [entry, registers]);
    assert.deepEqual(found('harness'), [
      ['copy', 12],
      ['copy', 13],
      ['fill', 14],
    ]);
    assert.equal(found().length, 5);
  });

  it('finds the plain name in a symbol', () => {
    assert.equal(demangle('_Z6matmulPfi'), 'matmul');
    assert.equal(demangle('_ZL1gPf'), 'g');
    assert.equal(demangle('_ZN12_GLOBAL__N_14gemmIfLi8EEEvPT_'), 'gemm');
    assert.equal(demangle('gemm'), 'gemm');
    assert.equal(demangle('_Z99x'), '_Z99x');
  });
});

const FILE = `__global__ void first(float *x) { x[0] = 1; }
__global__ void second(float *x) {
  asm("bogus.u32 %0, 1;" : "=r"(x[0]));
}`;

describe('parseDiagnostics', () => {
  const parse = (log: string) => parseDiagnostics(log, FILE, 'kernel.cu');
  const one = (log: string) => {
    const [first] = parse(log);
    return first === undefined
      ? undefined
      : [first.line, first.column, first.severity, first.message];
  };

  it('reads nvcc, the C++ compiler and ptxas', () => {
    assert.deepEqual(one('kernel.cu(3): warning #177-D: variable "q" was declared'), [
      2,
      2,
      'warning',
      'variable "q" was declared',
    ]);
    assert.deepEqual(one('/tmp/x/kernel.cu:2:17: error: no such thing'), [
      1,
      16,
      'error',
      'no such thing',
    ]);
    assert.deepEqual(one('At end of source: error: expected a "}"'), [
      3,
      0,
      'error',
      'expected a "}"',
    ]);
    assert.deepEqual(
      one("ptxas error   : Entry function '_Z6secondPf' uses too much shared data"),
      [1, 16, 'error', "Entry function '_Z6secondPf' uses too much shared data"],
    );
    assert.deepEqual(
      one("ptxas /tmp/k.ptx, line 28; error   : Not a name of any known instruction: 'bogus'"),
      [2, 7, 'error', "Not a name of any known instruction: 'bogus'"],
    );
    assert.deepEqual(one("nvcc fatal   : Unknown option '-x'"), [
      0,
      0,
      'error',
      "Unknown option '-x'",
    ]);
  });

  it('names the other file of a message about it', () => {
    assert.deepEqual(one('/usr/include/cuda.h(12): error: bad'), [
      0,
      0,
      'error',
      '/usr/include/cuda.h(12): bad',
    ]);
  });

  it('says once what two passes say, and stays inside the file', () => {
    const line = 'kernel.cu(999): error: far away';
    const found = parse(`${line}\n${line}\n`);
    assert.equal(found.length, 1);
    assert.equal(found[0]?.line, 3);
  });
});

describe('output of arbitrary bytes', () => {
  const pieces = [
    "ptxas info    : Compiling entry function '",
    "_Z6matmulPf' for 'sm_90'\n",
    'Used 99999999999',
    ' registers',
    ' bytes smem',
    'kernel.cu(',
    '3',
    '): error: ',
    ':7:',
    '_ZN',
    '_Z',
    '\n',
    "'",
    '{"schema":2,"type":"result"',
    ',"outcome":"correct"',
    '}',
    '\u001b[31m',
    '^',
    '    ',
    '"',
    'ptxas error   : ',
    '__global__ void f(',
    ')',
    '/*',
  ];
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 600 }).map(bytes => Buffer.from(bytes).toString('utf8')),
    fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 40 })
      .map(all => all.join('')),
  );

  it('troubles no reader', () => {
    fc.assert(
      fc.property(text, text, (log, file) => {
        for (const kernel of parsePtxas(log).kernels) {
          assert.ok(Object.values(kernel).every(value => typeof value !== 'number' || value >= 0));
        }
        const lines = file.split(/\r?\n/);
        for (const { line, column } of parseDiagnostics(log, file, 'kernel.cu')) {
          const at = lines[line];
          assert.ok(at !== undefined && column >= 0 && column <= at.length);
        }
        demangle(log);
        decodeLine(log, 1);
        decodeLine(`${log}{"schema":2,"id":1,"type":${JSON.stringify(log)}}`, 1);
        decodeRun(log);
        assert.doesNotMatch(plainText(log), /[\u0000-\u0008\u001b\u009b]/);
        assert.ok(printable(log, 20).length <= 20);
      }),
      { ...runs(3000) },
    );
  });
});
