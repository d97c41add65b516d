/** Tensor cores: how tiles lie in shared memory, which lane holds what, and the pipeline in time. Drawn when opened. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import { fragmentMaps } from '../../src/core/charts/fragmentMap';
import { pipelinePicture } from '../../src/core/charts/pipelinePicture';
import { swizzlePictures } from '../../src/core/charts/swizzlePicture';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Plan, WgmmaPlan } from '../../src/core/plan/plan';
import { Disclosure } from './disclosure';
import { FragmentGrid } from './fragmentGrid';
import { PipelineChart } from './pipelineChart';
import { PipelineOfStages } from './stageChart';
import { SwizzleGrid } from './swizzleGrid';

export interface TensorDetailsProps {
  readonly kernel: Kernel;
  readonly device: Device;
  readonly analysis: Analysis;
}

export function TensorDetails({ kernel: { plan }, device, analysis }: TensorDetailsProps): VNode {
  return (
    <>
      {plan.family === 'wgmma' ? (
        <Disclosure summary={t('Tiles in shared memory: the swizzle')}>
          {() => <Swizzles wgmma={plan.wgmma} />}
        </Disclosure>
      ) : null}
      <Disclosure summary={t('Fragments: which lane holds which element')}>
        {() => <Fragments plan={plan} />}
      </Disclosure>
      {plan.family === 'wgmma' ? (
        <Disclosure summary={t('The pipeline in time')}>
          {() => <Pipeline plan={plan} device={device} />}
        </Disclosure>
      ) : (
        <PipelineOfStages plan={plan} device={device} analysis={analysis} />
      )}
    </>
  );
}

function Swizzles({ wgmma }: { readonly wgmma: WgmmaPlan }): VNode {
  const pictures = useMemo(() => swizzlePictures(wgmma), [wgmma]);
  return (
    <div class="later">
      <p class="hint">
        {t(
          'A cell names a line of the tile, and after the dot a chunk of 16 bytes of it. Eight lines of one chunk are read at a time. The cells of a chunk that is chosen are marked: as many as are in the same column need as many passes.',
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
        {plan.family === 'wgmma'
          ? t(
              'A cell names the lane, and after the dot its register of 32 bits. A and B have no fragments: the instruction reads them from shared memory.',
            )
          : t('A cell names the lane, and after the dot its register of 32 bits.')}
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
          {t('No peak or clock of this device is published, so there are no times.')}
        </p>
      ) : (
        <PipelineChart picture={picture} />
      )}
    </div>
  );
}
