/**
 * What bounds a kernel, in one sentence: by its traffic without caches, as tutorials count, and by the lowest roof of the
 * levels of memory, where caches count. `bound` of a roofline is by compulsory traffic, and no verdict on the kernel.
 */
import { t } from '@vscode/l10n';
import { rateText, significant } from '../text/numbers';
import type { Roofline } from '../roofline/contract';
import type { LevelRoof, LevelRoofline } from '../roofline/levelRoofline';
import type { Figure } from '../text/figure';

export interface Verdict {
  /** Of the machine that both sentences are about. */
  readonly machine: string;
  /** The kernel ratio against the device ratio; unknown where one of them is. */
  readonly withoutCaches: Roofline['bound'];
  /** The level with the lowest roof, or `compute`; null where no levels are modeled for the machine. */
  readonly limitedBy: LevelRoofline['limitedBy'] | null;
  /** TFLOP/s under the lowest roof, else what compulsory traffic allows. */
  readonly attainable: Figure;
  readonly text: string;
}

/** Of a roofline and the levels of the same machine. */
export function verdictOf(roofline: Roofline, given: LevelRoofline | null): Verdict {
  const { machine, kernelRatio, deviceRatio } = roofline;
  const levels = given?.machine === machine ? given : null;
  const isKnown = Number.isFinite(kernelRatio.value) && Number.isFinite(deviceRatio.value);
  const withoutCaches = !isKnown
    ? 'unknown'
    : kernelRatio.value < deviceRatio.value
      ? 'memory'
      : 'compute';
  const attainable = levels?.attainable ?? roofline.attainable;
  const parts = [...ratioText(roofline, withoutCaches), ...limitText(roofline, levels)];
  const text = parts.length === 0 ? t('Bound unknown') : parts.join('; ');
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
      ? t('with caches, the peak of its arithmetic units limits it to {0}', rate)
      : t('with caches, {0} limits it to {1}', levelText(lowest), rate),
  ];
}

function levelText({ level, arriving }: LevelRoof): string {
  if (arriving === true) return t('the arrival of tiles');
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
