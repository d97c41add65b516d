/** Roofs of every level of memory and unit: what of them the chart draws, the lowest of them, and all of them as a table. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import { drawnRoofs, roofItem, type RoofKey } from '../../src/core/charts/drawnRoofs';
import {
  rooflineOfLevels,
  type ComputeUnit,
  type LevelRoof,
  type LevelRoofline,
  type RoofAt,
} from '../../src/core/roofline/levelRoofline';
import type { DrawnRoof } from '../../src/core/charts/rooflineAxes';
import { ROOFED_LEVELS, type Bandwidth } from '../../src/core/hardware/bandwidth';
import { verdictOf } from '../../src/core/report/verdict';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { useAfterPaint } from '../afterPaint';
import { formatMilliseconds, formatNumber, formatPercent, formatRate } from '../format';
import { Disclosure } from './disclosure';
import { FigureText, OriginTag, Table } from './figure';
import { levelName, roofLevelName } from './levelName';
import type { Item } from './rooflineReadout';
import type { Figure } from '../../src/core/text/figure';
import type { Roofline } from '../../src/core/roofline/contract';

/** What the chart draws of it, and what each says of itself. */
export interface Roofs {
  /** That they are of. */
  readonly machine: string;
  readonly drawn: readonly DrawnRoof[];
  readonly items: readonly Item[];
  /** Switched off. */
  readonly hidden: readonly RoofKey[];
  /** Of an earlier kernel: on its way out. */
  readonly stale: boolean;
}

export interface RooflineLevelsProps {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  readonly device: Device;
  /** The one that is shown, which may be another machine's. */
  readonly roofline: Roofline;
  readonly onRoofs: (roofs: Roofs | null) => void;
}

