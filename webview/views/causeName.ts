/** Names of the causes of lost time. */
import { t } from '@vscode/l10n';
import type { LossStep } from '../../src/core/roofline/waterfall';

export const causeName = (cause: LossStep['cause']): string =>
  ({
    latency: t('exposed load latency'),
    fragments: t('fragment load latency'),
    barriers: t('synchronization'),
    instruction: t('MMA instruction rate'),
    'load-store': t('loads and stores'),
    copies: t('asynchronous copies'),
    conflicts: t('bank conflicts'),
    spills: t('register spills'),
    waves: t('wave quantization'),
    padding: t('tile quantization'),
    l2: t('L2 bandwidth'),
    dram: t('DRAM bandwidth'),
    launch: t('kernel launches'),
    power: t('power limit'),
    narrow: t('shared-memory bandwidth'),
    promotion: t('FP32 promotion'),
    stores: t('exposed epilogue'),
    start: t('prologue and drain'),
    before: t('pre-pass kernels'),
    reduction: t('split-K reduction'),
    rest: t('other modeled time'),
    unexplained: t('not explained by the model'),
  })[cause];
