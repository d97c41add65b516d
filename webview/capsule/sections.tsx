/** Sections of a capsule that the explorer's page shows in another form. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Chart } from '../../src/core/charts/chart';
import { rooflineChart } from '../../src/core/charts/rooflineChart';
import { pointLegend } from '../../src/core/charts/rooflineLegend';
import { rooflineTrail } from '../../src/core/charts/rooflineTrail';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Measurement } from '../../src/core/measure/measurement';
import { sourceHashOf } from '../../src/core/text/hash';
import { TARGET_NAMES } from '../ability';
import type { Derived, Shown } from '../derive';
import { gutterOf, sourceLines } from '../listing';
import { Disclosure } from '../views/disclosure';
import { Section } from '../views/figure';
import { PointLegend } from '../views/pointLegend';
import { RooflineFacts } from '../views/rooflineFacts';
import { chartCeilings, levelsOf, RooflineLevels } from '../views/rooflineLevels';
import { MarkShape } from '../views/rooflineMark';
import { RooflineTables } from '../views/rooflineTables';
import { withoutOwn } from '../views/rooflineTexts';
import { Tokens } from '../views/tokens';

const ignore = (): void => undefined;
const NO_CHANGES: ReadonlySet<number> = new Set();

/** Sizes of the chart in pixels: for a wide page and for a narrow page. */
const WIDE = { width: 760, height: 420 };
const NARROW = { width: 340, height: 260 };

export interface RooflineSectionProps {
  readonly derived: Derived;
  readonly shown: Extract<Shown, { readonly ok: true }>;
  readonly runs: readonly Measurement[];
}

/** The roofline with every ceiling, its points as text, and the tables of the chart. */
export function RooflineSection({ derived, shown, runs }: RooflineSectionProps): VNode {
  const { kernel, roofline, analysis } = shown;
  const { device } = derived;
  const { problem } = kernel.spec;
  const subject = { kernel, analysis, device, roofline };
  const levels = roofline.machine === device.name ? levelsOf(subject) : null;
  const roofs = levels === null ? [] : chartCeilings(levels, []).drawn;
  const trail = rooflineTrail({ runs, problem, machine: roofline.machine });
  const draw = (size: typeof WIDE): Chart => rooflineChart(roofline, size, { trail, roofs });
  const earlier = withoutOwn(trail, sourceHashOf(kernel));
  return (
    <Section id="roofline" title={t('Roofline')} of={roofline.machine}>
      <div class="chart wide">
        <ChartPicture chart={draw(WIDE)} />
      </div>
      <div class="chart narrow">
        <ChartPicture chart={draw(NARROW)} />
      </div>
      <PointLegend entries={pointLegend(roofline, roofs)} pointed={null} onPoint={ignore} />
      <RooflineLevels {...subject} onRoofs={ignore} />
      <RooflineFacts roofline={roofline} problem={problem} />
      <Disclosure summary={t('Chart as table')} repeats>
        {() => <RooflineTables roofline={roofline} trail={earlier} />}
      </Disclosure>
    </Section>
  );
}

const ChartPicture = ({ chart }: { readonly chart: Chart }): VNode => (
  <svg
    width={chart.width}
    height={chart.height}
    viewBox={`0 0 ${chart.width} ${chart.height}`}
    role="img"
    aria-label={chart.title}
  >
    {chart.marks.map((mark, index) => (
      <MarkShape key={index} mark={mark} />
    ))}
  </svg>
);

export interface KernelSectionProps {
  readonly kernels: readonly Kernel[];
  readonly colors: boolean;
  readonly sourceCharacters: number;
}

/** The source code of every legal target, with its hash. */
export const KernelSection = ({ kernels, ...how }: KernelSectionProps): VNode => (
  <Section id="code" title={t('Kernel')}>
    {kernels.map(kernel => (
      <div key={kernel.target} class="language">
        <h3>{t('{0}: {1}', TARGET_NAMES[kernel.target], kernel.fileName)}</h3>
        <p class="hint">{t('Source (SHA-256): {0}', sourceHashOf(kernel))}</p>
        <Source
          label={t('{0} source', TARGET_NAMES[kernel.target])}
          text={kernel.source}
          {...how}
        />
      </div>
    ))}
  </Section>
);

interface SourceProps extends Omit<KernelSectionProps, 'kernels'> {
  readonly label: string;
  readonly text: string;
}

function Source({ label, text, colors, sourceCharacters }: SourceProps): VNode {
  const shown = text.slice(0, sourceCharacters).replace(/\n$/, '');
  return (
    <div class="listing" tabIndex={0} role="region" aria-label={label}>
      <pre class="gutter" aria-hidden="true">
        {gutterOf(shown, NO_CHANGES)}
      </pre>
      <pre class="source">
        <code>
          {colors
            ? sourceLines(shown, NO_CHANGES).map(({ tokens }, index) => (
                <>
                  {index === 0 ? '' : '\n'}
                  <Tokens tokens={tokens} />
                </>
              ))
            : shown}
        </code>
      </pre>
    </div>
  );
}
