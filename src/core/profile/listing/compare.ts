/** The loop that multiplies as it was compiled, beside what the loop IR says of it, and why they differ. */
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
  /** Instructions of the compiled loop an iteration. */
  readonly compiled: number;
  /** Of the model, for as many multiply-adds; NaN where the IR does not say. */
  readonly model: number;
  /** Bytes a thread moves; absent of what moves none. */
  readonly compiledBytes?: number;
  readonly modelBytes?: number;
  /** Why the two differ; empty where they are equal. */
  readonly why: string;
}

export interface LoopComparison {
  /** Iterations of the text in one of the compiled loop: the compiler's unrolling. */
  readonly unrolled: number;
  readonly rows: readonly LoopRow[];
}

/** Null where one of the two has no such loop. */
export function compareLoops(kernel: Kernel, loop: LoopFacts): LoopComparison | null {
  const model = modelLoop(kernel);
  const products = loop.mix.counts.mma ?? 0;
  const multiplied = products > 0 ? products : loop.multiplyAdds;
  if (model === null || multiplied === 0) return null;
  const unrolled = multiplied / (products > 0 ? model.products : model.multiplyAdds);
  const rows = COMPARED.map(kind => rowOf(kind, loop, model, unrolled));
  return { unrolled, rows: rows.filter(({ compiled, model: told }) => compiled > 0 || told !== 0) };
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
      compiled === multiplyAdds
        ? ''
        : t('Packed instructions multiply and add several elements each.');
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
          : t('Waiting for asynchronous copies and closing their groups are instructions too.');
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
  t('The compiled loop is one step of an iteration: what is done once a tile stands around it.');

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
  if (Number.isNaN(model)) return t('How often the text does this depends on the thread.');
  if (compiled === model && compiledBytes === modelBytes) return '';
  if (compiledBytes === modelBytes) {
    return compiled < model
      ? t('The same bytes in wider accesses: the compiler put neighbours together.')
      : t('The same bytes in narrower accesses: it could not tell that they are aligned.');
  }
  const copies = (mix.counts['async-copy'] ?? 0) > 0;
  if (kind.startsWith('global') && compiled === 0 && copies) {
    return t('Asynchronous copies took their place.');
  }
  if (compiledBytes < modelBytes) {
    return kind.endsWith('load')
      ? t(
          'What is loaded more than once in the text is kept in registers, or loaded before the loop.',
        )
      : t('Part of it stands outside of the compiled loop.');
  }
  return t('The compiler moved accesses of other parts of the kernel into this loop.');
}
