/** Controls that save the roofline as SVG, PNG or CSV. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { ChartWindow } from '../../src/core/charts/chartScales';
import { captionedRoofline } from '../../src/core/charts/rooflineCaption';
import { rooflineChart } from '../../src/core/charts/rooflineChart';
import { rooflineCsv } from '../../src/core/charts/rooflineCsv';
import type { TrailRun } from '../../src/core/charts/rooflineTrail';
import type { Roofline } from '../../src/core/roofline/contract';
import { problemName } from '../../src/core/spec/problemName';
import type { ResolvedProblem } from '../../src/core/spec/resolved';
import { svgOf, type Picture } from '../picture';
import type { ChartCeilings } from './rooflineLevels';
import { whenText, withoutOwn } from './rooflineTexts';
import { FoldedSave } from './savePicture';

export interface SaveRooflineProps {
  readonly roofline: Roofline;
  readonly trail: readonly TrailRun[];
  readonly roofs: ChartCeilings | null;
  readonly problem: ResolvedProblem;
  /** Display name of the kernel. */
  readonly of: string;
  readonly sourceHash: string;
  /** Zoom window; null shows the full range. */
  readonly window: ChartWindow | null;
  readonly trusted: boolean;
}

const SIZE = { width: 800, height: 450 };

export const SaveRoofline = ({ trusted, ...content }: SaveRooflineProps): VNode => (
  <FoldedSave picture={pictureOf(content)} trusted={trusted} />
);

function pictureOf(content: Omit<SaveRooflineProps, 'trusted'>): Picture {
  const { roofline, trail, problem, of, sourceHash, window } = content;
  const roofs = content.roofs?.drawn ?? [];
  const newest = roofline.points.findLast(({ kind }) => kind === 'measured');
  const measured = newest === undefined ? [] : [t('measured {0}', whenText(newest.at))];
  return {
    name: 'roofline',
    csv: () => rooflineCsv(roofline, withoutOwn(trail, sourceHash), roofs),
    svg: svgOf(() =>
      captionedRoofline(
        rooflineChart(roofline, SIZE, { trail, roofs, ...(window === null ? {} : { window }) }),
        {
          roofline,
          roofs,
          title: t('Roofline of {0}', problemName(problem)),
          lines: [of, [roofline.machine, ...measured].join(', ')],
        },
      ),
    ),
  };
}
