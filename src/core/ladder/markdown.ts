/** A ladder that was run, as Markdown: the steps on one roofline, a table, and why each is faster or slower. */
import { t } from '@vscode/l10n';
import type { ChartTheme } from '../analysis/chartSvg';
import { dataUri } from '../analysis/rooflineThumbnail';
import { precise } from '../language/numbers';
import type { Step } from './climb';
import { ladderSvg } from './picture';
import { stepReport, summaryOf } from './report';

export interface LadderPage {
  /** Of the problem, such as `gemm 1024 x 1024 x 1024, f32`. */
  readonly title: string;
  readonly theme: ChartTheme;
}

/** VS Code's preview takes pictures only from data with a parameter. */
const previewUri = (svg: string): string =>
  dataUri(svg).replace('data:image/svg+xml,', 'data:image/svg+xml;charset=utf-8,');

const row = (cells: readonly string[]): string =>
  `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`;

export function ladderMarkdown(steps: readonly Step[], { title, theme }: LadderPage): string {
  const svg = ladderSvg(steps, theme);
  const { fastest, gflops, legal, correct, rungs } = summaryOf(steps);
  const machine = steps.findLast(({ measurement }) => measurement !== null)?.measurement?.device;
  const head = [
    t('rung'),
    t('algorithm'),
    t('what it changes'),
    t('result'),
    'TFLOP/s',
    t('gain'),
    t('why'),
  ];
  const lines = steps.map(step => {
    const { hold, measurement, gain } = step;
    const timed = measurement?.timing;
    const outcome = hold.ok ? (measurement?.outcome ?? t('not run')) : t('not legal');
    const factor = gain?.factor ?? null;
    return row([
      ...[String(hold.number), `\`${hold.rung.algorithm}\``, hold.rung.change, outcome],
      timed === undefined ? '' : precise(timed.gflops / 1000),
      factor === null ? '' : `${precise(factor)}x`,
      // What could not run or is wrong says so itself.
      measurement?.message ?? stepReport(step).why,
    ]);
  });
  const counted = t(
    '{0} of {1} rungs are legal for this problem, {2} are right.',
    legal,
    rungs,
    correct,
  );
  const best =
    fastest === null || gflops === null
      ? correct > 0
        ? t('Nothing was timed: this backend verifies.')
        : t('Nothing was timed.')
      : t('The fastest is rung {0}: {1} TFLOP/s.', fastest, precise(gflops / 1000));
  return [
    `# ${title}`,
    '',
    [
      ...(machine === undefined ? [] : [`${machine.name} (${machine.adapter}).`]),
      counted,
      best,
    ].join(' '),
    ...(svg === null
      ? []
      : ['', `![${t('The rungs on one roofline, numbered as in the table')}](${previewUri(svg)})`]),
    '',
    row(head),
    row(head.map(() => '---')),
    ...lines,
    '',
    t('Rates are measured; reasons are derived from the two rungs that are compared.'),
    '',
  ].join('\n');
}
