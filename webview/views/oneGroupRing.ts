/** Texts of the ring buffer of a kernel without warp specialization. */
import { t } from '@vscode/l10n';
import {
  ONE_GROUP_MISTAKES,
  runOneGroupRing,
  type OneGroupEnd,
  type OneGroupMistake,
} from '../../src/core/trace/oneGroupRing';
import type { RingOptions } from '../../src/core/trace/ring';
import type { WgmmaModel } from '../../src/core/kernel/wgmma/model';
import type { PlayedRing, PlayedStep } from './ringRun';

/**
 * Plays the ring with the mistake of that name, or without one. `instruction` reads the stages:
 * `wgmma` asynchronously, so that one k-iteration is in flight, and `mma` through `ldmatrix`.
 */
export function oneGroupRing(
  options: RingOptions,
  mistake: string,
  instruction: WgmmaModel['instruction'],
): PlayedRing {
  const isMma = instruction === 'mma';
  const { steps, end } = runOneGroupRing(
    { ...options, inFlight: isMma ? 0 : 1 },
    ONE_GROUP_MISTAKES.find(known => known === mistake) ?? null,
  );
  return {
    steps,
    failure: end.kind === 'complete' ? null : endText(end, isMma),
    mistakes: ONE_GROUP_MISTAKES.map(value => ({ value, label: mistakeName(value, isMma) })),
    statements: { ...STATEMENTS, ...(isMma ? MMA_STATEMENTS : {}) },
    stepText: step => (isMma ? mmaText(step) : null) ?? stepText(step),
  };
}

const mistakeName = (mistake: OneGroupMistake, isMma: boolean): string =>
  ({
    'no-refill': t('without refills of the stages'),
    'early-refill': isMma
      ? t('refill of the stage before the barrier')
      : t('refill of the current stage, not of the previous one'),
    parity: t('threads wait for phase ^ 1, not for phase'),
  })[mistake];

function endText(end: Exclude<OneGroupEnd, { readonly kind: 'complete' }>, isMma: boolean): string {
  const reader = isMma ? 'ldmatrix' : 'wgmma';
  switch (end.kind) {
    case 'early-read':
      return t(
        'Race: the wait for full[{0}] passes although its bytes have not arrived, so that {2} of k-iteration {1} reads undefined values.',
        end.stage,
        end.iteration,
        reader,
      );
    case 'overwrite':
      return t(
        'Race: the load overwrites stage {0} while {2} of k-iteration {1} reads it.',
        end.stage,
        end.iteration,
        reader,
      );
    case 'deadlock':
      return t(
        'Deadlock. All threads wait for full[{0}], parity {1}, which no load completes.',
        end.wait.stage,
        end.wait.parity,
      );
  }
}

function stepText({ action, stage, iteration, parity }: PlayedStep): string {
  switch (action) {
    case 'load':
      return t('Thread 0: TMA loads of k-iteration {0} into stage {1}.', iteration, stage);
    case 'arrive':
      return t('All bytes of stage {0} have arrived: full[{0}] flips its parity.', stage);
    case 'waitFull':
      return t('All threads: the wait for full[{0}], parity {1}, passes.', stage, parity ?? 0);
    case 'multiply':
      return t('All threads: wgmma of k-iteration {0} reads stage {1}.', iteration, stage);
    case 'release':
    case 'waitEmpty':
      return t(
        'The wgmma of k-iteration {0} is complete. After the barrier, no warp reads stage {1}.',
        iteration,
        stage,
      );
  }
}

/** Returns the text of the steps that differ with `mma`; null for other steps. */
function mmaText({ action, stage, iteration }: PlayedStep): string | null {
  if (action === 'multiply')
    return t(
      'All warps: ldmatrix of k-iteration {0} reads stage {1}, and mma.sync multiplies the fragments.',
      iteration,
      stage,
    );
  if (action !== 'release') return null;
  return t('After the proxy fence and the barrier, no warp reads stage {0}.', stage);
}

const MMA_STATEMENTS: PlayedRing['statements'] = {
  multiply: 'loadA(fragmentsA',
  release: '__syncthreads();\n    const int next',
};

const STATEMENTS: PlayedRing['statements'] = {
  load: 'arriveExpectBytes(barrier, A_BYTES',
  arrive: 'arriveExpectBytes(barrier, A_BYTES',
  waitFull: 'waitBarrier(full',
  multiply: 'wgmma(acc',
  release: 'wgmmaWait<1>()',
};
