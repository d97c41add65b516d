/** Rows of the worklog about occupancy and compiled code, of the kernel with shared memory. */
import { t } from '@vscode/l10n';
import { limitsOf } from '../hardware/computeCapability';
import { deviceOf } from '../hardware/devices';
import { occupancy, type Occupancy } from '../occupancy/occupancy';
import { fmasPerSharedLoad, type Subject } from './subject';
import type { CompiledKernel, Facts, Missing, Row, Value } from './tutorial';
import { WORKLOG_GPU } from './worklogKernels';

/** Resources that the tutorial reads from ptxas. */
const BY_HAND = { threadsPerBlock: 1024, registersPerThread: 27, sharedBytesPerBlock: 8192 };

export function occupancyRows({ kernel }: Subject): readonly Row[] {
  const { computeCapability = '8.6' } = deviceOf(WORKLOG_GPU);
  const computed = occupancy({ computeCapability, ...BY_HAND });
  if (!computed.ok) throw new Error(computed.error.message);
  const { limits, activeWarps, maxWarps, blocksPerSm, ...result } = computed.occupancy;
  const { multiprocessors } = deviceOf(WORKLOG_GPU);
  const { sharedBytesPerSm } = limitsOf(computeCapability);
  return [
    row('003.23', 'sharedBytes', t('Shared memory per block'), 8192, kernel.plan.sharedBytes, 'B'),
    row(
      '003.23',
      'sharedLimitByHand',
      t('Blocks per SM by shared memory, as computed by hand'),
      12,
      Math.floor(sharedBytesPerSm / BY_HAND.sharedBytesPerBlock),
    ),
    {
      ...row(
        '003.23',
        'sharedLimit',
        t('Blocks per SM by shared memory'),
        12,
        limits['shared-memory'] ?? NaN,
      ),
      kind: 'reported',
      note: t('The driver reserves {0} B of shared memory per block.', result.sharedBytesReserved),
    },
    row(
      '003.23',
      'registersByHand',
      t('Registers per block, without rounding'),
      27_648,
      BY_HAND.registersPerThread * BY_HAND.threadsPerBlock,
    ),
    {
      ...row(
        '003.23',
        'registersAllocated',
        t('Registers per block, as allocated'),
        27_648,
        result.registersPerBlockAllocated,
      ),
      kind: 'reported',
      note: t('Registers are allocated per warp, in multiples of 256.'),
    },
    row('003.23', 'registerLimit', t('Blocks per SM by registers'), 2, limits.registers ?? NaN),
    row('003.23', 'threadLimit', t('Blocks per SM by threads'), 1, limits.threads ?? NaN),
    row(
      '003.24',
      'concurrent',
      t('Concurrent blocks: 80 or 40?'),
      40,
      blocksPerSm * multiprocessors,
    ),
    row('003.24', 'warps', t('Warps per SM'), 32, activeWarps),
    {
      ...row('003.24', 'occupancy', t('Occupancy: 50 % or 66 %?'), 66, 100 * result.occupancy, '%'),
      kind: 'within',
      tolerancePercent: 2,
      note: t(
        'An SM of this GPU has at most {0} warps. The limit is: {1}.',
        maxWarps,
        limiterText(result),
      ),
    },
  ];
}

const limiterText = ({ limiters }: Pick<Occupancy, 'limiters'>): string => limiters.join(', ');

export function compiledRows(shared2d: Subject, blockTile: Subject): readonly Row[] {
  return (
    [
      {
        ...compiledRow(
          '003.3',
          'registers',
          t('Registers per thread of kernel 4 (ptxas)'),
          27,
          ({ registers }) => registers,
        ),
        kind: 'reported',
        note: t('The register count depends on the compiler version.'),
      },
      compiledRow(
        '003.3',
        'compiledShared',
        t('Shared memory of kernel 4 (ptxas)'),
        8192,
        ({ sharedBytes }) => sharedBytes,
        'B',
      ),
      {
        ...compiledRow(
          '003.25',
          'constantBytes',
          t('Constant memory of kernel 4, cmem[0] (ptxas)'),
          352,
          ({ constantBytes }) =>
            constantBytes === 0
              ? { missing: t('The compiler reports no constant memory.') }
              : constantBytes,
          'B',
        ),
        kind: 'reported',
        note: t(
          'It holds the kernel arguments, so it depends on the parameters and on the compiler.',
        ),
      },
      compiledRow(
        '003.26',
        'ptx',
        t('PTX of the inner loop of kernel 4'),
        'ld.shared.f32, ld.shared.f32, fma.rn.f32',
        ({ ptx }) => tripleIn(ptx),
      ),
      compiledRow(
        '003.27',
        'compiledFmas',
        t('FMAs per load from shared memory in the PTX of kernel 4'),
        0.5,
        ({ fmaPerSharedLoad }) =>
          fmaPerSharedLoad ?? {
            missing: t('The PTX has no main loop with loads from shared memory.'),
          },
      ),
      row(
        '003.27',
        'fmas',
        t('FMAs per load from shared memory of kernel 4'),
        0.5,
        fmasPerSharedLoad(shared2d),
      ),
      row(
        '003.28',
        'blockTileFmas',
        t('The same of kernel 5: 8 FMAs for 9 loads'),
        null,
        Number(fmasPerSharedLoad(blockTile).toFixed(3)),
      ),
    ] satisfies readonly Row[]
  ).map((one): Row =>
    typeof one.theirs === 'number' && one.theirs % 1 !== 0 ? { ...one, decimals: 1 } : one,
  );
}

const row = (
  item: string,
  id: string,
  text: string,
  theirs: Value | null,
  ours: Value,
  unit?: string,
): Row => ({
  row: item,
  id,
  text,
  kind: 'equal',
  theirs,
  ours: () => ours,
  ...(unit === undefined ? {} : { unit }),
});

const compiledRow = (
  item: string,
  id: string,
  text: string,
  theirs: Value,
  of: (compiled: CompiledKernel) => Value | Missing,
  unit?: string,
): Row => ({
  ...row(item, id, text, theirs, NaN, unit),
  ours: ({ compiled, notCompiled }: Facts) => {
    const kernel = compiled.get('shared2d');
    if (kernel !== undefined) return of(kernel);
    return { missing: notCompiled ?? t('The kernel was not compiled.') };
  },
});

/** Two loads from shared memory that an FMA follows. */
const TRIPLE = /^\s*(ld\.shared\.\S+)\s.*\n\s*(ld\.shared\.\S+)\s.*\n\s*(fma\.\S+)\s/m;

/** Returns the opcodes of the first match in a PTX listing; an empty text without a match. */
const tripleIn = (ptx: string): string => TRIPLE.exec(ptx)?.slice(1).join(', ') ?? '';
