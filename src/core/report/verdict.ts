/**
 * States what limits a kernel: first without caches, then with caches. `Roofline.bound` assumes
 * compulsory traffic and does not describe the kernel.
 */
import { t } from '@vscode/l10n';
import { rateText, significant } from '../text/numbers';
import type { Roofline } from '../roofline/contract';
import type { LevelCeiling, LevelRoofline } from '../roofline/levelRoofline';
import type { Figure } from '../text/figure';

export interface Verdict {
  readonly machine: string;
  /**
   * `memory` if the kernel's arithmetic intensity without caches is below the ridge point;
   * `unknown` if either value is unknown.
   */
  readonly withoutCaches: Roofline['bound'];
  /**
   * Memory level with the lowest ceiling, or `compute`; null without a level roofline of this
   * machine.
   */
  readonly limitedBy: LevelRoofline['limitedBy'] | null;
  /** TFLOP/s at the lowest ceiling; without levels, the roofline limit for compulsory traffic. */
  readonly attainable: Figure;
  readonly text: string;
}

/** Ignores `levelRoofline` if it describes a different machine. */
export function verdictOf(roofline: Roofline, levelRoofline: LevelRoofline | null): Verdict {
  const { machine, kernelRatio, deviceRatio } = roofline;
  const levels = levelRoofline?.machine === machine ? levelRoofline : null;
  const isKnown = Number.isFinite(kernelRatio.value) && Number.isFinite(deviceRatio.value);
  const withoutCaches = !isKnown
    ? 'unknown'
    : kernelRatio.value < deviceRatio.value
      ? 'memory'
      : 'compute';
  const attainable = levels?.attainable ?? roofline.attainable;
  const sentences = [...ratioText(roofline, withoutCaches), ...limitText(roofline, levels)];
  const text = sentences.length === 0 ? t('Bound unknown') : sentences.join('; ');
  return {
    machine,
    withoutCaches,
    attainable,
    text: `${text}.`,
    limitedBy: levels?.limitedBy ?? null,
  };
}

function ratioText(
  { kernelRatio, deviceRatio }: Roofline,
  bound: Roofline['bound'],
): readonly string[] {
  const [kernel, device] = [kernelRatio, deviceRatio].map(({ value }) => significant(value));
  switch (bound) {
    case 'memory':
      return [t('Memory bound without caches ({0} < {1} FLOP/B)', kernel ?? '', device ?? '')];
    case 'compute':
      return [t('Compute bound without caches ({0} >= {1} FLOP/B)', kernel ?? '', device ?? '')];
    case 'unknown':
      return [];
  }
}

function limitText({ attainable }: Roofline, levels: LevelRoofline | null): readonly string[] {
  if (levels === null) {
    return Number.isFinite(attainable.value)
      ? [t('with each operand read once, the roofline allows {0}', rateText(attainable.value))]
      : [];
  }
  const rate = rateText(levels.attainable.value);
  const lowest = levels.levels.find(({ level }) => level === levels.limitedBy);
  return [
    lowest === undefined
      ? t('with caches, the compute peak limits the kernel to {0}', rate)
      : t('with caches, {0} limits the kernel to {1}', levelText(lowest), rate),
  ];
}

function levelText({ level, arriving }: LevelCeiling): string {
  if (arriving === true) return t('TMA tile delivery');
  switch (level) {
    case 'shared':
      return t('shared memory');
    case 'l1':
      return 'L1';
    case 'l2':
      return 'L2';
    case 'dram':
      return 'DRAM';
  }
}
