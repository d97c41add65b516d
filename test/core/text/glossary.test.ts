/** The glossary: every term is complete, and hovers find it by word and by path. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { termValueOf } from '../../../src/core/report/termValues';
import {
  inKernelText,
  LIBRARIES,
  TERM_CATEGORIES,
  termById,
  termOfPath,
  termOfWord,
  TERMS,
} from '../../../src/core/text/glossary';
import { glossaryPage } from '../../../src/core/text/glossaryPage';

const termNamed = (id: string) => {
  const term = termById(id);
  assert.ok(term, id);
  return term;
};

function defines(id: string, text: RegExp): void {
  assert.match(termNamed(id).definition, text);
}

describe('the glossary', () => {
  it('gives each term one category, one sentence and a source', () => {
    for (const { id, category, definition, source, elsewhere = {} } of TERMS) {
      assert.ok(TERM_CATEGORIES.includes(category), id);
      assert.match(definition, /^[A-Z0-9][^.]*(?:\.\d[^.]*)*\.$/, id);
      assert.ok(definition.split(' ').length <= 25, id);
      assert.notEqual(source, '', id);
      for (const library of Object.keys(elsewhere))
        assert.ok((LIBRARIES as readonly string[]).includes(library), `${id}: ${library}`);
    }
    for (const category of TERM_CATEGORIES)
      assert.ok(TERMS.filter(term => term.category === category).length >= 10, category);
  });

  it('assigns each id, name and word to one term', () => {
    for (const values of [
      TERMS.map(({ id }) => id),
      TERMS.map(({ name }) => name),
      TERMS.flatMap(({ words = [] }) => words),
    ])
      assert.equal(new Set(values).size, values.length);
  });

  it('explains every tile constant of an emitted kernel', () => {
    const planned = plan(resolve({ problem: { m: 64, n: 64, k: 64 } }), 'cuda');
    assert.ok(planned.ok);
    const constants = [...emit(planned.plan).source.matchAll(/^constexpr int (\w+)/gm)].map(
      match => match[1] ?? '',
    );
    assert.ok(constants.length > 0);
    for (const name of constants) assert.ok(termOfWord(name), name);
  });

  it('finds terms by words of CUDA, PTX and WGSL', () => {
    for (const [word, id] of [
      ['__syncthreads', 'barrier'],
      ['workgroupBarrier', 'barrier'],
      ['threadIdx', 'thread'],
      ['local_invocation_id', 'thread'],
      ['warp', 'warp'],
      ['BLOCK_SIZE_M', 'block-tile-m'],
      ['cp.async.cg.shared.global', 'async-copy'],
      ['cp.async.bulk.tensor.2d.shared::cluster.global', 'tma'],
      ['mbarrier.try_wait.parity.shared::cta.b64', 'mbarrier'],
      ['wgmma.wait_group.sync.aligned', 'wgmma-instruction'],
      ['fence.proxy.async.shared::cta', 'async-proxy'],
    ] as const)
      assert.equal(termOfWord(word)?.id, id, word);
    for (const word of ['bm', 'cp', 'fence', '']) assert.equal(termOfWord(word), undefined, word);
  });

  it('finds terms by paths of a spec, and none for a group of several terms', () => {
    assert.equal(termOfPath('schedule.block.m')?.name, 'BM');
    assert.equal(termOfPath('schedule.padding')?.name, 'padding');
    assert.equal(termOfPath('schedule.raster')?.name, 'raster');
    for (const path of ['schedule', 'schedule.block', 'problem', 'problem.m', 'problem.a'])
      assert.equal(termOfPath(path), undefined, path);
  });

  it('explains the matrix kinds and operations in names of BLAS', () => {
    defines('blas-matrix-kinds', /general, symmetric, Hermitian or triangular/);
    defines('blas-matrix-kinds', /GB and SB are banded, SP and TP packed/);
    defines('blas-operations', /MM is matrix times matrix, MV is matrix times vector/);
    defines('blas-type-prefix', /single, double, complex single or complex double/);
  });

  it('explains static, constexpr and dynamic values, and the extents of mdspan', () => {
    defines('static-extent', /static integer is a compile-time constant in a type/);
    defines('static-extent', /dynamic integer is a run-time value/);
    defines('constexpr-value', /not part of a type, so it can have an address/);
    defines('mdspan-extents', /dynamic_extent, 5> corresponds to Shape<Int<3>, int, Int<5>>/);
    assert.equal(termOfWord('constexpr')?.id, 'constexpr-value');
  });

  it('explains the modes and atoms of CuTe', () => {
    defines('reduction-mode', /Mode over which a GEMM adds products: K/);
    defines('einstein-notation', /repeated index is summed/);
    defines('inner-mode', /First and last mode .* also called the vector mode/);
    defines('atom', /Smallest copy or multiply operation of the hardware/);
    defines('copy-atom', /the algorithm determines it/);
  });

  it('explains the hardware words of the tutorials', () => {
    const ids =
      'cuda-core sm warp-scheduler thread lane warp simt thread-block grid occupancy ' +
      'latency-hiding register-file shared-memory bank-conflict sector cache-line coalescing ' +
      'memory-request resident-block wave';
    for (const id of ids.split(' ')) defines(id, /\w/);
    for (const word of ['warp', 'threadIdx', 'blockIdx', '__shared__', 'scheduler', 'coalesced'])
      assert.ok(termOfWord(word), word);
  });

  it('explains the memory of each CUDA declaration, as the table of docs/concepts.md does', () => {
    for (const [word, id] of [
      ['__shared__', 'shared-memory'],
      ['__device__', 'global-memory'],
      ['__constant__', 'constant-memory'],
    ] as const)
      assert.equal(termOfWord(word)?.id, id);
    defines('local-memory', /private to a thread.* lasts as long as the thread/);
    defines('register-file', /./);
    const concepts = readFileSync('docs/concepts.md', 'utf8');
    const [, section = ''] = concepts.split('\n## Memory spaces\n');
    const [head = '', , ...rows] = section.split('\n').filter(line => line.startsWith('|'));
    assert.match(head, /declaration +\| memory +\| scope +\| lifetime/);
    for (const memory of ['register', 'local', 'shared', 'global', 'constant'])
      assert.ok(
        rows.some(row => row.split('|')[2]?.includes(memory)),
        memory,
      );
  });

  it('fills the values of a kernel, and returns null if one is missing', () => {
    const spec = resolve({
      problem: { m: 64, n: 64, k: 64 },
      schedule: { algorithm: 'thread-tile-2d', block: { m: 32 } },
    });
    const valueOf = termValueOf(spec, { threads: 256 });
    assert.equal(
      inKernelText(termNamed('block-tile-m'), valueOf),
      'each thread block computes 32 rows of C',
    );
    assert.equal(inKernelText(termNamed('threads-per-block'), valueOf), '256 threads per block');
    assert.equal(inKernelText(termNamed('stages'), valueOf), null);
    assert.equal(inKernelText(termNamed('warp'), valueOf), null);
  });

  it('equals docs/glossary.md', () => {
    assert.equal(readFileSync('docs/glossary.md', 'utf8'), glossaryPage());
  });
});
