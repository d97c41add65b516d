/** Waterfall of time: one row per loss, from the peak to the prediction and the newest run. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { LossStep, Waterfall } from '../../src/core/roofline/waterfall';
import { formatMilliseconds, formatPercent, formatRate } from '../format';
import { causeName } from './causeName';

interface Row {
  readonly key: string;
  readonly name: string;
  readonly kind: 'level' | 'loss' | 'gain' | 'measured';
  /** Start and end of the bar in milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

export function WaterfallRows({ of }: { readonly of: Waterfall }): VNode {
  const rows = rowsOf(of);
  const whole = Math.max(...rows.map(({ to }) => to));
  return (
    <ol class="waterfall" aria-label={t('Time from the peak to the prediction')}>
      {rows.map(({ key, name, kind, from, to, value }) => (
        <li key={key} class={kind}>
          <b>{name}</b>
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect
              x={(100 * from) / whole}
              y={0}
              width={Math.max(0.4, (100 * (to - from)) / whole)}
              height={10}
            />
          </svg>
          <span class="number">{value}</span>
        </li>
      ))}
    </ol>
  );
}

function rowsOf({ peak, roof, falls, predicted, measured }: Waterfall): readonly Row[] {
  const level = (
    key: string,
    name: string,
    at: Waterfall['roof'],
    kind: Row['kind'] = 'level',
  ) => ({
    key,
    name,
    kind,
    from: 0,
    to: at.milliseconds,
    value: `${formatRate(at.tflops * 1000)}, ${formatMilliseconds(at.milliseconds)}`,
  });
  let reached = roof.milliseconds;
  const losses = falls.map(({ cause, milliseconds, share }): Row => {
    const from = reached;
    reached += milliseconds;
    const value = `+${formatMilliseconds(milliseconds)} (${shareText(share)})`;
    return { key: cause, name: causeName(cause), kind: 'loss', from, to: reached, value };
  });
  return [
    level('peak', t('peak'), peak),
    ...(roof.milliseconds <= peak.milliseconds
      ? []
      : [
          {
            key: 'traffic',
            name: t('compulsory DRAM traffic'),
            kind: 'loss' as const,
            from: peak.milliseconds,
            to: roof.milliseconds,
            value: `+${formatMilliseconds(roof.milliseconds - peak.milliseconds)}`,
          },
        ]),
    ...losses,
    level('predicted', t('predicted'), predicted),
    ...(measured === null
      ? []
      : [
          unexplained(measured.unexplained, predicted.milliseconds, measured.milliseconds),
          level('measured', t('measured'), measured, 'measured'),
        ]),
  ];
}

function unexplained({ milliseconds, share }: LossStep, predicted: number, measured: number): Row {
  const sign = milliseconds < 0 ? '−' : '+';
  return {
    key: 'unexplained',
    name: causeName('unexplained'),
    kind: milliseconds < 0 ? 'gain' : 'loss',
    from: Math.min(predicted, measured),
    to: Math.max(predicted, measured),
    value: `${sign}${formatMilliseconds(Math.abs(milliseconds))} (${shareText(Math.abs(share))})`,
  };
}

const shareText = (share: number): string =>
  share < 0.01 ? '< 1 %' : formatPercent(Math.round(share * 100) / 100);
