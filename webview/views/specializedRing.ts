/** Texts of the ring buffer that a producer warp group fills and consumers release. */
import { t } from '@vscode/l10n';
import {
  RING_MISTAKES,
  runRing,
  type RingAction,
  type RingEnd,
  type RingMistake,
  type RingOptions,
} from '../../src/core/trace/ring';
import type { PlayedRing, PlayedStep } from './ringRun';

/** Plays the ring with the mistake of that name, or without one. */
export function specializedRing(options: RingOptions, mistake: string): PlayedRing {
  const { steps, end } = runRing(options, RING_MISTAKES.find(known => known === mistake) ?? null);
  return {
    steps,
    failure: end.kind === 'complete' ? null : endText(end),
    mistakes: RING_MISTAKES.map(value => ({ value, label: mistakeName(value) })),
    statements: STATEMENTS,
    stepText: step => stepText(step, options.releases),
  };
}

const mistakeName = (mistake: RingMistake): string =>
  ({
    'no-release': t('without the release of the consumers'),
    'producer-parity': t('producer waits for phase, not for phase ^ 1'),
    'consumer-parity': t('consumers wait for phase ^ 1, not for phase'),
  })[mistake];

function endText(end: Exclude<RingEnd, { readonly kind: 'complete' }>): string {
  if (end.kind === 'early-read')
    return t(
      'Race: the wait for full[{0}] passes although its bytes have not arrived, so that wgmma of k-iteration {1} reads undefined values.',
      end.stage,
      end.iteration,
    );
  const { producer, consumer } = end;
  const consumers = t(
    'The consumers wait for full[{0}], parity {1}, which no load completes.',
    consumer.stage,
    consumer.parity,
  );
  return producer === null
    ? t('Deadlock. {0}', consumers)
    : t(
        'Deadlock. The producer waits for empty[{0}], parity {1}, which no arrival completes. {2}',
        producer.stage,
        producer.parity,
        consumers,
      );
}

function stepText({ action, stage, iteration, parity }: PlayedStep, releases: number): string {
  switch (action) {
    case 'waitEmpty':
      return iteration === stage
        ? t(
            'Producer: the wait for empty[{0}], parity {1}, passes. The mbarrier is in its first phase, and the phase before it counts as complete.',
            stage,
            parity ?? 0,
          )
        : t('Producer: the wait for empty[{0}], parity {1}, passes.', stage, parity ?? 0);
    case 'load':
      return t('Producer: TMA loads of k-iteration {0} into stage {1}.', iteration, stage);
    case 'arrive':
      return t('All bytes of stage {0} have arrived: full[{0}] flips its parity.', stage);
    case 'waitFull':
      return t('Consumers: the wait for full[{0}], parity {1}, passes.', stage, parity ?? 0);
    case 'multiply':
      return t('Consumers: wgmma of k-iteration {0} reads stage {1}.', iteration, stage);
    case 'release':
      return t(
        'Consumers release stage {0} (arrivals: {1}): empty[{0}] flips its parity.',
        stage,
        releases,
      );
  }
}

const STATEMENTS: Readonly<Record<RingAction, string>> = {
  waitEmpty: 'waitBarrier(empty',
  load: 'arriveExpectBytes(barrier',
  arrive: 'arriveExpectBytes(barrier',
  waitFull: 'waitBarrier(full',
  multiply: 'wgmma(acc',
  release: 'arrive(emptyBarriers',
};