export function RooflineLevels(props: RooflineLevelsProps): VNode | null {
  const { kernel, analysis, device, roofline, onRoofs } = props;
  const [off, setOff] = useState<readonly RoofKey[]>([]);
  const { prediction, waves } = analysis;
  const newest = roofline.points.findLast(({ kind }) => kind === 'measured');
  const input = useMemo(
    () => ({ kernel, analysis, device, roofline }),
    [
      kernel,
      device,
      roofline.machine,
      waves?.blocksPerWave,
      prediction?.tflops.value,
      newest?.tflops,
      roofline.ceilings.map(({ value }) => value).join(' '),
    ],
  );
  const { value, stale } = useAfterPaint(input, roofsOf);
  useEffect(() => {
    if (value === null) {
      onRoofs(null);
      return;
    }
    const switches = switchesOf(value);
    const shown = switches.filter(({ key }) => !off.includes(key));
    // What another kernel left idle, and this one uses, is not hidden.
    const hidden = switches.map(({ key }) => key).filter(key => off.includes(key));
    const keys = shown.map(({ key }) => key);
    const items = shown.map(({ key, name, facts }) => ({ key: roofItem(key), name, facts }));
    onRoofs({ machine: value.machine, drawn: drawnRoofs(value, keys), stale, hidden, items });
  }, [value, stale, off]);
  useEffect(
    () => () => {
      onRoofs(null);
    },
    [],
  );
  if (roofline.machine !== device.name) {
    return (
      <p>
        {verdictOf(roofline, null).text}{' '}
        <span class="hint">
          {t('Roofs of levels of memory are modeled for {0} alone.', device.name)}
        </span>
      </p>
    );
  }
  if (value === null) return null;
  return (
    <div class={stale ? 'later stale' : 'later'} aria-busy={stale}>
      <fieldset class="roofs">
        <legend>{t('Roofs in the chart')}</legend>
        {switchesOf(value).map(({ key, name }) => (
          <label key={key} class="check">
            <input
              type="checkbox"
              checked={!off.includes(key)}
              onChange={({ currentTarget: { checked } }) => {
                setOff(checked ? off.filter(other => other !== key) : [...off, key]);
              }}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <p>
        {boundText(value, roofline)} <OriginTag from="derived" />
      </p>
      <Disclosure summary={t('Roof of each level of memory, and where the units turn')}>
        {() => <LevelTables {...value} />}
      </Disclosure>
    </div>
  );
}

const roofsOf = ({ kernel, analysis, device, roofline }: Omit<RooflineLevelsProps, 'onRoofs'>) =>
  rooflineOfLevels(kernel, device, { ...analysis, roofline });

interface Switch {
  readonly key: RoofKey;
  readonly name: string;
  /** What the chart's readout says of it beside its name. */
  readonly facts: readonly string[];
}

/** What can be switched: roofs that are known of levels, and the unit that the kernel does not use. */
const switchesOf = ({ levels, units }: LevelRoofline): readonly Switch[] => [
  ...levels
    .filter(({ roof }) => roof !== undefined)
    .map(level => ({ key: level.level, name: roofName(level), facts: levelFacts(level) })),
  ...units
    .filter(({ used }) => !used)
    .map(unit => ({ key: unit.unit, name: unitName(unit), facts: idleFacts(unit) })),
];

const roofName = (roof: LevelRoof): string =>
  roof.asWritten === true ? t('{0}, as written', roofLevelName(roof)) : roofLevelName(roof);

/** The verdict with its lowest roof, and what of that is predicted and measured. */
function boundText(of: LevelRoofline, roofline: Roofline): string {
  const { reached, levels } = of;
  const bound = verdictOf(roofline, of).text;
  const { predicted, measured } = reached;
  const predictedText =
    predicted === null ? '' : ` ${t('Predicted: {0} of it.', formatPercent(rounded(predicted)))}`;
  const measuredText =
    measured === null ? '' : ` ${t('Measured: {0} of it.', formatPercent(rounded(measured)))}`;
  const written = levels.find(({ asWritten, bound }) => asWritten === true && bound === 'memory');
  const writtenText =
    written?.roof === undefined
      ? ''
      : ` ${t(
          'As its loads are written, shared memory allows {0}; the compiler joins some.',
          formatRate(written.roof.value * 1000),
        )}`;
  return `${bound}${predictedText}${measuredText}${writtenText}`;
}

const rounded = (share: number): number => Number(share.toPrecision(3));

const idleFacts = ({ unit, peak }: ComputeUnit): readonly string[] => [
  formatRate(peak.value * 1000),
  t('compute ceiling'),
  unit === 'fma'
    ? t('this kernel multiplies on tensor cores')
    : t('no instruction of this kernel uses them'),
];

function levelFacts({ bandwidths, intensity, roof, bound, reached }: LevelRoof): readonly string[] {
  const [own] = bandwidths;
  if (own === undefined || roof === undefined) return [];
  const rate = formatRate(roof.value * 1000);
  const { predicted = null, measured = null } = reached ?? {};
  return [
    t('allows {0} at {1} FLOP/B', rate, formatNumber(intensity.value)),
    bound === 'memory' ? t('below the peak') : t('the peak'),
    ...(predicted === null ? [] : [t('predicted: {0} of it', formatPercent(rounded(predicted)))]),
    ...(measured === null ? [] : [t('measured: {0} of it', formatPercent(rounded(measured)))]),
    `${formatNumber(own.GBps)} GB/s`,
    ...(own.from === 'spec' ? [] : [own.origin]),
  ];
}

function unitName({ unit, dtype, used }: ComputeUnit): string {
  if (unit === 'fma')
    return used ? t('multiply-adds in {0}', dtype) : t('FMA units in {0}, not used', dtype);
  return used ? t('tensor cores in {0}', dtype) : t('tensor cores in {0}, not used', dtype);
}

const share = (of: number | null | undefined): string =>
  of === null || of === undefined ? '' : formatPercent(rounded(of));

const ridgeText = (ridge: Figure | undefined): string =>
  ridge === undefined ? '' : formatNumber(ridge.value);

/** A level by one of its bandwidths. */
const levelRow = (
  level: LevelRoof,
  { ridge, milliseconds, roof, reached }: Partial<RoofAt>,
  bandwidth: Bandwidth | undefined,
): readonly (string | VNode)[] => [
  roofName(level),
  bandwidth === undefined ? t('not known') : `${formatNumber(bandwidth.GBps)} GB/s`,
  <FigureText figure={level.intensity} />,
  ridge === undefined ? '' : <FigureText figure={ridge} />,
  milliseconds === undefined ? '' : formatMilliseconds(milliseconds.value),
  roof === undefined ? '' : <FigureText figure={roof} />,
  share(reached?.predicted),
  share(reached?.measured),
  bandwidth === undefined ? (
    t('neither published nor measured')
  ) : (
    <>
      <OriginTag from={bandwidth.from} />{' '}
      {bandwidth.from === 'spec' ? t('datasheet') : bandwidth.origin}
    </>
  ),
];

function LevelTables({ levels, units }: LevelRoofline): VNode {
  const known = ROOFED_LEVELS.filter(level => units.some(({ ridges }) => level in ridges));
  return (
    <div class="later">
      <Table
        caption={t('Roof of each level of memory')}
        columns={[
          t('level'),
          t('bandwidth'),
          t('intensity'),
          t('ridge point'),
          t('time alone'),
          t('roof'),
          t('predicted, of the roof'),
          t('measured, of the roof'),
          t('how the bandwidth is known'),
        ]}
        numeric={[1, 2, 3, 4, 5, 6, 7]}
        rows={levels.flatMap(level => [
          levelRow(level, level, level.bandwidths[0]),
          ...(level.measured === undefined
            ? []
            : [levelRow(level, level.measured, level.measured.bandwidth)]),
        ])}
      />
      {levels.some(({ asWritten }) => asWritten === true) ? (
        <p class="hint">
          {t(
            'As written: this kernel loads less than 16 bytes a lane from shared memory, and the compiler joins neighbouring loads of an unrolled loop. So this roof is no bound; the compiled loop tells.',
          )}
        </p>
      ) : null}
      <Table
        caption={t('Ridge points: FLOP/B from which the unit bounds, not the level')}
        captionShown
        columns={[t('unit'), t('peak'), ...known.map(level => levelName(level))]}
        numeric={[1, ...known.map((_, index) => index + 2)]}
        rows={units.flatMap(unit =>
          [
            { peak: unit.peak, ridges: unit.ridges },
            { peak: unit.measured, ridges: unit.measuredRidges },
          ].flatMap(({ peak, ridges }) =>
            peak === undefined
              ? []
              : [
                  [
                    unitName(unit),
                    <FigureText figure={peak} />,
                    ...known.map(level => ridgeText(ridges?.[level])),
                  ],
                ],
          ),
        )}
      />
    </div>
  );
}
