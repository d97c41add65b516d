/**
 * Memory details of `analyze`: traffic and ceilings per level, arithmetic intensities, remedies for
 * bank conflicts, and request diagrams.
 */
import type { Analysis } from '../core/report/analysis';
import { bankRemedies, type BankCost, type BankRemedies } from '../core/report/bankRemedies';
import {
  levelRoofline,
  unitOf,
  type LevelCeiling,
  type LevelRoofline,
  type CeilingAt,
} from '../core/roofline/levelRoofline';
import { drawnRequest, type DrawnRequest } from '../core/memory/drawnRequest';
import { memoryLevels, type MemoryLevels } from '../core/memory/memoryLevels';
import { placedRequest, type PlacedRequest } from '../core/memory/placedRequest';
import { pictureText, placesText } from '../core/charts/pictureText';
import { ratiosOf, type Ratio } from '../core/roofline/ratios';
import type { Bandwidth } from '../core/hardware/bandwidth';
import { deviceOf, type DeviceId } from '../core/hardware/devices';
import { recoverGenerated } from '../core/kernel/generatedKernel';
import type { Runnable } from '../core/kernel/kernel';
import { ceilingNameOf, UNIT_NAMES } from '../core/charts/drawnCeilings';
import { number, percent, quantity, table } from './table';
import type { Figure } from '../core/text/figure';

/**
 * Memory details. A field is null, or `ratios` is empty, if it cannot be derived from the kernel.
 */
export interface MemoryDetails {
  readonly memoryLevels: MemoryLevels | null;
  /**
   * Ceilings per level and compute unit. Also null if the compute peak is unknown or the roofline
   * belongs to a different machine.
   */
  readonly levelRoofline: LevelRoofline | null;
  readonly ratios: readonly Ratio[];
  readonly bankRemedies: BankRemedies | null;
  /**
   * Worst-case request of every access site. Present only with --pictures. Requests of generated
   * kernels to global memory have the position of each lane on the matrix.
   */
  readonly pictures?: readonly (DrawnRequest | PlacedPicture)[];
}

type PlacedPicture = DrawnRequest & Omit<PlacedRequest, 'request'>;

export function memoryDetails(
  runnable: Runnable,
  analysis: Analysis,
  options: {
    readonly device: DeviceId;
    readonly pictures: boolean;
    /** Requests derived from the PTX of a kernel that has no spec. */
    readonly read: readonly DrawnRequest[];
  },
): MemoryDetails {
  const kernel = recoverGenerated(runnable);
  if (kernel === null) {
    const none = { memoryLevels: null, levelRoofline: null, ratios: [], bankRemedies: null };
    return options.pictures ? { ...none, pictures: options.read } : none;
  }
  const device = deviceOf(options.device);
  const { globalMemory, sharedMemory, occupancy, roofline } = analysis;
  const placed = globalMemory.flatMap(site => placedRequest(kernel, site) ?? []);
  const pictures = [
    ...placed.map(({ request, ...places }): PlacedPicture => ({ ...request, ...places })),
    ...sharedMemory.flatMap(site => drawnRequest(kernel, site) ?? []),
  ];
  const found = memoryLevels(kernel, analysis, device);
  return {
    memoryLevels: found,
    levelRoofline: levelRoofline(
      kernel.spec.problem,
      found.levels,
      device,
      analysis,
      unitOf(kernel.plan, device),
    ),
    ratios: ratiosOf(kernel.plan, roofline),
    bankRemedies: bankRemedies(kernel, device, occupancy),
    ...(options.pictures ? { pictures } : {}),
  };
}

export function describeMemory({
  memoryLevels: found,
  levelRoofline: ceilings,
  ratios,
  bankRemedies: banks,
  pictures = [],
}: MemoryDetails): readonly string[] {
  return [
    ...(found === null ? [] : ['', levelsText(found)]),
    ...(ceilings === null ? [] : ['', ceilingsText(ceilings)]),
    ...(ratios.length === 0 ? [] : ['', table(ratios.map(ratioRow))]),
    ...(banks === null || banks.now.conflicts === 0 ? [] : ['', remediesText(banks)]),
    ...pictures.flatMap(drawn => [
      '',
      ...pictureText(drawn),
      ...('lanes' in drawn ? placesText({ request: drawn, ...drawn }) : []),
    ]),
  ];
}

