/**
 * Renders the results of a ladder as Markdown: roofline, table, and reasons for each gain or loss.
 */
import { t } from '@vscode/l10n';
import type { ChartTheme } from '../../charts/chartSvg';
import { previewUri } from '../../charts/rooflineThumbnail';
import { codeSpan, joined, markup, picture, table, type Markdown } from '../../text/markdown';
import { precise } from '../../text/numbers';
import { predictedGflops, type Step } from './ladderSteps';
import { ladderSvg } from './ladderChart';
import { libraryOf, libraryShare, predictedFor, rateUnitOf, shownFactor } from './rates';
import { stepReport, summaryOf } from './report';

export interface LadderPage {
  readonly title: string;
  readonly theme: ChartTheme;
}

export function ladderMarkdown(steps: readonly Step[], { title, theme }: LadderPage): Markdown {
  const svg = ladderSvg(steps, theme);
  const { fastest, gflops, legal, correct, rungs } = summaryOf(steps);
  const machine = steps.findLast(({ measurement }) => measurement !== null)?.measurement?.device;
  const unit = rateUnitOf(steps);
  const device = predictedFor(steps);
  const library = libraryOf(steps);
  const head = [
    t('rung'),
    t('algorithm'),
    t('change'),
    t('result'),
    unit.name,
    t('predicted {0}', unit.name),
    ...(library === null ? [] : [t('of {0}', library)]),
    t('gain'),
    t('why'),
  ];
  const lines = steps.map(step => {
    const { hold, measurement } = step;
    const timed = measurement?.timing;
    const outcome = hold.ok ? (measurement?.outcome ?? t('not run')) : t('not legal');
    const [factor, predicted] = [shownFactor(step), predictedGflops(step)];
    const { why, adapted } = stepReport(step);
    return [
      String(hold.number),
      codeSpan(hold.rung.algorithm),
      hold.rung.change,
      outcome,
      timed === undefined ? '' : unit.text(timed.gflops),
      predicted === null ? '' : unit.text(predicted),
      ...(library === null ? [] : [libraryShare(step) ?? '']),
      factor === null ? '' : `${precise(factor)}x`,
      [why, adapted].filter(Boolean).join('. '),
    ];
  });
  const counted = t(
    '{0} of {1} rungs are legal for this problem; {2} have correct results.',
    legal,
    rungs,
    correct,
  );
  const best =
    fastest === null || gflops === null
      ? correct > 0
        ? t('No times: the results were only verified.')
        : t('No times were measured.')
      : t('The fastest is rung {0}: {1} {2}.', fastest, unit.text(gflops), unit.name);
  const predicted =
    device === null
      ? t('No predicted rates: the time model does not cover this target and device.')
      : t(
          'Predicted rates are for {0}. Gains compare measured rates, or predicted rates where no times were measured.',
          device,
        );
  return joined(
    [
      markup`# ${title}`,
      '',
      [
        ...(machine === undefined ? [] : [`${machine.name} (${machine.adapter}).`]),
        counted,
        best,
      ].join(' '),
      ...(svg === null
        ? []
        : ['', picture(t('Roofline with the rungs, numbered as in the table'), previewUri(svg))]),
      '',
      table(head, lines),
      '',
      predicted,
      t('Reasons compare each rung with its baseline rung.'),
      '',
    ],
    '\n',
  );
}
