/** The model compared with a report: equal, differing and uncompared quantities. */
import assert from 'node:assert/strict';
import { analyze } from '../../../../src/core/report/analyze';
import { emit } from '../../../../src/core/kernel/emit';
import type { Kernel } from '../../../../src/core/kernel/kernel';
import { inspectNcu, type NcuInspection } from '../../../../src/core/profile/ncu/inspect';
import { NCU_METRICS } from '../../../../src/core/profile/ncu/counters';
import { QUANTITIES } from '../../../../src/core/profile/ncu/quantities';
import { readNcu } from '../../../../src/core/profile/ncu/report';
import { plan } from '../../../../src/core/plan/planner';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { Algorithm } from '../../../../src/core/spec/schema';
import { page, type Printed } from './page';

function kernelOf(algorithm: Algorithm): Kernel {
  const problem = { m: 512, n: 512, k: 512 };
  const planned = plan(resolve({ version: 1, problem, schedule: { algorithm } }), 'cuda');
  assert.ok(planned.ok);
  return emit(planned.plan);
}

const size = ({ x, y, z }: Kernel['grid']): string => `(${x}, ${y}, ${z})`;

/** A report whose counters equal the model. */
function agreeing(kernel: Kernel): Printed {
  const { sharedMemory, globalMemory, occupancy, traffic } = analyze(kernel, { device: 'h200' });
  const shared = (op: string, per: 'wavefrontsPerRequest' | 'conflictsPerRequest'): number =>
    sharedMemory
      .filter(site => op === '' || site.op === op)
      .reduce((sum, site) => sum + site.requests * site[per], 0);
  const global = (op: string, sectors: boolean): number =>
    globalMemory
      .filter(site => site.op === op)
      .reduce((sum, s) => sum + s.requests * (sectors ? s.sectorsPerRequest : 1), 0);
  const count = (value: number): [string, string] => ['', String(value)];
  const lsu = 'pipe_lsu_mem_global_op';
  return {
    'l1tex__data_pipe_lsu_wavefronts_mem_shared.sum': count(shared('', 'wavefrontsPerRequest')),
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': count(
      shared('load', 'wavefrontsPerRequest'),
    ),
    'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum': count(
      shared('load', 'conflictsPerRequest'),
    ),
    'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum': count(
      shared('store', 'conflictsPerRequest'),
    ),
    [`l1tex__t_requests_${lsu}_ld.sum`]: count(global('load', false)),
    [`l1tex__t_sectors_${lsu}_ld.sum`]: count(global('load', true)),
    [`l1tex__t_requests_${lsu}_st.sum`]: count(global('store', false)),
    [`l1tex__t_sectors_${lsu}_st.sum`]: count(global('store', true)),
    'lts__t_sectors_srcunit_tex.sum': ['sector', String(traffic.l2.value / 32)],
    'dram__bytes_read.sum': ['byte', String(traffic.dram.value / 2)],
    'dram__bytes_write.sum': ['byte', String(traffic.dram.value / 2)],
    launch__registers_per_thread: ['register/thread', String(occupancy?.registers.value)],
    launch__shared_mem_per_block_static: ['byte/block', String(kernel.sharedBytes)],
    launch__shared_mem_per_block_dynamic: ['byte/block', '0'],
    sm__maximum_warps_per_active_cycle_pct: ['%', String(100 * (occupancy?.occupancy ?? 0))],
    'sm__warps_active.avg.pct_of_peak_sustained_active': ['%', '1.50'],
    'gpu__time_duration.sum': ['ns', '123456'],
  };
}

function inspected(
  kernel: Kernel,
  metrics: Printed,
  more: { capability?: string } = {},
): NcuInspection {
  const launched = {
    name: `${kernel.entry}(int)`,
    block: size(kernel.block),
    grid: size(kernel.grid),
    capability: '9.0',
    ...more,
  };
  const read = readNcu(page(metrics, launched));
  assert.ok(read.ok, JSON.stringify(read));
  return inspectNcu(read.report, kernel, { device: 'h200' });
}

function found(kernel: Kernel, metrics: Printed, more: { capability?: string } = {}) {
  const inspection = inspected(kernel, metrics, more);
  assert.ok(inspection.ok, JSON.stringify(inspection));
  const rowOf = (id: string) => {
    const row = inspection.rows.find(candidate => candidate.id === id);
    assert.ok(row, id);
    return row;
  };
  return { ...inspection, rowOf };
}

