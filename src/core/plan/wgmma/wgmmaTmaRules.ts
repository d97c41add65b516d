/**
 * Legality of `kernelSchedule` `tma`: one warp group loads and multiplies, without clusters,
 * split-K and FP32 emulation.
 */
import { t } from '@vscode/l10n';
import type { ShapeRule } from '../rules/rule';
import { isSpecialized } from './specialization';
import type { WgmmaPlan } from './wgmmaPlan';
import { wgmmaRule as rule } from './wgmmaRule';

/** Returns the schedule that supports what `tma` does not. */
const insteadOf = ({ instruction }: WgmmaPlan): string =>
  instruction === 'mma' ? t('wgmma with kernelSchedule cooperative') : 'cooperative';

const oneWarpGroup = rule('consumers', ({ wgmma }) => {
  if (isSpecialized(wgmma) || wgmma.consumers === 1) return [];
  const message = t(
    'With kernelSchedule tma, one warp group loads and multiplies: consumers must be 1, not {0}. Fix: set consumers to 1, or use {1}.',
    wgmma.consumers,
    insteadOf(wgmma),
  );
  return [{ path: 'schedule.consumers', message, nearest: 1 }];
});

const oneBlock = rule('cluster', ({ wgmma }) => {
  const { cluster } = wgmma;
  if (isSpecialized(wgmma) || cluster.m * cluster.n === 1) return [];
  const message = t(
    'kernelSchedule tma does not support clusters; got {0} x {1}. Fix: set cluster to 1 x 1, or use {2}.',
    cluster.m,
    cluster.n,
    insteadOf(wgmma),
  );
  return [{ path: 'schedule.cluster', message, nearest: { m: 1, n: 1 } }];
});

const oneSlice = rule('split-k', ({ spec: { schedule }, wgmma }) => {
  if (isSpecialized(wgmma) || (schedule.splitK ?? 1) === 1) return [];
  const message = t(
    'kernelSchedule tma does not support split-K. Fix: remove splitK, or use {0}.',
    insteadOf(wgmma),
  );
  return [{ path: 'schedule.splitK', message, nearest: 1 }];
});

const oneProduct = rule('fp32-emulation', ({ spec: { schedule }, wgmma }) => {
  if (isSpecialized(wgmma) || wgmma.fp32Emulation === undefined) return [];
  if (wgmma.instruction === 'mma') {
    const message = t(
      'kernelSchedule tma does not support FP32 emulation. Fix: remove kernelSchedule.',
    );
    const { split } = schedule;
    const nearest = { algorithm: 'mma', ...(split === undefined ? {} : { split }) };
    return [{ path: 'schedule', message, nearest }];
  }
  const message = t('kernelSchedule tma does not support FP32 emulation. Fix: use cooperative.');
  return [{ path: 'schedule.kernelSchedule', message, nearest: 'cooperative' }];
});

export const TMA_RULES: readonly ShapeRule[] = [oneWarpGroup, oneBlock, oneSlice, oneProduct];
