/** What `analyze` says of memory beyond a site's cost: traffic a level, ratios, cures of conflicts, pictures. */
import type { Analysis } from '../core/analysis/analysis';
import { bankCures, type BankCost, type BankCures } from '../core/analysis/bankCures';
import { drawnRequest, type DrawnRequest } from '../core/analysis/drawnRequest';
import { memoryLevels, type MemoryLevels } from '../core/analysis/memoryLevels';
import { pictureText } from '../core/analysis/pictureText';
import { ratiosOf, type Ratio } from '../core/analysis/ratios';
import { deviceOf, type DeviceId } from '../core/device/devices';
import { generatedKernel } from '../core/emit/generatedKernel';
import type { Runnable } from '../core/emit/kernel';
import { number, quantity, table } from './table';

/** Null each where the text does not tell. */
export interface MemoryDetails {
  readonly memoryLevels: MemoryLevels | null;
  readonly ratios: readonly Ratio[];
  readonly bankCures: BankCures | null;
  /** The dearest request of every site; only when asked for. */
  readonly pictures?: readonly DrawnRequest[];
}

export function memoryDetails(
  runnable: Runnable,
  analysis: Analysis,
  options: { readonly device: DeviceId; readonly pictures: boolean },
): MemoryDetails {
  const kernel = generatedKernel(runnable);
  if (kernel === null) return { memoryLevels: null, ratios: [], bankCures: null };
  const device = deviceOf(options.device);
  const { globalMemory, sharedMemory, occupancy, roofline } = analysis;
  const pictures = [...globalMemory, ...sharedMemory]
    .map(site => drawnRequest(kernel, site))
    .filter(drawn => drawn !== null);
  return {
    memoryLevels: memoryLevels(kernel, analysis, device),
    ratios: ratiosOf(kernel.plan, roofline),
    bankCures: bankCures(kernel, device, occupancy),
    ...(options.pictures ? { pictures } : {}),
  };
}

/** Parts of the text, each after an empty line. */
export function describeMemory({
  memoryLevels: found,
  ratios,
  bankCures: banks,
  pictures = [],
}: MemoryDetails): readonly string[] {
  return [
    ...(found === null ? [] : ['', levelsText(found)]),
    ...(ratios.length === 0 ? [] : ['', table(ratios.map(ratioRow))]),
    ...(banks === null || banks.now.conflicts === 0 ? [] : ['', curesText(banks)]),
    ...pictures.flatMap(drawn => ['', ...pictureText(drawn)]),
  ];
}

function levelsText({ levels, dram, dramInStep, l2HitRate }: MemoryLevels): string {
  const { round, l2Bytes } = dram;
  const held = l2Bytes === null ? 'L2 of unknown size' : `L2 of ${number(l2Bytes / 2 ** 20)} MiB`;
  return [
    table([
      ['level', 'bytes', 'FLOP/B', 'counted'],
      ...levels.map(({ level, bytes, intensity, rule }) => [
        ...[level, bytes.value, intensity.value, rule],
      ]),
    ]),
    `first blocks in step: ${round.blocks}, ${round.panelsA} panels of A and ${round.panelsB} of B, ${number(round.bytes / 1e6)} MB; ${held} serves ${number(100 * l2HitRate)} % of the reads`,
    ...(dramInStep === null
      ? []
      : [`DRAM if all blocks of a wave stayed in step: ${quantity(dramInStep.value, 'B')}`]),
  ].join('\n');
}

const ratioRow = ({ name, value, formula, numbers }: Ratio) => [
  ...[name, quantity(value.value, value.unit), formula, numbers],
];

function curesText({ now, cures }: BankCures): string {
  const row = (name: string, cost: BankCost) => [
    ...[name, cost.wavefronts, cost.conflicts, cost.requests, cost.sharedBytes, cost.blocksPerSm],
  ];
  const rows = cures.map(cure =>
    row(cure.changes.map(({ path, to }) => `--set ${path}=${to}`).join(' '), cure),
  );
  return [
    table([
      ['conflicts', 'wavefronts', 'for conflicts', 'requests', 'bytes a block', 'blocks/SM'],
      row('now', now),
      ...rows,
    ]),
    ...(cures.length === 0 ? ['No padding and no swizzle takes fewer wavefronts.'] : []),
  ].join('\n');
}
