/**
 * Writes the tables of bench/reports/memory-counters.md, which compare Nsight Compute counters
 * (bench/h200-sites.json, bench/h200-traffic.json) with the current analysis:
 * node out/bench/counterTables.js [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';
import { analyze } from '../../src/core/report/analyze';
import { memoryLevels, wavefrontsOf } from '../../src/core/memory/memoryLevels';
import { DEFAULT_DEVICE, deviceOf } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { decodeSpec } from '../../src/core/spec/decode';
import { kernelOf } from '../../scripts/grid/properties';
import { table, withSections } from '../../scripts/sections';

const metrics = v.record(v.string(), v.object({ value: v.number() }));
const recordSchema = v.object({
  results: v.array(
    v.object({
      spec: v.unknown(),
      counters: v.object({ metrics }),
      analysis: v.object({ occupancy: v.object({ registers: v.object({ value: v.number() }) }) }),
    }),
  ),
});

type Counted = (name: string) => number | undefined;

const recorded = (file: string) =>
  v
    .parse(recordSchema, JSON.parse(readFileSync(`bench/${file}`, 'utf8')))
    .results.map(({ spec: input, counters, analysis }) => {
      const decoded = decodeSpec(input);
      const kernel = decoded.ok
        ? kernelOf({ ...decoded.spec, device: DEFAULT_DEVICE }, 'cuda')
        : null;
      if (kernel === null) throw new Error(`${file}: illegal spec ${JSON.stringify(input)}`);
      const counted: Counted = name => counters.metrics[name]?.value;
      return { kernel, counted, registers: analysis.occupancy.registers.value };
    });

const shown = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : Math.round(value).toLocaleString('en-US');

const nameOf = ({ specKey }: Kernel): string =>
  `\`${specKey.replace(/^gemm-f32-/, '').replace(/(\d+)x\1x\1-/, '')}\``;

/**
 * Formats `analyzed / counted`; `analyzed =` if both are equal; only `analyzed` without a counter.
 */
const both = (ours: number, counted: number | undefined): string =>
  counted === undefined || ours === counted
    ? `${shown(ours)}${counted === undefined ? '' : ' ='}`
    : `${shown(ours)} / ${shown(counted)}`;

const SHARED = 'smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum';
const requests = (op: string): string => `l1tex__t_requests_pipe_lsu_mem_global_op_${op}.sum`;
const sectors = (op: string): string => `l1tex__t_sectors_pipe_lsu_mem_global_op_${op}.sum`;

const siteRows = recorded('h200-sites.json').map(({ kernel, counted }) => {
  const { sharedMemory, globalMemory } = analyze(kernel, { device: DEFAULT_DEVICE });
  const sum = (op: 'load' | 'store', perRequest: boolean): number =>
    globalMemory
      .filter(site => site.op === op)
      .reduce((all, site) => all + site.requests * (perRequest ? site.sectorsPerRequest : 1), 0);
  const copied = (counted(requests('ldgsts')) ?? 0) > 0;
  const loads = (counted(requests('ld')) ?? 0) + (counted(requests('ldgsts')) ?? 0);
  const wavefronts = sharedMemory.reduce((all, site) => all + wavefrontsOf(site), 0);
  const cells = [
    wavefronts === 0 ? 'none' : both(wavefronts, counted(SHARED)),
    both(sum('load', false), loads),
    both(sum('load', true), copied ? undefined : counted(sectors('ld'))),
    both(sum('store', true), counted(sectors('st'))),
  ];
  return [nameOf(kernel), ...cells];
});

const trafficRows = recorded('h200-traffic.json').map(({ kernel, counted, registers }) => {
  const device = deviceOf(DEFAULT_DEVICE);
  const resources = { registers, sharedBytes: kernel.sharedBytes - kernel.dynamicSharedBytes };
  const analysis = analyze(kernel, { device: DEFAULT_DEVICE, resources });
  const { levels, dramInStep } = memoryLevels(kernel, analysis, device);
  const ours = (level: string): number =>
    levels.find(one => one.level === level)?.bytes.value ?? NaN;
  const read = (names: readonly string[]): number =>
    names.reduce((all, name) => all + (counted(name) ?? NaN), 0);
  const off = (one: number, other: number): string => `${(100 * (one / other - 1)).toFixed(1)} %`;
  const l2 = read(['l1tex__m_xbar2l1tex_read_bytes.sum', 'l1tex__m_l1tex2xbar_write_bytes.sum']);
  const dram = read(['dram__bytes_read.sum', 'dram__bytes_write.sum']);
  const { order, group } = kernel.plan.spec.schedule.raster ?? {};
  const raster = group === undefined ? '' : `${order ?? 'row'}, ${group}`;
  const megabytes = (bytes: number): string => shown(bytes / 1e6);
  const cells = [
    megabytes(ours('l2')),
    megabytes(l2),
    off(ours('l2'), l2),
    megabytes(ours('dram')),
    megabytes(dram),
    off(ours('dram'), dram),
    dramInStep === null ? '' : megabytes(dramInStep.value),
  ];
  return [nameOf(kernel), raster, ...cells];
});

const SITE_HEAD = ['kernel', 'shared wavefronts', 'load requests', 'load sectors', 'store sectors'];
const TRAFFIC_HEAD = ['kernel', 'raster', 'L2 MB', 'ncu', '', 'DRAM MB', 'ncu', '', 'lockstep'];
const PAGE = 'bench/reports/memory-counters.md';
const before = readFileSync(PAGE, 'utf8');
const text = withSections(PAGE, before, {
  sites: () => table(SITE_HEAD, siteRows),
  traffic: () => table(TRAFFIC_HEAD, trafficRows),
});
if (!process.argv.includes('--check')) writeFileSync(PAGE, text);
else if (text !== before)
  throw new Error(`${PAGE} differs from the records. Fix: run without --check.`);
