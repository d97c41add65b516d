/** Reasons that are no quantities: what is on its way while something is multiplied, and what warp groups do of it. */
import { t } from '@vscode/l10n';
import { pipelineOf } from '../../plan/steps';
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
  const reason = (isMore: boolean, text: string): Reason => ({
    ...({ kind: 'overlap', factor: 1, text } as const),
    effect: isMore ? 'better' : 'worse',
  });
  const stages =
    was.stages === 1
      ? t('the next tile is on its way while one is multiplied: {0} stages', is.stages)
      : t('stages {0} → {1}', was.stages, is.stages);
  const fragments =
    (is.buffers ?? 1) > (was.buffers ?? 1)
      ? t('fragments of the next depth are loaded while those of one are multiplied')
      : t('fragments are loaded when they are needed, not a depth ahead');
  return [
    ...(was.stages === is.stages ? [] : [reason(is.stages > was.stages, stages)]),
    // Warp groups hold no fragments.
    ...(was.buffers === undefined || is.buffers === undefined || was.buffers === is.buffers
      ? []
      : [reason(is.buffers > was.buffers, fragments)]),
  ];
}

/** What is new of warp groups: none of it is undone by a rung. */
export function warpGroups(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before, after].map(({ kernel: { plan } }) =>
    plan.family === 'wgmma' ? plan.wgmma : undefined,
  );
  if (is === undefined) return [];
  const blocks = (of: typeof is): number => of.cluster.m * of.cluster.n;
  const texts = [
    ...(was === undefined
      ? [t('a warp group copies by TMA, so that those that multiply spend no instructions on it')]
      : []),
    ...(is.consumers > (was?.consumers ?? 1) ? [t('{0} warp groups multiply', is.consumers)] : []),
    ...(blocks(is) > (was === undefined ? 1 : blocks(was))
      ? [t('{0} blocks share what they load by multicast', blocks(is))]
      : []),
    ...(is.kernelSchedule === 'pingpong' && was?.kernelSchedule !== 'pingpong'
      ? [t('one tile is stored while another is multiplied')]
      : []),
  ];
  return texts.map(text => ({ kind: 'warp-groups', effect: 'better', factor: 1, text }));
}
