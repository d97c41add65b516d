/** Rows of the worklog: problem, launch, memory accesses, block order and results. */
import { t } from '@vscode/l10n';
import { limitsOf } from '../hardware/computeCapability';
import { deviceOf } from '../hardware/devices';
import { dramTraffic } from '../memory/dramTraffic';
import { compulsoryBytes, problemBytes } from '../plan/traffic';
import { peakOf } from '../roofline/waterfall';
import { globalSite } from '../search/ladder/demand';
import { flops } from '../spec/resolved';
import { subjectOf, wrongElements, type Subject } from './subject';
import { cube, type Row, type Value } from './tutorial';
import {
  worklogKernels,
  WORKLOG_GPU,
  WORKLOG_SCHEDULES,
  WORKLOG_SIZE,
  type WorklogKernel,
} from './worklogKernels';
import { compiledRows, occupancyRows } from './worklogCompiled';

export function worklogRows(): readonly Row[] {
  const on = (id: WorklogKernel): Subject =>
    subjectOf(cube(WORKLOG_SIZE), WORKLOG_SCHEDULES[id], WORKLOG_GPU);
  const naive = on('naive');
  return [
    ...problemRows(naive),
    ...accessRows(naive, on('swapped'), on('remapped')),
    ...occupancyRows(on('shared2d')),
    ...compiledRows(on('shared2d'), on('blockTile1d')),
    ...worklogKernels().map(({ row, id, text }): Row => ({
      row,
      id: `${id}Result`,
      text: t('Wrong elements of kernel {0}', text),
      kind: 'equal',
      theirs: 0,
      ours: wrongElements(id),
    })),
  ];
}

/** Clock rate that the tutorial measured. */
const MEASURED_CLOCK_MHZ = 1935;

function problemRows({ kernel, analysis }: Subject): readonly Row[] {
  const { problem, grid, block } = kernel;
  const device = deviceOf(WORKLOG_GPU);
  const peakTflops = peakOf(analysis.roofline) ?? NaN;
  const bytes = problemBytes(problem);
  const { boostClockMHz = NaN, multiprocessors, computeCapability = '8.6' } = device;
  const sm = limitsOf(computeCapability);
  const cores = multiprocessors * sm.fp32CoresPerSm;
  return [
    row('003.10', 'sms', t('SMs of the GPU'), 40, multiprocessors),
    row('003.10', 'bandwidth', t('Bandwidth of the GPU'), 384, device.memoryBandwidthGBps, {
      unit: 'GB/s',
    }),
    row('003.10', 'peak', t('Peak rate of the GPU, FP32'), 16, peakTflops, { unit: 'TFLOP/s' }),
    row('003.10', 'clock', t('Clock rate of the GPU'), MEASURED_CLOCK_MHZ, boostClockMHz, {
      unit: 'MHz',
      kind: 'reported',
      note: t('The tutorial measured the clock rate; the device table has the datasheet value.'),
    }),
    row('003.10', 'cores', t('FP32 cores of the GPU'), 5120, cores),
    row('003.10', 'coresPerSm', t('FP32 cores per SM'), 128, sm.fp32CoresPerSm),
    row(
      '003.10',
      'tensorCores',
      t('Tensor cores of the GPU'),
      160,
      multiprocessors * sm.tensorCoresPerSm,
      {
        note: t(
          'The core configuration also has texture units, raster units and ray-tracing cores, which a GEMM does not use.',
        ),
      },
    ),
    row(
      '003.11',
      'measuredPeak',
      t('Peak rate at the clock rate of the tutorial: cores x 2 FLOP x clock rate'),
      20,
      (cores * 2 * MEASURED_CLOCK_MHZ) / 1e6,
      { unit: 'TFLOP/s' },
    ),
    row('003.12', 'flops', t('Work at 2048'), 17, flops(problem) / 1e9, { unit: 'GFLOP' }),
    row(
      '003.12',
      'computeTime',
      t('Time of the work at the peak rate'),
      1.1,
      flops(problem) / peakTflops / 1e9,
      {
        unit: 'ms',
        decimals: 1,
      },
    ),
    row('003.13', 'reads', t('Bytes read: A, B and C'), 50, compulsoryBytes(problem) / 1e6, {
      unit: 'MB',
      note: t('C is written and not read if beta = 0, so three matrices are transferred.'),
    }),
    row('003.13', 'writes', t('Bytes written: C'), 17, (bytes - compulsoryBytes(problem)) / 1e6, {
      unit: 'MB',
    }),
    row('003.13', 'bytes', t('Bytes read and written'), 67, bytes / 1e6, {
      unit: 'MB',
      note: t('The tutorial rounds 50 MB + 17 MB to 70 MB.'),
    }),
    row(
      '003.13',
      'memoryTime',
      t('Time of the transfers at full bandwidth'),
      0.2,
      bytes / device.memoryBandwidthGBps / 1e6,
      {
        unit: 'ms',
        decimals: 1,
      },
    ),
    row(
      '003.14',
      'grid',
      t('Grid and block of kernel 1'),
      '64 x 64, 32 x 32',
      `${grid.x} x ${grid.y}, ${block.x} x ${block.y}`,
    ),
    row('003.14', 'threads', t('Threads'), 4_194_304, grid.x * grid.y * block.x * block.y),
  ];
}

