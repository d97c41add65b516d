/** Waterfall of time: one row per loss, from the peak to the prediction and the newest run. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { foldLosses, type LossStep, type Waterfall } from '../../src/core/roofline/waterfall';
import { formatNumber, formatPercent, formatRate, timeUnitOf, type TimeUnit } from '../format';
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
  const unit = timeUnitOf(of.predicted.milliseconds);
  const rows = rowsOf(of, unit);
  const whole = Math.max(...rows.map(({ to }) => to));
  return (
    <>
      <h3>{t('Time ({0}, % of gap)', unit.name)}</h3>
      <ol
        class="waterfall"
        aria-label={t('Time from the peak to the prediction in {0}', unit.name)}
      >
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
    </>
  );
}

function rowsOf(
  { peak, roof, falls, predicted, measured }: Waterfall,
  unit: TimeUnit,
): readonly Row[] {
  const timeText = (milliseconds: number): string => inUnit(milliseconds, unit);
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
    value: `${formatRate(at.tflops * 1000)}, ${timeText(at.milliseconds)}`,
  });
  const { shown, rest } = foldLosses(falls);
  let reached = roof.milliseconds;
  const lossRow = (key: string, name: string, { milliseconds, share }: Loss): Row => {
    const from = reached;
    reached += milliseconds;
    const value = `+${timeText(milliseconds)} (${shareText(share)})`;
    return { key, name, kind: 'loss', from, to: reached, value };
  };
  const losses = [
    ...shown.map(fall => lossRow(fall.cause, causeName(fall.cause), fall)),
    ...(rest.length === 0
      ? []
      : [lossRow('smaller', t('{0} smaller terms', rest.length), sumOf(rest))]),
  ];
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
            value: `+${timeText(roof.milliseconds - peak.milliseconds)}`,
          },
        ]),
    ...losses,
    level('predicted', t('predicted'), predicted),
    ...(measured === null
      ? []
      : [
          unexplained(measured.unexplained, predicted.milliseconds, measured.milliseconds, unit),
          level('measured', t('measured'), measured, 'measured'),
        ]),
  ];
}

type Loss = Pick<LossStep, 'milliseconds' | 'share'>;

const sumOf = (losses: readonly Loss[]): Loss => ({
  milliseconds: losses.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
  share: losses.reduce((sum, { share }) => sum + share, 0),
});

function unexplained(
  { milliseconds }: LossStep,
  predicted: number,
  measured: number,
  unit: TimeUnit,
): Row {
  const sign = milliseconds < 0 ? '−' : '+';
  return {
    key: 'unexplained',
    name: causeName('unexplained'),
    kind: milliseconds < 0 ? 'gain' : 'loss',
    from: Math.min(predicted, measured),
    to: Math.max(predicted, measured),
    value: `${sign}${inUnit(Math.abs(milliseconds), unit)}`,
  };
}

const inUnit = (milliseconds: number, unit: TimeUnit): string =>
  formatNumber(Number((milliseconds / unit.milliseconds).toPrecision(3)));

const shareText = (share: number): string =>
  share < 0.01 ? '< 1 %' : formatPercent(Math.round(share * 100) / 100);
