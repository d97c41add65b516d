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
  /** Instructions per iteration of the compiled loop. */
  readonly compiled: number;
  /** Count in the model for the same number of FMAs; NaN if the IR does not determine it. */
  readonly model: number;
  /** Bytes moved per thread; omitted for other instructions. */
  readonly compiledBytes?: number;
  readonly modelBytes?: number;
  /** Why the two differ; empty if equal. */
  readonly why: string;
}

export interface LoopComparison {
  /** Unroll factor: source iterations per iteration of the compiled loop. */
  readonly unrolled: number;
  readonly rows: readonly LoopRow[];
}

/** Returns null if either side has no such loop. */
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
      compiled === multiplyAdds ? '' : t('Packed instructions compute FMAs of several elements.');
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
          : t('Waits and commits of asynchronous copies count as instructions too.');
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
  t('The compiled loop is one k-step; per-tile operations are outside of it.');

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
  if (Number.isNaN(model)) return t('The count in the source depends on the thread.');
  if (compiled === model && compiledBytes === modelBytes) return '';
  if (compiledBytes === modelBytes) {
    return compiled < model
      ? t('Same bytes in wider accesses: the compiler merged adjacent accesses.')
      : t('Same bytes in narrower accesses: the compiler could not prove alignment.');
  }
  const copies = (mix.counts['async-copy'] ?? 0) > 0;
  if (kind.startsWith('global') && compiled === 0 && copies) {
    return t('Replaced by asynchronous copies.');
  }
  if (compiledBytes < modelBytes) {
    return kind.endsWith('load')
      ? t('Repeated loads were kept in registers or hoisted out of the loop.')
      : t('Part of the accesses is outside the compiled loop.');
  }
  return t('The compiler moved accesses from other parts of the kernel into this loop.');
}