describe('The analysis compared with Nsight Compute', () => {
  it('is equal for every quantity if the counters match', () => {
    const kernel = kernelOf('warp-tile');
    const { rows, rowOf } = found(kernel, agreeing(kernel));
    const apart = rows.filter(({ verdict }) => verdict !== 'equal').map(({ id }) => id);
    assert.deepEqual(apart, ['achieved-occupancy', 'duration']);
    assert.match(rowOf('achieved-occupancy').why, /last wave/);
    assert.match(rowOf('duration').why, /Benchmark the kernel/);
    assert.equal(rowOf('dram-bytes').counted?.from, 'measured');
  });

  it('reports the difference and its possible cause', () => {
    const kernel = kernelOf('warp-tile');
    const metrics = agreeing(kernel);
    const { value } = analyze(kernel, { device: 'h200' }).traffic.dram;
    const read = { ...metrics, 'dram__bytes_read.sum': ['byte', String(value)] } as const;
    const row = found(kernel, read).rowOf('dram-bytes');
    assert.equal(row.verdict, 'differs');
    assert.ok(Math.abs((row.differencePercent ?? 0) + 100 / 3) < 0.01);
    assert.match(row.why, /share more data in L2/);
  });

  it('treats numbers as equal within their printed precision', () => {
    const kernel = kernelOf('warp-tile');
    const rounded = {
      ...agreeing(kernel),
      sm__maximum_warps_per_active_cycle_pct: ['%', '25.0'],
    } as const;
    assert.equal(found(kernel, rounded).rowOf('theoretical-occupancy').verdict, 'equal');
    const off = { ...rounded, sm__maximum_warps_per_active_cycle_pct: ['%', '25.2'] } as const;
    assert.equal(found(kernel, off).rowOf('theoretical-occupancy').verdict, 'differs');
  });

  it('does not compare incomplete totals or other units', () => {
    const kernel = kernelOf('warp-tile');
    const without = Object.fromEntries(
      Object.entries(agreeing(kernel)).filter(([name]) => name !== 'dram__bytes_write.sum'),
    );
    const row = found(kernel, without).rowOf('dram-bytes');
    assert.deepEqual([row.counted, row.verdict], [null, 'not compared']);
    assert.match(row.why, /lacks dram__bytes_write\.sum/);
    const other = { ...agreeing(kernel), 'dram__bytes_read.sum': ['sector', '12'] } as const;
    assert.match(found(kernel, other).rowOf('dram-bytes').why, /dram__bytes_read\.sum \(byte\)/);
    assert.match(
      found(kernel, { a__x: ['', '1'] }).limits.join(' '),
      /lacks all counters of this comparison.*--set full/,
    );
  });

  it('counts asynchronous copies once: among the loads, or separately', () => {
    const kernel = kernelOf('pipelined');
    const metrics = agreeing(kernel);
    const lsu = 'pipe_lsu_mem_global_op';
    const all = metrics[`l1tex__t_sectors_${lsu}_ld.sum`]?.[1] ?? '';
    const verdict = (ld: string, apart: Readonly<Record<string, readonly [string, string]>>) =>
      found(kernel, {
        ...metrics,
        [`l1tex__t_sectors_${lsu}_ld.sum`]: ['sector', ld],
        ...apart,
      }).rowOf('global-load-sectors');
    const sass = { [`smsp__sass_l1tex_t_sectors_${lsu}_ldgsts.sum`]: ['sector', all] } as const;
    const unit = { [`l1tex__t_sectors_${lsu}_ldgsts.sum`]: ['sector', all] } as const;
    assert.equal(verdict(all, {}).verdict, 'equal');
    assert.equal(verdict(all, sass).verdict, 'equal');
    assert.equal(verdict('0', unit).verdict, 'equal');
    const nowhere = verdict('0', {});
    assert.equal(nowhere.verdict, 'not compared');
    assert.match(nowhere.why, /lacks smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts/);
    assert.match(
      found(kernel, metrics).rowOf('shared-store-conflicts').why,
      /[Aa]synchronous copies/,
    );
  });

  it('does not compare GPU-dependent values of another GPU', () => {
    const kernel = kernelOf('warp-tile');
    const { rows, limits } = found(kernel, agreeing(kernel), { capability: '8.9' });
    assert.match(limits.join(' '), /compute capability 8\.9/);
    const compared = rows.filter(({ verdict }) => verdict !== 'not compared');
    assert.ok(compared.length > 0 && compared.every(({ id }) => /^(shared|global)-/.test(id)));
  });

  it('rejects a report of another size', () => {
    const [kernel, other] = [kernelOf('warp-tile'), kernelOf('naive')];
    const launched = {
      name: kernel.entry,
      block: size(other.block),
      grid: size(other.grid),
      capability: '9.0',
    };
    const read = readNcu(page(agreeing(kernel), launched));
    assert.ok(read.ok);
    const inspection = inspectNcu(read.report, kernel, { device: 'h200' });
    assert.ok(!inspection.ok);
    assert.match(inspection.why, /current problem size and schedule/);
  });

  it('requests every metric that it compares', () => {
    const kernel = kernelOf('pipelined');
    const all = new Map(
      NCU_METRICS.map(name => [name, { value: 1, unit: unitOf(name), halfStep: 0 }]),
    );
    const compared = { analysis: analyze(kernel, { device: 'h200' }), isAsynchronous: true };
    for (const { id, counted } of QUANTITIES) {
      assert.ok(!('missing' in counted(all, compared)), id);
    }
  });
});

const unitOf = (name: string): string =>
  name.startsWith('dram__') || name.includes('shared_mem_per_block')
    ? 'byte'
    : name.startsWith('gpu__time')
      ? 'ns'
      : '';
