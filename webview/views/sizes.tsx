/**
 * Size-sweep section: swept dimension, plotted quantity, nearby sizes with a higher rate or
 * efficiency, and the table.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import { balanceText } from '../../src/core/occupancy/waves';
import type { Chart } from '../../src/core/charts/chart';
import { captioned } from '../../src/core/charts/chartCaption';
import { pictureLines } from '../../src/core/charts/pictureLines';
import { xyChart, type XyData } from '../../src/core/charts/xyChart';
import { findDevice, type Device } from '../../src/core/hardware/devices';
import type { Measurement } from '../../src/core/measure/measurement';
import type { Plan } from '../../src/core/plan/plan';
import { measuredSizes } from '../../src/core/search/sweep/measuredSizes';
import type { Sizes as ProblemSizes } from '../../src/core/search/sweep/resized';
import {
  AXES,
  presentSize,
  sizeSweep,
  sweepInputOf,
  type Axis,
  type SweepPoint,
} from '../../src/core/search/sweep/sweep';
import {
  betterSizes,
  defaultRange,
  tileBoundarySizes,
  type BetterSize,
  type Range,
} from '../../src/core/search/sweep/sweepSizes';
import { useAfterPaint } from '../afterPaint';
import { formatNumber, formatPercent, formatRate } from '../format';
import { Button, Select } from '../kit';
import { svgOf } from '../picture';
import { Disclosure } from './disclosure';
import { OriginTag, Table } from './figure';
import { RangeFields } from './rangeFields';
import { FoldedSave } from './savePicture';
import { SizeSweepChart } from './sizeSweepChart';
import { axisName, rounded, sweepData, type Quantity } from './sweepData';
import { NO_RANGE, rangeOf } from './sweepRange';

export interface SizesProps {
  readonly analysis: Analysis;
  readonly plan: Plan;
  readonly device: Device;
  readonly runs: readonly (readonly Measurement[])[];
  readonly onSet: (sizes: ProblemSizes, words: string) => void;
}

export function Sizes(props: SizesProps): VNode | null {
  const { analysis, plan, runs, onSet } = props;
  const [axis, setAxis] = useState<Axis>('m');
  const [wanted, setWanted] = useState<Quantity>('rate');
  const own = useSteadyRange(plan, axis);
  const [written, setWritten] = useState(NO_RANGE);
  const drawn = useRef(own);
  drawn.current = rangeOf(written, own) ?? drawn.current;
  const range = useStable(drawn.current);
  // Occupancy affects the curve only through registers and shared memory per block.
  const registers = analysis.occupancy?.registers.value;
  const shared = analysis.occupancy?.sharedBytes.value;
  const [kept, local] = runs;
  const input = useMemo(
    () => ({ analysis, plan, axis, range, runs: [...(kept ?? []), ...(local ?? [])] }),
    [plan, analysis.device, registers, shared, axis, range, kept, local],
  );
  const { value, stale } = useAfterPaint(input, swept);
  if (value === null) return null;
  const { sweep, better, measured } = value;
  const quantity = sweep.calibratedOn === null ? 'efficiency' : wanted;
  const set = ({ size, sizes }: SweepPoint) => {
    onSet(sizes, `${axisName(sweep.axis)} → ${formatNumber(size)}`);
  };
  return (
    <div class="later sizes" aria-busy={stale}>
      <h3>
        {t('Size sweep')} <OriginTag from="derived" />
      </h3>
      <div class="choices">
        <Select
          id="sweep-axis"
          label={t('Swept dimension')}
          value={axis}
          choices={AXES.map(each => ({ value: each, label: t('over {0}', axisName(each)) }))}
          onChoose={chosen => {
            setAxis(AXES.find(each => each === chosen) ?? 'm');
            setWritten(NO_RANGE);
          }}
        />
        {sweep.calibratedOn === null ? null : (
          <Select
            id="sweep-quantity"
            label={t('Plotted quantity')}
            value={quantity}
            choices={[
              { value: 'rate', label: t('Predicted rate') },
              { value: 'efficiency', label: t('Efficiency') },
            ]}
            onChoose={chosen => {
              setWanted(chosen === 'efficiency' ? 'efficiency' : 'rate');
            }}
          />
        )}
        <RangeFields {...{ written, own }} onWrite={setWritten} />
      </div>
      {sweep.points.length + measured.length > 0 ? null : (
        <p class="hint">{t('No size in this range has the alignment of the current size.')}</p>
      )}
      <SizeSweepChart {...{ sweep, quantity, measured, onSet: set }} />
      <FoldedSave
        picture={{
          name: 'size-sweep',
          svg: svgOf(() =>
            sweepPicture(plan, analysis.device, sweepData({ sweep, quantity, measured })),
          ),
        }}
      />
      <Better axis={sweep.axis} better={better} onSet={set} />
      <p class="hint">{hintOf(sweep.calibratedOn, analysis.device)}</p>
      <Disclosure summary={t('Sizes as table')}>
        {() => <SizeTable axis={sweep.axis} points={sweep.points} />}
      </Disclosure>
    </div>
  );
}

/** Size in pixels of a saved chart. */
const SAVED = { width: 800, height: 360 };

