/** Compares the compiled main loop with the loop IR, and explains the differences. */
import { t } from '@vscode/l10n';
import type { Kernel } from '../../kernel/kernel';
import type { AccessCount, InstructionMix, LoopFacts } from './facts';
import { modelLoop, type ModelLoop } from './model';

export const COMPARED = [
  'fma',
  'mma',
  'shared-load',
  'shared-store',
  'global-load',
  'async-copy',
  'global-store',
  'barrier',
] as const;

export interface LoopRow {
  readonly kind: (typeof COMPARED)[number];
  /** Instructions per thread and iteration of the compiled loop. */
  readonly compiled: number;
  /**
   * Instruction count in the loop IR, multiplied by the unroll factor; NaN if it is not a constant.
   */
  readonly model: number;
  /**
   * Bytes accessed per thread and iteration; omitted for instructions that do not access memory.
   */
  readonly compiledBytes?: number;
  readonly modelBytes?: number;
  /** Explanation of a difference in counts or bytes; empty if there is none. */
  readonly why: string;
}

export interface LoopComparison {
  /**
   * Unroll factor: k-iterations of the loop IR per iteration of the compiled loop; less than 1 if
   * the compiled loop covers one k-step.
   */
  readonly unrolled: number;
  readonly rows: readonly LoopRow[];
}

/**
 * Compares the main loops. Returns null if the loop IR has no main loop, or if the compiled loop
 * has no FMAs and no MMAs.
 */
export function compareLoops(kernel: Kernel, loop: LoopFacts): LoopComparison | null {
  const model = modelLoop(kernel);
  const products = loop.mix.counts.mma ?? 0;
  const mainLoop = products > 0 ? products : loop.multiplyAdds;
  if (model === null || mainLoop === 0) return null;
  const unrolled = mainLoop / (products > 0 ? model.products : model.multiplyAdds);
  const rows = COMPARED.map(kind => rowOf(kind, loop, model, unrolled));
  return {
    unrolled,
    rows: rows.filter(({ compiled, model: expected }) => compiled > 0 || expected !== 0),
  };
}

function rowOf(
  kind: LoopRow['kind'],
  { mix, multiplyAdds }: LoopFacts,
  model: ModelLoop,
  unrolled: number,
): LoopRow {
  if (kind === 'fma') {
    const compiled = mix.counts.fma ?? 0;
    const why =
      compiled === multiplyAdds ? '' : t('Each packed instruction computes several FMAs.');
    return { kind, compiled, model: unrolled * model.multiplyAdds, why };
  }
  if (kind === 'mma')
    return { kind, compiled: mix.counts.mma ?? 0, model: unrolled * model.products, why: '' };
  if (kind === 'barrier') {
    const compiled = mix.counts.barrier ?? 0;
    const told = unrolled * model.barriers;
    const why =
      compiled === told
        ? ''
        : unrolled < 1
          ? stepOnly()
          : t(
              'The compiled count may include wait and commit instructions of asynchronous copies.',
            );
    return { kind, compiled, model: told, why };
  }
  const [compiled, compiledBytes] = totals(mix.accesses, kind);
  const [told, toldBytes] = totals(model.accesses, kind);
  const row = { kind, compiled, model: unrolled * told };
  const bytes = { compiledBytes, modelBytes: unrolled * toldBytes };
  const isStep = unrolled < 1 && compiled === 0;
  return { ...row, ...bytes, why: isStep ? stepOnly() : whyOf({ ...row, ...bytes }, mix) };
}

const stepOnly = (): string =>
  t('The compiled loop covers one k-step; per-tile operations are outside this loop.');

function totals(
  accesses: readonly AccessCount[],
  kind: LoopRow['kind'],
): readonly [number, number] {
  const own = accesses.filter(access => access.kind === kind);
  return [
    own.reduce((sum, { count }) => sum + count, 0),
    own.reduce((sum, { count, widthBytes = NaN }) => sum + count * widthBytes, 0),
  ];
}

type Counted = Pick<LoopRow, 'kind' | 'compiled' | 'model'> & {
  readonly compiledBytes: number;
  readonly modelBytes: number;
};

function whyOf(
  { kind, compiled, model, compiledBytes, modelBytes }: Counted,
  mix: InstructionMix,
): string {
  if (Number.isNaN(model)) return t('The modeled count is not a constant.');
  if (compiled === model && compiledBytes === modelBytes) return '';
  if (compiledBytes === modelBytes) {
    return compiled < model
      ? t('The compiler probably merged adjacent accesses into wider accesses.')
      : t('The compiler split accesses, probably because it could not prove their alignment.');
  }
  const copies = (mix.counts['async-copy'] ?? 0) > 0;
  if (kind.startsWith('global') && compiled === 0 && copies) {
    return t('Asynchronous copies replace these accesses.');
  }
  if (compiledBytes < modelBytes) {
    return kind.endsWith('load')
      ? t('The compiler probably kept reused values in registers or hoisted loads out of the loop.')
      : t('Some accesses are probably outside the compiled loop.');
  }
  return t('The compiler probably moved accesses from other parts of the kernel into this loop.');
}
