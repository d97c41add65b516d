/**
 * Roofline figures as text: the attainable rate, and the arithmetic intensities with their counting
 * rules.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Roofline as RooflineData } from '../../src/core/roofline/contract';
import { compulsoryBytes, epilogueBytes } from '../../src/core/plan/traffic';
import { type ResolvedProblem, flops } from '../../src/core/spec/resolved';
import { Disclosure } from './disclosure';
import { FigureText } from './figure';

export interface RooflineFactsProps {
  readonly roofline: RooflineData;
  readonly problem: ResolvedProblem;
}

export const RooflineFacts = (props: RooflineFactsProps): VNode => (
  <Disclosure summary={t('Arithmetic intensities')}>{() => <Facts {...props} />}</Disclosure>
);

function Facts({ roofline, problem }: RooflineFactsProps): VNode {
  const { attainable, deviceRatio, problemRatio, kernelRatio } = roofline;
  const intensity = flops(problem) / compulsoryBytes(problem);
  const value = { value: intensity, unit: 'FLOP/B', from: 'derived' } as const;
  return (
    <dl class="facts">
      <dt>{t('attainable (compulsory traffic)')}</dt>
      <dd>
        <FigureText figure={attainable} />
      </dd>
      <dt>{t('arithmetic intensity')}</dt>
      <dd>
        <FigureText figure={value} />{' '}
        <span class="hint">
          {problem.beta === 0
            ? t('A and B read once, C written once (beta = 0)')
            : t('A and B read once, C read and written once')}
          {epilogueBytes(problem) === 0 ? null : `; ${t('operands of the epilogue read once')}`}
        </span>
      </dd>
      <dt>{t('textbook intensity')}</dt>
      <dd>
        <FigureText figure={problemRatio} />{' '}
        <span class="hint">
          {problem.beta === 0
            ? t('C read and written; lower than the plotted points')
            : t('equals the arithmetic intensity, because beta is not 0')}
        </span>
      </dd>
      <dt>{t('ridge point')}</dt>
      <dd>
        <FigureText figure={deviceRatio} />{' '}
        <span class="hint">{t('kernels below it are memory bound')}</span>
      </dd>
      <dt>{t('intensity without caches')}</dt>
      <dd>
        <FigureText figure={kernelRatio} />
      </dd>
    </dl>
  );
}
