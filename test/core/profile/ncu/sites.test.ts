/**
 * Counters of instructions beside access sites: six generated kernels as Nsight Compute counted
 * them on an H200.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { analyze } from '../../../../src/core/report/analyze';
import type { Kernel } from '../../../../src/core/kernel/kernel';
import { compareSites, isEqual, type SiteRow } from '../../../../src/core/profile/ncu/compareSites';
import { inspectNcu } from '../../../../src/core/profile/ncu/inspect';
import { readNcu, mergeReports, type NcuReport } from '../../../../src/core/profile/ncu/report';
import { compiledSiteLines } from '../../../../src/core/profile/ncu/siteLines';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { kernelOf } from '../../../../scripts/grid/properties';
import { page } from './page';
import { runs } from '../../../helpers/depth';

const TILE = { block: { m: 64, n: 64, k: 16 }, thread: { m: 4, n: 4 } } as const;
const PIPELINED = { ...TILE, warp: { m: 32, n: 16 }, vector: 4, stages: 3 } as const;
const PAGES = {
  naive: { algorithm: 'naive', block: { m: 32, n: 32 } },
  shared: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 }, padding: { a: 1, b: 1 } },
  pipelined: { algorithm: 'pipelined', ...PIPELINED },
  crr: { algorithm: 'pipelined', ...PIPELINED },
  swizzled: { algorithm: 'vectorized', ...TILE, vector: 4, swizzle: 'xor' },
  odd: { algorithm: 'thread-tile-2d', ...TILE, padding: { a: 1, b: 0 } },
} as const satisfies Readonly<Record<string, NonNullable<GemmSpec['schedule']>>>;
type Name = keyof typeof PAGES;

function kernel(name: Name, size = 1024): Kernel {
  const layout = name === 'crr' ? 'col' : 'row';
  const problem = { m: size, n: size, k: size, a: { layout } } as const;
  const spec: GemmSpec = { problem, schedule: PAGES[name], device: 'h200' };
  const found = kernelOf(spec, 'cuda');
  assert.ok(found !== null);
  return found;
}

const pageOf = (name: Name): string => readFileSync(`bench/h200-source/${name}.csv`, 'utf8');

function reportOf(text: string): NcuReport {
  const read = readNcu(text);
  assert.ok(read.ok, JSON.stringify(read));
  return read.report;
}

function inspected(of: Kernel, text: string) {
  const found = inspectNcu(reportOf(text), of, { device: 'h200' });
  assert.ok(found.ok, JSON.stringify(found));
  return found;
}

const differing = (rows: readonly SiteRow[]): readonly SiteRow[] =>
  rows.filter(({ requests, cost }) => !isEqual(requests) || !isEqual(cost));

describe('access sites beside counters of instructions', () => {
  for (const name of ['naive', 'shared', 'pipelined', 'swizzled'] as const) {
    it(`are equal of ${name}, and every site has its row`, () => {
      const of = kernel(name);
      const { sites, limits, rows, kernel: sums } = inspected(of, pageOf(name));
      assert.deepEqual(differing(sites), []);
      const { globalMemory, sharedMemory } = analyze(of, { device: 'h200' });
      assert.deepEqual(
        sites.flatMap(row => row.sites).sort(),
        [...globalMemory, ...sharedMemory].map(({ site }) => site).sort(),
      );
      assert.deepEqual([limits, rows, sums], [[], [], null]);
    });
  }

  it('are told apart by the width of copies, by lines, and else stand together', () => {
    const { sites } = inspected(kernel('pipelined'), pageOf('pipelined'));
    assert.deepEqual(
      sites.map(row => row.sites.join(' + ')),
      [
        'A tile load',
        'B tile load',
        'C store',
        'As store',
        'Bs store',
        // One line of a helper loads both; the compiler keeps the line of the call for some alone.
        'As fragment load + Bs fragment load',
      ],
    );
    const copies = sites.find(row => row.sites[0] === 'As store');
    assert.deepEqual([copies?.cost.counted, copies?.requests.counted], [8_912_896, 524_288]);
  });

  it('says where the tool counts nothing of instructions that ran', () => {
    const rows = differing(inspected(kernel('crr'), pageOf('crr')).sites);
    assert.deepEqual(
      rows.map(({ sites, requests, cost }) => [
        sites.join(),
        isEqual(requests),
        (cost.ours ?? 0) - cost.counted,
      ]),
      [
        ['A tile load,B tile load', true, 65_536],
        ['As store,Bs store', true, 16_384],
      ],
    );
    for (const { why } of rows) {
      assert.match(why, /reports no wavefronts or sectors for 4,096 executed requests: @P0 LDGSTS/);
    }
  });

  it('names other widths where the compiler joined accesses otherwise', () => {
    const [row, ...more] = differing(inspected(kernel('odd'), pageOf('odd')).sites);
    assert.deepEqual([row?.sites, more], [['As fragment load'], []]);
    assert.match(row?.why ?? '', /emitted accesses of 8, 4 bytes; the model assumes 4/);
  });

  it('compares nothing of another size, and says which it is of', () => {
    const { sites, limits } = inspected(kernel('naive', 512), pageOf('naive'));
    assert.deepEqual(sites, []);
    assert.match(limits.join(), /a launch of 32,768 warps, not 8,192/);
    const other = inspectNcu(reportOf(pageOf('naive')), kernel('shared'), { device: 'h200' });
    assert.ok(!other.ok);
    assert.match(other.why, /no kernel gemm_shared_tile\. Kernels: gemm_naive/);
  });

  it('compares nothing of a page that was cut anywhere, or all of it', () => {
    const of = kernel('shared');
    const whole = pageOf('shared');
    const { sites } = inspected(of, whole);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), length => {
        const read = readNcu(whole.slice(0, length));
        if (!read.ok) return;
        const found = inspectNcu(read.report, of, { device: 'h200' });
        if (!found.ok || found.sites.length === 0) return;
        assert.deepEqual(found.sites, sites);
      }),
      { ...runs(200) },
    );
    const cut = inspected(of, whole.slice(0, whole.length / 2));
    assert.deepEqual(cut.sites, []);
    assert.match(cut.limits.join(), /gemm_shared_tile is incomplete/);
  });

  it('never rejects, whatever stands in a page', () => {
    const lines = pageOf('shared').split('\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(lines.length - 1), fc.string())), changes => {
        const text = lines.slice();
        for (const [at, change] of changes) text[at] = `${text[at]?.slice(0, 20) ?? ''}${change}`;
        const read = readNcu(text.join('\n'));
        if (read.ok) inspectNcu(read.report, kernel('shared'), { device: 'h200' });
      }),
      { ...runs(50) },
    );
  });

  it('goes by operation and width where no line is known, and says so', () => {
    const rows = pageOf('pipelined')
      .split('\n')
      .filter(line => !/^"\d|^"File Path|^"Function/.test(line));
    const sass = [
      '"Kernel Name","gemm_pipelined",',
      ...rows.filter(line => !line.includes('"..."')),
    ];
    const { sites, limits } = inspected(kernel('pipelined'), sass.join('\n'));
    assert.deepEqual(differing(sites), []);
    assert.match(limits.join(), /matched by operation and width only/);
    const edited = {
      ...kernel('shared'),
      source: kernel('shared').source.replaceAll('\n', '\n\n'),
    };
    const [source] = reportOf(pageOf('shared')).sources;
    assert.ok(source !== undefined);
    const { globalMemory, sharedMemory } = analyze(kernel('shared'), { device: 'h200' });
    const analysis = { globalMemory, sharedMemory };
    const other = compareSites(source, {
      analysis,
      places: compiledSiteLines(analysis),
      runnable: edited,
    });
    assert.match(other.limits.join(), /matched by operation and width only/);
  });

  it('goes by the lines that accesses were read from, of a text without a spec', () => {
    const of = kernel('shared');
    const { globalMemory, sharedMemory } = analyze(of, { device: 'h200' });
    const lines = of.source.split('\n');
    const on = (text: string): number => 1 + lines.findIndex(line => line.includes(text));
    const source = (line: number) => ({ line, code: '', lanesApart: 1, apartName: null });
    const lineOf = (name: string): number =>
      name.includes('fragment') ? on('acc +=') : name.startsWith('C') ? on('C[') : NaN;
    const placed = <S extends { readonly site: string; readonly operand: string }>(site: S): S => {
      const line = lineOf(site.site);
      const staged = site.operand === 'a' ? on('As[threadRow]') : on('Bs[threadRow]');
      return { ...site, source: source(Number.isNaN(line) ? staged : line) };
    };
    const analysis = {
      globalMemory: globalMemory.map(placed),
      sharedMemory: sharedMemory.map(placed),
    };
    const [counted] = reportOf(pageOf('shared')).sources;
    assert.ok(counted !== undefined);
    const places = compiledSiteLines(analysis);
    const { rows, limits } = compareSites(counted, { analysis, places, runnable: of });
    assert.deepEqual([differing(rows), limits], [[], []]);
    assert.equal(rows.length, 6);
  });

  it('stand behind the sums of a raw page, in one file or two', () => {
    const of = kernel('shared');
    const launched = {
      name: of.entry,
      block: '(32, 32, 1)',
      grid: '(32, 32, 1)',
      capability: '9.0',
    };
    const bytes = (name: string) => ({ [`dram__bytes_${name}.sum`]: ['byte', '1'] as const });
    const raw = page({ ...bytes('read'), ...bytes('write') }, launched);
    const both = inspected(of, `${raw}\n${pageOf('shared')}`);
    assert.equal(both.kernel?.entry, of.entry);
    assert.deepEqual([both.limits, both.sites.length], [[], 6]);
    const joined = mergeReports([reportOf(raw), reportOf(pageOf('shared'))]);
    const two = inspectNcu(joined, of, { device: 'h200' });
    assert.ok(two.ok);
    assert.deepEqual(two.sites, both.sites);
    assert.match(inspected(of, raw).limits.join(), /only kernel totals.*--page source/);
  });

  it('refuses the view of the source alone, which has no counters', () => {
    const read = readNcu('"File Name","kernel.cu"\n"Line No","Source"\n"1","// a"\n');
    assert.ok(!read.ok);
    assert.match(read.why, /no counters.*--print-source cuda,sass/);
  });
});