function sweepPicture({ spec }: Plan, device: string, data: XyData | null): Chart {
  if (data === null) return { ...SAVED, title: '', marks: [] };
  const isMeasured = data.points.some(({ role }) => role === 'measured');
  return captioned(xyChart(data, SAVED), {
    title: data.title,
    lines: pictureLines(spec, findDevice(device)?.name ?? device),
    legend: [
      { role: 'curve', text: data.y.title },
      { role: 'current', shape: 'dot', text: t('current size') },
      ...(isMeasured
        ? [
            {
              role: 'measured',
              shape: 'circle',
              text: t('measured, with 95 % interval'),
            } as const,
          ]
        : []),
    ],
  });
}

function swept({
  analysis,
  plan,
  axis,
  range,
  runs,
}: {
  readonly analysis: Analysis;
  readonly plan: Plan;
  readonly axis: Axis;
  readonly range: Range;
  readonly runs: readonly Measurement[];
}) {
  const input = sweepInputOf(analysis, plan);
  if (input === null) return null;
  const sweep = sizeSweep(input, axis, tileBoundarySizes(plan, axis, range));
  const made = measuredSizes({ plan, device: analysis.device, axis, runs }).filter(
    ({ size }) => size >= range.from && size <= range.to,
  );
  const { points } = sizeSweep(
    input,
    axis,
    made.map(({ size }) => size),
  );
  const measured = made.flatMap(run => {
    const point = points.find(({ size }) => size === run.size);
    return point === undefined ? [] : [{ run, point }];
  });
  return { sweep, better: betterSizes(sweep), measured };
}

function useStable(range: Range): Range {
  return useMemo(() => range, [range.from, range.to]);
}

/**
 * Returns the previous range unless the axis changed or the current size is near an end of the
 * range. Setting a size therefore does not shift the chart.
 */
function useSteadyRange({ spec: { problem } }: Plan, axis: Axis): Range {
  const held = useRef<{ readonly axis: Axis; readonly range: Range } | null>(null);
  const own = defaultRange(problem, axis);
  const present = presentSize(problem, axis) ?? own.to / 2;
  const last = held.current;
  const inside =
    last !== null &&
    last.axis === axis &&
    present >= last.range.from * 1.25 &&
    present <= last.range.to * 0.8;
  if (!inside) held.current = { axis, range: own };
  return held.current?.range ?? own;
}

const hintOf = (calibratedOn: string | null, device: string): string => {
  const same = t('Same schedule and alignment. Click a size to set it.');
  if (calibratedOn === null || calibratedOn === device) return same;
  return `${same} ${t('The time model is calibrated on {0}.', calibratedOn)}`;
};

interface BetterProps {
  readonly axis: Axis;
  readonly better: ReturnType<typeof betterSizes>;
  readonly onSet: (point: SweepPoint) => void;
}

function Better({ axis, better: { up, down }, onSet }: BetterProps): VNode | null {
  const all = [down, up].filter(better => better !== null);
  if (all.length === 0) return null;
  return (
    <ul class="edits" aria-label={t('Better nearby sizes')}>
      {all.map(better => (
        <li key={better.point.size}>
          <p id={`better-${better.point.size}`}>{betterText(axis, better, better === up)}</p>
          <Button
            describedBy={`better-${better.point.size}`}
            onPress={() => {
              onSet(better.point);
            }}
          >
            {t('Set size')}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function betterText(axis: Axis, { point, gain }: BetterSize, larger: boolean): string {
  const balance = t('load balance {0}', balanceText(point.balance));
  const more = `+${formatPercent(Number(gain.toPrecision(2)))}`;
  const name = `${axisName(axis)} = ${formatNumber(point.size)}`;
  return larger
    ? t('{0} is the next larger size that performs better: {1}, gain {2}.', name, balance, more)
    : t('{0} is the next smaller size that performs better: {1}, gain {2}.', name, balance, more);
}

const SizeTable = ({
  axis,
  points,
}: {
  readonly axis: Axis;
  readonly points: readonly SweepPoint[];
}): VNode => (
  <Table
    caption={t('Sizes just below and above each tile boundary')}
    columns={[
      axisName(axis),
      t('blocks'),
      t('waves'),
      t('last wave'),
      t('load balance'),
      t('padding'),
      t('efficiency'),
      t('predicted'),
    ]}
    numeric={[0, 1, 2, 3, 4, 5, 6, 7]}
    rows={points.map(point => [
      formatNumber(point.size),
      formatNumber(point.tiles),
      formatNumber(point.waves),
      formatNumber(point.tailBlocks),
      balanceText(point.balance),
      rounded(point.paddingFlopFraction),
      rounded(point.efficiency),
      point.predicted === null ? '' : formatRate(point.predicted.tflops * 1000),
    ])}
  />
);
