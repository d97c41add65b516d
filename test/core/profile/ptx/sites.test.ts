/**
 * Sites of hand-written kernels from PTX that nvcc made of them (test/fixtures/ptx), with the
 * reasons for what they cost.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { analyze } from '../../../../src/core/report/analyze';
import { readPtx } from '../../../../src/core/profile/listing/ptx';
import { readKernelFile } from '../../../../src/core/source/kernelFile';
import { compiledAccesses } from '../../../../src/core/profile/ptx/sites';

const text = (path: string): string => readFileSync(`test/fixtures/${path}`, 'utf8');

function analysisOf(name: string, change: (source: string) => string = source => source) {
  const file = readKernelFile(change(text(`handWritten/${name}.cu`)), `${name}.cu`);
  assert.ok(file.ok);
  const { runnable } = file;
  const ptx = text(`ptx/${name}.ptx`);
  const [listing] = readPtx(ptx);
  assert.ok(listing);
  const accesses = compiledAccesses({ ptx, listing, runnable, file: 'kernel.cu' });
  return { ...accesses, analysis: analyze(runnable, { device: 'h200', accesses }) };
}

const sized = (source: string): string =>
  source.replace(/"m":\d+,"n":\d+,"k":\d+/, '"m":1024,"n":1024,"k":1024');

describe('Sites of a hand-written kernel', () => {
  it('of the tutorial that tiles with i0 = threadIdx.x are uncoalesced, with line and reason', () => {
    const { global, shared, analysis } = analysisOf('tiledMatmul101', sized);
    assert.deepEqual(
      global.map(({ site, op, sectorsPerRequest, idealSectors, usedBytesPerRequest }) => [
        site,
        op,
        sectorsPerRequest,
        idealSectors,
        usedBytesPerRequest,
      ]),
      [
        ['A[(i + i0) * K + (k + j0)], line 16', 'load', 16, 4, 128],
        ['B[(k + i0) * N + (j + j0)], line 22', 'load', 16, 4, 128],
        ['C[(i + i0) * N + (j + j0)], line 36', 'store', 16, 4, 128],
      ],
    );
    assert.deepEqual(
      shared.map(({ site, op, operand, wavefrontsPerRequest, curingPadding }) => [
        site,
        op,
        operand,
        wavefrontsPerRequest,
        curingPadding,
      ]),
      [
        // The compiler put both ways of the if together: the first that stores there is named.
        ['tile_A[i0][j0], line 16', 'store', 'a', 8, 2],
        ['tile_B[i0][j0], line 22', 'store', 'b', 8, 2],
        ['tile_B[k0][j0], line 29', 'load', 'b', 1, null],
        ['tile_A[i0][k0], line 29', 'load', 'a', 8, 1],
      ],
    );
    const advice = analysis.notes.filter(({ level }) => level === 'advice').map(note => note.text);
    assert.equal(
      advice[0],
      'A[(i + i0) * K + (k + j0)], line 16: uncoalesced load, 16 sectors per request (ideal 4). Consecutive lanes have a stride of K = 1,024 elements in A. Map threadIdx.x to the contiguous dimension.',
    );
    assert.equal(advice.length, 6);
    assert.ok(
      analysis.notes.some(({ text: note }) =>
        note.includes('derived from PTX: 32 warps of 4 blocks'),
      ),
    );
  });

  it('of the naive kernel are uncoalesced: its lanes walk rows', () => {
    const { global, analysis } = analysisOf('gemmNaive', sized);
    assert.deepEqual(
      global.map(({ site, sectorsPerRequest, laneStride, source }) => [
        site,
        sectorsPerRequest,
        laneStride,
        source?.apartName,
      ]),
      [
        ['B[i * N + y], line 13', 1, 0, null],
        ['A[x * K + i], line 13', 32, 1024, 'K'],
        ['C[x * N + y], line 15', 32, 1024, 'N'],
      ],
    );
    const [load] = analysis.notes.filter(({ level }) => level === 'advice');
    assert.match(
      load?.text ?? '',
      /^A\[x \* K \+ i\], line 13: uncoalesced load, 32 sectors .* \(ideal 4\)\. Consecutive lanes have a stride of K = 1,024 elements in A/,
    );
  });

  it('count the requests of the whole grid, and the bytes of them', () => {
    const { global, globalBytes, analysis } = analysisOf('gemmNaive', sized);
    // 32 x 32 blocks of 32 warps, each of which reads A and B 1024 times.
    assert.deepEqual(
      global.map(({ requests }) => requests),
      [2 ** 25, 2 ** 25, 2 ** 15],
    );
    assert.equal(globalBytes, 2 ** 25 * (4 + 128) + 2 ** 15 * 128);
    assert.deepEqual(analysis.traffic.l2, { value: globalBytes, unit: 'B', from: 'compiler' });
  });

  it('draw the dearest request, lane by lane', () => {
    const { pictures } = analysisOf('gemmNaive', sized);
    const drawn = pictures.find(({ site }) => site.startsWith('A['));
    assert.ok(drawn);
    assert.deepEqual(drawn.addresses.slice(0, 3), [0, 4096, 8192]);
    assert.deepEqual([drawn.cost, drawn.share], [32, 1]);
  });

  it('count partial requests where there are no others', () => {
    // 20 columns: the last warp of a row of 32 threads has 20 lanes with work.
    const { global } = analysisOf('gemmNaive', source =>
      source.replace(/"m":\d+,"n":\d+,"k":\d+/, '"m":20,"n":20,"k":8'),
    );
    const of = global.find(({ site }) => site.startsWith('C['));
    assert.ok(of);
    assert.deepEqual([of.sectorsPerRequest, of.usedBytesPerRequest], [20, 80]);
  });

  it('say where they were cut short, and then count nothing', () => {
    const file = readKernelFile(sized(text('handWritten/gemmNaive.cu')), 'gemmNaive.cu');
    assert.ok(file.ok);
    const ptx = text('ptx/gemmNaive.ptx');
    const [listing] = readPtx(ptx);
    assert.ok(listing);
    const given = { ptx, listing, runnable: file.runnable, file: 'kernel.cu' };
    const { global, globalBytes, limits } = compiledAccesses(given, { mostSteps: 3200 });
    assert.ok(Number.isNaN(globalBytes) && global.every(({ requests }) => Number.isNaN(requests)));
    assert.equal(global.find(({ site }) => site.startsWith('A['))?.sectorsPerRequest, 32);
    assert.match(
      limits[0] ?? '',
      /^Tracing stopped after about 100 instructions in 32 of 32 warps/,
    );
  });
});