function accessRows(naive: Subject, swapped: Subject, remapped: Subject): readonly Row[] {
  const sectors = ({ analysis }: Subject, operand: 'a' | 'b'): number =>
    globalSite(analysis, operand, 'load')?.sectorsPerRequest ?? NaN;
  const store = ({ analysis }: Subject): number =>
    globalSite(analysis, 'c', 'store')?.sectorsPerRequest ?? NaN;
  const accesses = (of: Subject): string =>
    [sectors(of, 'a'), sectors(of, 'b'), store(of)].join(', ');
  const { waves, occupancy } = remapped.analysis;
  return [
    row(
      '003.8',
      'transaction',
      t('Bytes of a coalesced request of 32 lanes, kernel 2'),
      128,
      globalSite(remapped.analysis, 'b', 'load')?.movedBytesPerRequest ?? NaN,
      {
        unit: 'B',
      },
    ),
    row(
      '003.16',
      'naiveAccesses',
      t('Sectors per request of kernel 1: A, B, C'),
      null,
      accesses(naive),
    ),
    row(
      '003.19',
      'coalescedAccesses',
      t('Sectors per request of kernel 2: A, B, C'),
      null,
      accesses(remapped),
    ),
    row('003.9', 'waves', t('Waves of thread blocks'), null, waves?.waves ?? NaN),
    row(
      '003.31',
      'sameAccesses',
      t('Sectors per request of kernel 1.1: A, B, C'),
      accesses(remapped),
      accesses(swapped),
      {
        note: t(
          'The tutorial asks why kernel 1.1 is slower than kernel 2. Their memory requests are equal.',
        ),
      },
    ),
    row(
      '003.31',
      'sameOccupancy',
      t('Warps per SM of kernels 1.1 and 2'),
      occupancy?.activeWarps ?? NaN,
      swapped.analysis.occupancy?.activeWarps ?? NaN,
    ),
    row(
      '003.31',
      'blockOrder',
      t('Block order of kernels 1.1 and 2'),
      null,
      [swapped, remapped].map(orderOf).join('; '),
      {
        note: t(
          'Only the block order differs. The blocks of a wave share one panel of A in kernel 1.1, and one panel of B in kernel 2.',
        ),
      },
    ),
    row(
      '003.31',
      'panels',
      t('Panels of A and B in the first wave of kernels 1.1 and 2'),
      null,
      [swapped, remapped].map(panelsOf).join('; '),
    ),
  ];
}

const orderOf = ({ kernel: { plan } }: Subject): string =>
  plan.gridMap === 'x-columns' ? t('along a row of tiles') : t('down a column of tiles');

function panelsOf({ kernel: { plan }, analysis }: Subject): string {
  const { l2CacheMiB } = deviceOf(WORKLOG_GPU);
  const { round } = dramTraffic(plan, {
    blocksInStep: analysis.waves?.blocksPerWave ?? 1,
    l2Bytes: l2CacheMiB === undefined ? null : l2CacheMiB * 2 ** 20,
  });
  return `${round.panelsA}, ${round.panelsB}`;
}

type Details = Partial<Pick<Row, 'unit' | 'decimals' | 'note' | 'kind' | 'tolerancePercent'>>;

const row = (
  item: string,
  id: string,
  text: string,
  theirs: Value | null,
  ours: Value,
  details: Details = {},
): Row => ({ row: item, id, text, kind: 'equal', theirs, ours: () => ours, ...details });
