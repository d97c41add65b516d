/** Markdown of *Print layout*: the grids of a layout expression, and its table of offsets. */
import { t } from '@vscode/l10n';
import type { ChartTheme } from '../../core/charts/chartSvg';
import { layoutSvg } from '../../core/charts/layoutPicture';
import { explainLayout } from '../../core/charts/layoutSteps';
import { previewUri } from '../../core/charts/rooflineThumbnail';
import { reportText } from '../../core/layout/print';
import {
  codeBlock,
  codeSpan,
  joined,
  markup,
  picture,
  type Markdown,
} from '../../core/text/markdown';

/** @throws {ExpressionError} if the expression is invalid */
export function layoutMarkdown(expression: string, theme: ChartTheme): Markdown {
  const { report, steps } = explainLayout(expression);
  const svg = 'value' in report ? null : layoutSvg(report, theme, steps);
  const alt = t('Offsets of the layout; equal colors mean equal offsets modulo 8');
  return joined(
    [
      markup`# ${codeSpan(expression)}`,
      ...(svg === null ? [] : [picture(alt, previewUri(svg))]),
      codeBlock(reportText(report)),
      '',
    ],
    '\n\n',
  );
}
