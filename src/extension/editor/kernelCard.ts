/** Hover of a kernel: occupancy, prediction, accesses and newest run, with its roofline. */
import { t } from '@vscode/l10n';
import type { Analysis } from '../../core/report/analysis';
import type { ChartTheme } from '../../core/charts/chartSvg';
import { rooflineThumbnail } from '../../core/charts/rooflineThumbnail';
import { codeSpan, joined, markup, picture, table, type Markdown } from '../../core/text/markdown';
import { accessText, rooflineShareText, runText } from '../runs/lensText';
import type { KernelFacts } from './kernelFacts';

export interface CardOptions {
  /** Facts about the main loop in the listing of the kernel, if there is a listing. */
  readonly loop: string | undefined;
  readonly theme: ChartTheme;
}

export function kernelCard(
  entry: string,
  facts: KernelFacts,
  { loop, theme }: CardOptions,
): Markdown {
  if (!facts.ok) return markup`**${entry}**\n\n${facts.reason}`;
  const { analysis, runnable, runs, compiled, device } = facts;
  // All figures are for the analyzed device; the newest run names its own machine.
  const { occupancy, prediction, roofline } = analysis;
  const memory = accessText(analysis);
  const { attainable, machine } = roofline;
  const from =
    compiled === undefined ? t('estimated, on {0}', device) : `${compiled.compiler}, ${device}`;
  const registers =
    occupancy === null
      ? ''
      : t('{0} registers, {1} blocks/SM', occupancy.registers.value, occupancy.blocksPerSm);
  const rows: readonly (readonly [string, string | Markdown])[] = [
    [t('spec'), codeSpan(runnable.specKey)],
    [
      t('occupancy'),
      `${[shareOf(analysis), registers].filter(Boolean).join(', ') || t('occupancy unknown')} (${from})`,
    ],
    ...(prediction === null
      ? []
      : [
          [
            t('predicted'),
            `${Number(prediction.tflops.value.toPrecision(3))} TFLOP/s (${machine})`,
          ] as const,
        ]),
    ...(Number.isFinite(attainable.value)
      ? [
          [
            t('attainable (compulsory traffic)'),
            `${Number(attainable.value.toPrecision(3))} TFLOP/s (${machine})`,
          ] as const,
        ]
      : []),
    ...(loop === undefined ? [] : [[t('main loop'), loop] as const]),
    ...(memory === undefined ? [] : [[t('memory access'), memory] as const]),
    [t('newest run'), newestText(facts)],
  ];
  const image = rooflineThumbnail(roofline, { theme });
  const alt = t('Roofline of {0}; {1} runs', machine, runs.length);
  return joined(
    [
      markup`**${entry}**`,
      '',
      table(['', ''], rows),
      '',
      picture(alt, image, `|height=${IMAGE_HEIGHT}`),
    ],
    '\n',
  );
}

/** Returns the text of the newest run and, if there is a run, its fraction of the roofline. */
function newestText({
  analysis,
  newest,
  ofSpec,
}: Pick<Extract<KernelFacts, { ok: true }>, 'analysis' | 'newest' | 'ofSpec'>): string {
  const text = runText(newest, ofSpec);
  return newest?.timing === undefined ? text : `${text}, ${rooflineShareText(analysis, newest)}`;
}

/**
 * Image height in pixels, which keeps the hover within the height that VS Code shows without
 * scrolling.
 */
const IMAGE_HEIGHT = 110;

/**
 * Formats occupancy as `25 % (registers)`, because the row label contains the word; returns an
 * empty string if the occupancy is unknown.
 */
const shareOf = ({ occupancy }: Analysis): string =>
  occupancy === null
    ? ''
    : `${Math.round(100 * occupancy.occupancy)} % (${occupancy.limiters.join(', ')})`;
