/** Tensor-core details: shared-memory swizzle, fragment layout, and the pipeline timeline. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import { fragmentMaps } from '../../src/core/charts/fragmentMap';
import { pipelinePicture } from '../../src/core/charts/pipelinePicture';
import { swizzlePictures } from '../../src/core/charts/swizzlePicture';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Plan } from '../../src/core/plan/plan';
import type { WgmmaPlan } from '../../src/core/plan/wgmma/wgmmaPlan';
import { Disclosure } from './disclosure';
import { FragmentGrid } from './fragmentGrid';
import { PipelineChart } from './pipelineChart';
import { PipelineOfStages } from './stageChart';
import { SwizzleGrid } from './swizzleGrid';
import { SECTION_TERMS } from '../sectionTerms';
import { Terms } from './terms';

export interface TensorDetailsProps {
  readonly kernel: Kernel;
  readonly device: Device;
  readonly analysis: Analysis;
}

export function TensorDetails(props: TensorDetailsProps): VNode {
  const { plan } = props.kernel;
  return (
    <>
      <Terms of="tensor" ids={SECTION_TERMS[usesWgmma(plan) ? 'wgmma' : 'mma']} spec={plan.spec} />
      {plan.family === 'wgmma' ? (
        <Disclosure summary={t('Shared-memory swizzle')}>
          {() => <Swizzles wgmma={plan.wgmma} />}
        </Disclosure>
      ) : null}
      <Disclosure summary={t('Fragment layout by lane')}>
        {() => <Fragments plan={plan} />}
      </Disclosure>
      <PipelineTimeline {...props} />
    </>
  );
}

export const PipelineTimeline = ({
  kernel: { plan },
  device,
  analysis,
}: TensorDetailsProps): VNode =>
  plan.family === 'wgmma' ? (
    <Disclosure summary={t('Pipeline timeline')}>
      {() => <Pipeline plan={plan} device={device} />}
    </Disclosure>
  ) : (
    <PipelineOfStages plan={plan} device={device} analysis={analysis} />
  );

const usesWgmma = (plan: Plan): boolean =>
  plan.family === 'wgmma' && plan.wgmma.instruction === 'wgmma';

function Swizzles({ wgmma }: { readonly wgmma: WgmmaPlan }): VNode {
  const pictures = useMemo(() => swizzlePictures(wgmma), [wgmma]);
  return (
    <div class="later">
      <p class="hint">
        {t(
          'Each cell shows line.chunk; a chunk is 16 bytes. Eight lines of one chunk are read together. Cells of the selected chunk are marked; each marked cell in a column requires a separate pass.',
        )}
      </p>
      {pictures.map(picture => (
        <SwizzleGrid key={picture.matrix} picture={picture} />
      ))}
    </div>
  );
}

function Fragments({ plan }: { readonly plan: Plan }): VNode {
  const maps = useMemo(() => fragmentMaps(plan), [plan]);
  return (
    <div class="later">
      <p class="hint">
        {usesWgmma(plan)
          ? t(
              'Each cell shows lane.register, with 32-bit registers. A and B have no fragments: wgmma reads them from shared memory.',
            )
          : t('Each cell shows lane.register, with 32-bit registers.')}
      </p>
      {maps.map(map => (
        <FragmentGrid key={map.matrix} map={map} />
      ))}
    </div>
  );
}

function Pipeline({ plan, device }: { readonly plan: Plan; readonly device: Device }): VNode {
  const picture = useMemo(() => pipelinePicture(plan, device), [plan, device]);
  return (
    <div class="later">
      {picture === null ? (
        <p class="hint">
          {usesWgmma(plan)
            ? t('No peak rate or clock is published for this device, so no times are available.')
            : t('The time model was fitted to wgmma, so no times are available.')}
        </p>
      ) : (
        <PipelineChart picture={picture} />
      )}
    </div>
  );
}
