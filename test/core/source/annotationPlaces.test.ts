/** The `// @gemm` comment at the head or at the end of a file, and fields under their old names. */
import assert from 'node:assert/strict';
import {
  annotationOf,
  ownsFile,
  parseKernelText,
  readKernelFile,
} from '../../../src/core/source/kernelFile';
import { kernelKey } from '../../../src/core/kernel/emit';
import { recoverGenerated } from '../../../src/core/kernel/generatedKernel';
import { hashLine } from '../../../src/core/kernel/file/fileHead';
import type { Kernel } from '../../../src/core/kernel/kernel';
import type { Measurement } from '../../../src/core/measure/measurement';
import { newestRuns } from '../../../src/core/measure/newestRuns';
import { hashText } from '../../../src/core/text/hash';
import { isRunOf } from '../../../src/extension/runs/lensText';
import { lensPlaces } from '../../../src/extension/editor/lensPlaces';
import { kernelFor } from '../../helpers/kernels';
import { cube, LADDER } from '../../helpers/ladderSpecs';
import { declaredFor, WARP_GROUP_SPECS } from '../../helpers/warpGroupSpecs';

const naive = (): Kernel =>
  kernelFor({ problem: cube(64), schedule: { algorithm: 'naive' }, targets: ['cuda'] }, 'cuda');

/**
 * The file as versions before the annotation moved wrote it: both machine-read lines in the head.
 */
function atTheHead({ source }: Pick<Kernel, 'source'>): string {
  const lines = source.trimEnd().split('\n');
  const annotation = lines.at(-2) ?? '';
  const head = lines.indexOf('');
  const body = lines.slice(head, -3).join('\n');
  const top = `${lines.slice(0, head).join('\n')}\n//\n${annotation}\n`;
  return `${top}${hashLine(`${top}${body}\n`)}${body}\n`;
}

