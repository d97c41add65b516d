/** Derives qualitative reasons: overlap of loads with math, and warp specialization. */
import { t } from '@vscode/l10n';
import { pipelineOf } from '../../plan/steps';
import { isSpecialized } from '../../plan/wgmma/specialization';
import type { Demand } from './demand';
import type { Reason } from './reasons';

export function overlap(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before, after].map(({ kernel }) => {
    const { plan } = kernel;
    if (plan.family === 'wgmma') return { stages: plan.wgmma.stages, buffers: undefined };
    const { stages = 1, buffers = 1 } = pipelineOf(plan) ?? {};
    return { stages, buffers };
  });
  if (was === undefined || is === undefined) return [];
  const overlapReason = (isMore: boolean, text: string): Reason => ({
    ...({ kind: 'overlap', factor: 1, text } as const),
    effect: isMore ? 'better' : 'worse',
  });
  const stages =
    was.stages === 1
      ? t('prefetches the next tile while computing the current tile: {0} stages', is.stages)
      : t('stages {0} → {1}', was.stages, is.stages);
  const fragments =
    (is.buffers ?? 1) > (was.buffers ?? 1)
      ? t('fragments are loaded one k-step ahead of their FMAs')
      : t('fragments are loaded on demand, not one k-step ahead');
  return [
    ...(was.stages === is.stages ? [] : [overlapReason(is.stages > was.stages, stages)]),
    // Warp-group kernels have no fragment buffers.
    ...(was.buffers === undefined || is.buffers === undefined || was.buffers === is.buffers
      ? []
      : [overlapReason(is.buffers > was.buffers, fragments)]),
  ];
}

/** Reports added warp-group features; later rungs never remove a feature. */
export function warpGroups(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before, after].map(({ kernel: { plan } }) =>
    plan.family === 'wgmma' ? plan.wgmma : undefined,
  );
  if (is === undefined) return [];
  const blocks = (of: typeof is): number => of.cluster.m * of.cluster.n;
  const texts = [
    ...(was === undefined
      ? [
          is.instruction === 'mma'
            ? t('one thread loads tiles with TMA, so warps spend no instructions on copies')
            : t(
                'one thread loads tiles with TMA, and MMAs read them from shared memory without fragment loads',
              ),
        ]
      : []),
    ...(was?.instruction === 'mma' && is.instruction === 'wgmma'
      ? [t('wgmma reads tiles from shared memory, without fragment loads into registers')]
      : []),
    ...(isSpecialized(is) && (was === undefined || !isSpecialized(was))
      ? [
          t(
            'a producer warp group loads tiles with TMA, so consumers spend no instructions on copies',
          ),
        ]
      : []),
    ...(is.consumers > (was?.consumers ?? 1) ? [t('{0} consumer warp groups', is.consumers)] : []),
    ...(blocks(is) > (was === undefined ? 1 : blocks(was))
      ? [t('{0} blocks share loads through multicast', blocks(is))]
      : []),
    ...(is.kernelSchedule === 'pingpong' && was?.kernelSchedule !== 'pingpong'
      ? [t('the epilogue of one tile overlaps the main loop of another tile')]
      : []),
  ];
  return texts.map(text => ({ kind: 'warp-groups', effect: 'better', factor: 1, text }));
}
