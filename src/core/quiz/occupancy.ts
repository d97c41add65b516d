/** Questions about occupancy: the resident blocks per SM, and the resources that limit them. */
import { t } from '@vscode/l10n';
import type { Device } from '../hardware/devices';
import {
  isComputeCapability,
  limitsOf,
  type ComputeCapabilityLimits,
} from '../hardware/computeCapability';
import { limiterName } from '../occupancy/limiterName';
import {
  LIMITERS,
  occupancy,
  warpsPerScheduler,
  type Limiter,
  type Occupancy,
  type OccupancyInput,
} from '../occupancy/occupancy';
import type { OccupancyReport } from '../occupancy/report';
import { grouped } from '../text/numbers';
import { byText, choice, count, type Question, type Wrong } from './question';

interface Case {
  readonly input: OccupancyInput;
  readonly found: Occupancy;
  readonly sm: ComputeCapabilityLimits;
}

/** Returns no questions for a device without an occupancy model. */
export function occupancyQuestions(
  report: OccupancyReport | null,
  { computeCapability }: Device,
): readonly Question[] {
  if (report === null || computeCapability === undefined) return [];
  if (!isComputeCapability(computeCapability)) return [];
  const input = {
    computeCapability,
    threadsPerBlock: report.threads,
    registersPerThread: report.registers.value,
    sharedBytesPerBlock: report.sharedBytes.value,
  };
  const result = occupancy(input);
  if (!result.ok) return [];
  const of = { input, found: result.occupancy, sm: limitsOf(computeCapability) };
  return [blocksQuestion(of), limiterQuestion(of)].filter(question => question !== null);
}

function blocksQuestion(of: Case): Question | null {
  const { input, found, sm } = of;
  const { limits } = found;
  const least = (changed: Partial<Record<Limiter, number>>): number =>
    Math.min(...Object.values({ ...limits, ...changed }));
  const registers = input.registersPerThread * input.threadsPerBlock;
  const only = (limiter: Limiter): readonly Wrong<number>[] => {
    const limit = limits[limiter];
    const mistake = t('This considers only: {0}.', limiterName(limiter));
    return limit === undefined ? [] : [{ value: limit, mistake }];
  };
  return count(
    {
      id: 'occupancy/blocks',
      topic: 'occupancy',
      text: t(
        'A block has {0} threads, {1} registers per thread and {2} B of shared memory. How many blocks fit on an SM?',
        grouped(input.threadsPerBlock),
        input.registersPerThread,
        grouped(input.sharedBytesPerBlock),
      ),
      derivation: derivation(of),
    },
    found.blocksPerSm,
    [
      {
        value: withoutReserve(of),
        mistake: t(
          'This ignores the {0} B of shared memory that the driver reserves per block.',
          grouped(found.sharedBytesReserved),
        ),
      },
      {
        value: least({ registers: Math.floor(sm.registersPerSm / Math.max(1, registers)) }),
        mistake: t(
          'This ignores that registers are allocated per warp in units of {0}.',
          sm.registerAllocationUnit,
        ),
      },
      ...LIMITERS.flatMap(only),
      { value: found.activeWarps, mistake: t('This is the number of resident warps.') },
    ],
  );
}

/** Returns the blocks per SM if the driver reserved no shared memory. */
function withoutReserve({ input, found }: Case): number {
  const sharedBytesPerBlock = input.sharedBytesPerBlock - found.sharedBytesReserved;
  if (sharedBytesPerBlock < 0) return NaN;
  const result = occupancy({ ...input, sharedBytesPerBlock });
  return result.ok ? result.occupancy.blocksPerSm : NaN;
}

function limiterQuestion(of: Case): Question | null {
  const { found } = of;
  const names = (limiters: readonly Limiter[]): string => limiters.map(limiterName).join(', ');
  const used = LIMITERS.filter(limiter => found.limits[limiter] !== undefined);
  const isTied = found.limiters.length > 1;
  return choice(
    {
      id: 'occupancy/limiter',
      topic: 'occupancy',
      text: t('Which resource limits the blocks per SM, or which resources together?'),
      derivation: derivation(of),
    },
    names(found.limiters),
    used.map(limiter => ({
      value: names([limiter]),
      mistake:
        isTied && found.limiters.includes(limiter)
          ? t('Another resource has the same limit.')
          : t('The limit of {0} is {1}.', limiterName(limiter), found.limits[limiter] ?? 0),
    })),
    byText,
  );
}

function derivation({ input, found, sm }: Case): readonly string[] {
  const { limits, blocksPerSm, limiters } = found;
  const warps = Math.ceil(input.threadsPerBlock / sm.threadsPerWarp);
  return [
    t(
      'Threads: {0} warps per block, at most {1} per SM. Blocks: floor({1} / {0}) = {2}.',
      warps,
      sm.maxWarpsPerSm,
      limits.threads ?? 0,
    ),
    ...registerLines({ input, found, sm }, warps),
    ...(limits['shared-memory'] === undefined
      ? []
      : [
          t(
            'Shared memory: {0} B and {1} B reserved by the driver, allocated as {2} B. Blocks: floor({3} / {2}) = {4}.',
            grouped(input.sharedBytesPerBlock),
            grouped(found.sharedBytesReserved),
            grouped(found.sharedBytesAllocated),
            grouped(sm.sharedBytesPerSm),
            limits['shared-memory'],
          ),
        ]),
    t('Block slots per SM: {0}.', sm.maxBlocksPerSm),
    t('The minimum is {0}, limited by: {1}.', blocksPerSm, limiters.map(limiterName).join(', ')),
  ];
}

function registerLines({ input, found, sm }: Case, warps: number): readonly string[] {
  const { registers } = found.limits;
  if (registers === undefined) return [];
  const perWarp = found.registersPerBlockAllocated / warps;
  const schedulers = sm.warpAllocationGranularity;
  const fitting = warpsPerScheduler(perWarp, sm);
  return [
    t(
      'Registers: {0} per thread are {1} per warp, allocated as {2}, which is {3} per thread.',
      input.registersPerThread,
      grouped(input.registersPerThread * sm.threadsPerWarp),
      grouped(perWarp),
      perWarp / sm.threadsPerWarp,
    ),
    t(
      'A scheduler has {0} registers for floor({0} / {1}) = {2} warps. The {3} schedulers hold {4} warps. Blocks: floor({4} / {5}) = {6}.',
      grouped(sm.registersPerSm / schedulers),
      grouped(perWarp),
      fitting,
      schedulers,
      fitting * schedulers,
      warps,
      registers,
    ),
  ];
}