function levelsText({ levels, dram, dramInStep, l2HitRate }: MemoryLevels): string {
  const { round, l2Bytes } = dram;
  const l2Text =
    l2Bytes === null ? 'an L2 of unknown capacity' : `L2 of ${number(l2Bytes / 2 ** 20)} MiB`;
  return [
    table([
      ['level', 'bytes', 'FLOP/B', 'counted'],
      ...levels.map(({ level, bytes, intensity, rule }) => [
        level,
        bytes.value,
        intensity.value,
        rule,
      ]),
    ]),
    `first wave, in lockstep: ${round.blocks} blocks, ${round.panelsA} A panels and ${round.panelsB} B panels, ${number(round.bytes / 1e6)} MB; ${l2Text} serves ${number(100 * l2HitRate)} % of the reads`,
    ...(dramInStep === null
      ? []
      : [
          `DRAM traffic if all blocks of a wave run in lockstep: ${quantity(dramInStep.value, 'B')}`,
        ]),
  ].join('\n');
}

/**
 * Formats a table of memory ceilings, with one row per specified or measured bandwidth, followed by
 * the compute ceilings and the attainable rate.
 */
function ceilingsText({ levels, units, attainable, limitedBy, reached }: LevelRoofline): string {
  const share = (value: number | null): string => (value === null ? '' : percent(value));
  const row = (
    { intensity, asWritten, ...named }: LevelCeiling,
    { ridge, milliseconds, roof: tflops, reached: of, ...roof }: Partial<CeilingAt>,
    own: Bandwidth | undefined,
  ) => {
    const bound = asWritten === true ? `${roof.bound ?? ''}, as written` : (roof.bound ?? '');
    const origin = own?.from === 'spec' ? 'spec' : `${own?.from ?? ''}: ${own?.origin ?? ''}`;
    if (own === undefined || tflops === undefined || of === undefined) {
      return [ceilingNameOf(named), 'unknown bandwidth'];
    }
    return [
      ceilingNameOf(named),
      own.GBps,
      intensity.value,
      ridge?.value ?? '',
      milliseconds?.value ?? '',
      `${number(tflops.value)} (${bound})`,
      share(of.predicted),
      share(of.measured),
      origin,
    ];
  };
  const lowest = levels.find(({ level }) => level === limitedBy);
  const by = lowest === undefined ? 'FMAs' : ceilingNameOf(lowest);
  return [
    table([
      ['ceiling', 'GB/s', 'FLOP/B', 'ridge', 'ms', 'TFLOP/s', 'predicted', 'measured', 'from'],
      ...levels.flatMap(level => [
        row(level, level, level.bandwidths[0]),
        ...(level.measured === undefined
          ? []
          : [row(level, level.measured, level.measured.bandwidth)]),
      ]),
    ]),
    ...(levels.some(({ asWritten }) => asWritten === true)
      ? [
          'as written: not a limit, because the compiler merges adjacent loads narrower than 16 B per lane',
        ]
      : []),
    ...units.flatMap(({ unit, dtype, peak, used, ridges, measured, measuredRidges = {} }) => {
      const name = `${dtype} ${UNIT_NAMES[unit]}`;
      const line = ({ value, unit: of, from }: Figure, turns: typeof ridges): string => {
        const at = Object.entries(turns).map(([level, ridge]) => `${level} ${number(ridge.value)}`);
        const where = at.length === 0 ? '' : `; ridge points (FLOP/B): ${at.join(', ')}`;
        return `${name}${used ? '' : ', not used by this kernel'}: ${quantity(value, of)} (${from})${where}`;
      };
      return [
        line(peak, ridges),
        ...(measured === undefined ? [] : [line(measured, measuredRidges)]),
      ];
    }),
    `attainable over all levels: ${quantity(attainable.value, attainable.unit)}, limited by ${by}${reached.predicted === null ? '' : `; predicted rate: ${percent(reached.predicted)} of attainable`}`,
  ].join('\n');
}

const ratioRow = ({ name, value, formula, numbers }: Ratio) => [
  name,
  quantity(value.value, value.unit),
  formula,
  numbers,
];

function remediesText({ now, remedies }: BankRemedies): string {
  const row = (name: string, cost: BankCost) => [
    name,
    cost.wavefronts,
    cost.conflicts,
    cost.requests,
    cost.sharedBytes,
    cost.blocksPerSm,
  ];
  const rows = remedies.map(remedy =>
    row(remedy.changes.map(({ path, to }) => `--set ${path}=${to}`).join(' '), remedy),
  );
  return [
    table([
      [
        'conflicts',
        'wavefronts',
        'conflict wavefronts',
        'requests',
        'bytes per block',
        'blocks/SM',
      ],
      row('now', now),
      ...rows,
    ]),
    ...(remedies.length === 0 ? ['No padding or swizzle reduces the number of wavefronts.'] : []),
  ].join('\n');
}
