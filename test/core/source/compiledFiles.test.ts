/** PTX files, cubins with their side files, and Python files: kernels and annotations. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseCubin } from '../../../src/core/source/cubinFile';
import { foreignPlaces } from '../../../src/core/source/foreignPlaces';
import { parseKernelText, readKernel, readKernelFile } from '../../../src/core/source/kernelFile';
import { locatePtxKernels, ptxTarget } from '../../../src/core/source/ptxFile';
import { readPythonFile } from '../../../src/core/source/pythonFile';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { resolve } from '../../../src/core/defaults/resolve';

const PTX = `.version 9.0
.target sm_90a
.address_size 64
// .visible .entry commented(
.visible .entry _Z4gemmPKfS0_Pfi(
	.param .u64 _Z4gemmPKfS0_Pfi_param_0,
	.param .u64 .ptr .global .align 16 b,
	.param .align 64 .b8 map[128],
	.param .u32 n
)
.maxntid 256, 1, 1
{
	ret;
}
.entry second()
{
	ret;
}
`;
const ANNOTATION =
  '{"problem":{"m":64,"n":64,"k":64},"grid":[4],"block":[256],"args":["a","b","c","n"]}';

describe('a PTX file', () => {
  it('has kernels with the types of their parameters', () => {
    assert.deepEqual(
      locatePtxKernels(PTX).map(({ entry, line, parameters }) => ({ entry, line, parameters })),
      [
        { entry: '_Z4gemmPKfS0_Pfi', line: 4, parameters: ['u64', 'u64', 'b8[128]', 'u32'] },
        { entry: 'second', line: 14, parameters: [] },
      ],
    );
    assert.deepEqual([ptxTarget(PTX), ptxTarget('.version 9.0')], ['sm_90a', undefined]);
  });

  it('is run as its annotation describes', () => {
    const text = PTX.replace('.visible .entry _Z4', `// @gemm ${ANNOTATION}\n.visible .entry _Z4`);
    const read = readKernelFile(text, 'k.ptx');
    assert.ok(read.ok);
    const { entry, foreign, specKey, block } = read.runnable;
    assert.deepEqual([entry, foreign, specKey], ['_Z4gemmPKfS0_Pfi', { kind: 'ptx' }, 'k']);
    assert.deepEqual([block.x, read.origin], [256, 'hand-written']);
  });

  it('can be annotated with the function name of a mangled kernel', () => {
    const named = ANNOTATION.replace('{', '{"entry":"gemm",');
    const read = readKernelFile(`// @gemm ${named}\n${PTX}`, 'k.ptx');
    assert.ok(read.ok);
    assert.equal(read.runnable.entry, 'gemm');
  });

  it('without an annotation or a kernel has a reason and a next step', () => {
    const missing = readKernelFile(PTX, 'k.ptx');
    assert.ok(!missing.ok && missing.reason.includes('gemm-explorer annotate'));
    const empty = readKernelFile('.version 9.0\n', 'k.ptx');
    assert.ok(!empty.ok && empty.reason === 'k.ptx has no kernel.');
  });

  it('never makes the reader throw', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const mixed = `.visible .entry ${text} gemm(${text}`;
        locatePtxKernels(mixed);
        parseKernelText(mixed, 'k.ptx');
      }),
    );
  });
});

describe('a cubin', () => {
  const read = (side: string | undefined, symbols = ['_Z4gemmPf', 'other'], wanted?: string) =>
    readKernel(
      parseCubin({ fileName: 'k.cubin', path: '/x/k.cubin', hash: 'ab12', symbols, side }),
      wanted,
    );

  it('is run as its side file describes', () => {
    const found = read(JSON.stringify(JSON.parse(ANNOTATION), null, 2));
    assert.ok(found.ok);
    const { entry, foreign, source } = found.runnable;
    assert.deepEqual([entry, foreign], ['_Z4gemmPf', { kind: 'cubin', path: '/x/k.cubin' }]);
    assert.match(source, /SHA-256 ab12/);
  });

  it('can have several annotations, one per kernel', () => {
    const one = JSON.parse(ANNOTATION) as object;
    const side = JSON.stringify([
      { entry: 'gemm', ...one },
      { entry: 'other', ...one, block: [32] },
    ]);
    const first = read(side);
    assert.ok(first.ok && first.runnable.specKey === 'k-_Z4gemmPf');
    const second = read(side, undefined, 'other');
    assert.ok(second.ok && second.runnable.block.x === 32);
  });

  it('states what is wrong with its side file', () => {
    const reason = (side: string | undefined): string => {
      const found = read(side);
      return found.ok ? '' : found.reason;
    };
    assert.match(reason(undefined), /add k\.cubin\.json with/);
    assert.match(reason('{ broken\n'), /is not JSON/);
    assert.match(reason('{"grid":[]}'), /@gemm comment: /);
    assert.match(reason(ANNOTATION.replace('{', '{"entry":"absent",')), /no kernel absent/);
  });
});

describe('the places where foreign kernels can be run', () => {
  it('are the annotations of PTX and Python files', () => {
    const ptx = `${PTX}// @gemm ${ANNOTATION}`;
    const line = PTX.split('\n').length - 1;
    assert.deepEqual(foreignPlaces(ptx, 'k.ptx'), [{ line, entry: '_Z4gemmPKfS0_Pfi' }]);
    assert.deepEqual(foreignPlaces('x = 1\n  # @gemm {}\n', 'k.py'), [{ line: 1 }]);
    for (const text of ['', 'print("@gemm")', '# @gemmx {}']) {
      assert.deepEqual(foreignPlaces(text, 'k.py'), [], text);
    }
  });
});

describe('a Python file', () => {
  const problem = resolve({ problem: { m: 8, n: 16, k: 24 } }).problem;
  const read = (text: string, callable?: string) =>
    readPythonFile(text, { fileName: 'k.py', path: '/x/k.py', callable, problem });
  const reason = (text: string): string => {
    const found = read(text);
    return found.ok ? '' : `${found.path}: ${found.reason}`;
  };

  it('needs no annotation beside another kernel', () => {
    const found = read('def gemm(a, b):\n    return a @ b\n');
    assert.ok(found.ok);
    const { entry, arguments: args, foreign, problem: own } = found.runnable;
    assert.deepEqual([entry, args, own], ['gemm', ['a', 'b'], problem]);
    assert.deepEqual(foreign, { kind: 'python', path: '/x/k.py', execute: 'needed' });
  });

  it('describes its function, arguments and problem', () => {
    const found = read(
      '    # @gemm {"problem":{"m":4,"n":4,"k":4,"a":{"dtype":"f16"}},"callable":"mm","args":["b","a","c"],"execute":"all"}',
    );
    assert.ok(found.ok);
    const { entry, arguments: args, problem: own, foreign } = found.runnable;
    assert.deepEqual([entry, args, own.m, own.c.dtype], ['mm', ['b', 'a', 'c'], 4, 'f16']);
    assert.ok(foreign?.kind === 'python' && foreign.execute === 'all');
  });

  it('can be asked for another function', () => {
    const found = read('# @gemm {"callable":"one"}\n', 'two');
    assert.ok(found.ok && found.runnable.entry === 'two');
  });

  it('states what is wrong with its annotation', () => {
    assert.match(reason('\n# @gemm {"callable":"x-y"}'), /^@gemm\.callable: k\.py:2: .*function/);
    assert.match(reason('# @gemm {"args":["a"]}'), /"a" and "b"/);
    assert.match(reason('# @gemm {"args":["a","b","workspace"]}'), /^@gemm\.args/);
    assert.match(reason('# @gemm {"program":"python"}'), /^@gemm\.program/);
    assert.match(reason('# @gemm {broken'), /is not JSON/);
    assert.match(reason('# @gemm {}\n# @gemm {}'), /k\.py:2: .*two @gemm comments/);
    assert.match(reason('# @gemm {"problem":{"m":0,"n":1,"k":1}}'), /^@gemm\.problem\.m/);
  });

  it('is refused for an epilogue with operands, which it does not get', () => {
    const on = (epilogue: GemmSpec['problem']['epilogue']) =>
      readPythonFile('', {
        fileName: 'k.py',
        path: '/x/k.py',
        problem: resolve({ problem: { m: 8, n: 8, k: 8, epilogue } }).problem,
      });
    const refused = on([{ op: 'relu' }, { op: 'bias', along: 'n' }]);
    assert.ok(!refused.ok);
    assert.equal(refused.path, '@gemm.problem.epilogue');
    assert.match(refused.reason, /no operand of an epilogue.*without the operation "bias"\.$/);
    assert.ok(on([{ op: 'relu' }]).ok, 'an activation has no operand');
    assert.match(
      reason('# @gemm {"problem":{"m":8,"n":8,"k":8,"epilogue":[{"op":"scale"}]}}'),
      /"scale"/,
    );
  });

  it('without a problem has a next step', () => {
    const found = readPythonFile('', { fileName: 'k.py', path: '/x/k.py' });
    assert.ok(!found.ok && found.reason.includes('Fix: add a comment # @gemm'));
  });

  it('never makes the reader throw', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        read(`# @gemm ${text}`);
      }),
    );
  });
});