describe('the @gemm comment of a generated file', () => {
  it('follows the code, with the hash, so that words and code are together at the top', () => {
    for (const spec of LADDER) {
      for (const target of ['cuda', 'wgsl'] as const) {
        const { source } = kernelFor(spec, target);
        const lines = source.split('\n');
        assert.match(lines.at(-3) ?? '', /^\/\/ @gemm \{"entry":"gemm_\w+",/);
        assert.match(lines.at(-2) ?? '', /^\/\/ @gemm-generated v1 sha256=[0-9a-f]{64}$/);
        assert.equal(lines.at(-1), '');
        assert.equal(source.match(/@gemm/g)?.length, 2);
      }
    }
  });

  it('is read at the head too, where older versions wrote it', () => {
    for (const kernel of [naive(), ...Object.values(WARP_GROUP_SPECS).map(declaredFor)]) {
      const older = atTheHead(kernel);
      assert.equal(ownsFile(older), 'generated');
      assert.equal(ownsFile(older.replace('float', 'double')), 'edited');
      const read = readKernelFile(older, kernel.fileName);
      assert.ok(read.ok && read.origin === 'generated', JSON.stringify(read));
      assert.deepEqual(read.runnable.spec, kernel.spec);
      assert.deepEqual(read.runnable.tensorMaps, kernel.tensorMaps);
      assert.equal(read.runnable.entry, kernel.entry);
      // Another text: its runs are not those of the new one.
      assert.equal(recoverGenerated(read.runnable), null);
    }
  });

  it('never attaches a run of the older text to the new one', () => {
    const { source } = naive();
    const older = atTheHead({ source });
    const keyOf = (text: string) =>
      kernelKey({ source: text, architecture: 'sm_90', compiler: 'nvcc', flags: [] });
    assert.notEqual(keyOf(older), keyOf(source));
    const run = { backend: 'cuda', sourceHash: hashText(older) } as Measurement;
    assert.equal(isRunOf(older)(run), true);
    assert.equal(isRunOf(source)(run), false);
    const [newest] = newestRuns([run], hash => hash === hashText(source));
    assert.deepEqual([newest?.run, newest?.stale], [run, true]);
  });

  it('counts a lost final line end as an edit', () => {
    const { source } = naive();
    assert.equal(ownsFile(source), 'generated');
    assert.equal(ownsFile(source.trimEnd()), 'edited');
    assert.equal(ownsFile(`${source}\n`), 'edited');
  });

  it('keeps its kernel when another kernel is appended', () => {
    const { source, fileName } = naive();
    const file = parseKernelText(`${source}\n__global__ void mine(float* a) {}\n`, fileName);
    assert.equal(annotationOf(file, 'mine'), undefined);
    assert.notEqual(annotationOf(file, 'gemm_naive'), undefined);
  });

  it('leaves the CodeLens above the kernel', () => {
    const { source, fileName } = naive();
    const kernelLine = source.split('\n').findIndex(line => line.includes('__global__'));
    for (const text of [source, atTheHead({ source })]) {
      const file = parseKernelText(text, fileName);
      const line = text === source ? kernelLine : file.kernels[0]?.line;
      assert.deepEqual(
        lensPlaces(file).map(place => [place.kind, place.entry, place.line]),
        ['benchmark', 'verify', 'occupancy', 'roof'].map(kind => [kind, 'gemm_naive', line]),
      );
    }
  });
});

describe('two @gemm comments of one kernel', () => {
  const annotation = (m: number) =>
    `// @gemm {"problem":{"m":${m},"n":16,"k":16},"grid":[1],"block":[16,16],"args":["a","b","c"]}`;
  const kernel = '__global__ void k(float* a, float* b, float* c) {}';

  it('are an error with path and lines if they differ', () => {
    const text = [annotation(16), kernel, annotation(32), ''].join('\n');
    const read = readKernelFile(text, 'k.cu');
    assert.ok(!read.ok);
    assert.equal(read.path, '@gemm');
    assert.match(read.reason, /^k\.cu:1: k has a different @gemm comment in line 3\. Fix: /);
  });

  it('are read if they are equal, the head first', () => {
    const text = [annotation(16), kernel, annotation(16).replaceAll(',', ', '), ''].join('\n');
    const read = readKernelFile(text, 'k.cu');
    assert.ok(read.ok, JSON.stringify(read));
    assert.equal(read.runnable.specKey, 'k');
    assert.equal(annotationOf(parseKernelText(text, 'k.cu'), 'k')?.line, 0);
  });

  it('are no contradiction if each describes its own kernel', () => {
    const other = kernel.replace('void k', 'void l');
    const text = [annotation(16), kernel, annotation(32), other, ''].join('\n');
    for (const [entry, m] of [
      ['k', 16],
      ['l', 32],
    ] as const) {
      const read = readKernelFile(text, 'k.cu', entry);
      assert.ok(read.ok && read.runnable.problem.m === m, JSON.stringify(read));
    }
  });
});

describe('renamed fields of a tensor map', () => {
  const described = (map: object) => {
    const json = JSON.stringify({
      problem: { m: 256, n: 192, k: 100, a: { dtype: 'bf16' }, b: { layout: 'col' } },
      grid: [1],
      block: [384],
      args: ['tensorMapA', 'b', 'c'],
      workspaceBytes: 1e6,
      tensorMaps: {
        a: {
          box: [64, 128],
          swizzleBytes: 128,
          workspaceOffset: 0,
          ld: 256,
          batchStride: 25_600,
          ...map,
        },
      },
    });
    const text = `\n__global__ void k(CUtensorMap a, float *b, float *c) {}\n// @gemm ${json}\n`;
    return readKernelFile(text, 'k.cu');
  };

  it('are read under both names, and become the new one', () => {
    for (const [old, renamed] of [
      [{ turned: true }, { transposed: true }],
      [{ pieces: 3 }, { terms: 3 }],
    ]) {
      const maps = [old, renamed].map(fields => {
        const read = described({ ...fields, ld: 256 });
        assert.ok(read.ok, JSON.stringify(read));
        return read.runnable.tensorMaps;
      });
      assert.deepEqual(maps[0], maps[1]);
      assert.deepEqual({ ...maps[0]?.a, ...renamed }, maps[0]?.a);
      assert.doesNotMatch(JSON.stringify(maps), /turned|pieces/);
    }
  });

  it('are an error that names the line if both names are given', () => {
    for (const [old, renamed, value] of [
      ['turned', 'transposed', true],
      ['pieces', 'terms', 2],
    ] as const) {
      const read = described({ [old]: value, [renamed]: value });
      assert.ok(!read.ok);
      assert.equal(read.path, `@gemm.tensorMaps.a.${old}`);
      assert.match(read.reason, new RegExp(`^k\\.cu:3: .*"${renamed}" or its old name "${old}"`));
    }
  });

  it('are never written under the old names', () => {
    for (const spec of Object.values(WARP_GROUP_SPECS)) {
      assert.doesNotMatch(declaredFor(spec).source, /"turned"|"pieces"/);
    }
  });
});
