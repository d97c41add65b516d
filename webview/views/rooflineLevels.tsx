/**
 * Ceilings of every memory level and compute unit: switches for the chart, the binding ceiling, and
 * tables.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import { drawnCeilings, ceilingItem, type CeilingKey } from '../../src/core/charts/drawnCeilings';
import {
  rooflineOfLevels,
  type ComputeUnit,
  type LevelCeiling,
  type LevelRoofline,
  type CeilingAt,
} from '../../src/core/roofline/levelRoofline';
import type { DrawnCeiling } from '../../src/core/charts/rooflineAxes';
import { LEVELS_WITH_CEILING, type Bandwidth } from '../../src/core/hardware/bandwidth';
import { verdictOf } from '../../src/core/report/verdict';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { useAfterPaint } from '../afterPaint';
import { formatMilliseconds, formatNumber, formatPercent, formatRate } from '../format';
import { useStaticPage } from '../staticPage';
import { Disclosure } from './disclosure';
import { FigureText, OriginTag, Table } from './figure';
import { levelName, ceilingLevelName } from './levelName';
import type { Item } from './rooflineReadout';
import type { Figure } from '../../src/core/text/figure';
import type { Roofline } from '../../src/core/roofline/contract';
import { SECTION_TERMS } from '../sectionTerms';
import { Terms } from './terms';

export interface ChartCeilings {
  readonly machine: string;
  readonly drawn: readonly DrawnCeiling[];
  readonly items: readonly Item[];
  /** Switched off. */
  readonly hidden: readonly CeilingKey[];
  /** True while the values belong to an earlier kernel. */
  readonly stale: boolean;
}

export interface RooflineLevelsProps {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  readonly device: Device;
  readonly roofline: Roofline;
  readonly onRoofs: (roofs: ChartCeilings | null) => void;
}

export function RooflineLevels(props: RooflineLevelsProps): VNode | null {
  const { kernel, analysis, device, roofline, onRoofs: onCeilings } = props;
  const [off, setOff] = useState<readonly CeilingKey[]>([]);
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
  const { value, stale } = useAfterPaint(input, levelsOf);
  const isStatic = useStaticPage();
  useEffect(() => {
    if (value === null) {
      onCeilings(null);
      return;
    }
    onCeilings({ ...chartCeilings(value, off), stale });
  }, [value, stale, off]);
  useEffect(
    () => () => {
      onCeilings(null);
    },
    [],
  );
  if (roofline.machine !== device.name) {
    return (
      <p>
        {verdictOf(roofline, null).text}{' '}
        <span class="hint">
          {t('Memory ceilings by level are modeled only for {0}.', device.name)}
        </span>
      </p>
    );
  }
  if (value === null) return null;
  return (
    <div class={stale ? 'later stale' : 'later'} aria-busy={stale}>
      <Terms of="roofline" ids={SECTION_TERMS.roofline} spec={kernel.spec} figures={{ roofline }} />
      {isStatic ? null : (
        <details>
          <summary>{t('Ceilings in the chart')}</summary>
          <fieldset class="roofs">
            <legend class="visually-hidden">{t('Ceilings in the chart')}</legend>
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
        </details>
      )}
      <p>
        {boundText(value, roofline)} <OriginTag from="derived" />
      </p>
      <Disclosure summary={t('Memory ceilings and ridge points')}>
        {() => <LevelTables {...value} />}
      </Disclosure>
    </div>
  );
}

/** Returns the ceilings of every memory level and compute unit for the shown roofline. */
export const levelsOf = ({
  kernel,
  analysis,
  device,
  roofline,
}: Omit<RooflineLevelsProps, 'onRoofs'>): LevelRoofline | null =>
  rooflineOfLevels(kernel, device, { ...analysis, roofline });

/** Returns the ceilings that the chart draws if those in `off` are switched off. */
export function chartCeilings(
  value: LevelRoofline,
  off: readonly CeilingKey[],
): Omit<ChartCeilings, 'stale'> {
  const switches = switchesOf(value);
  const shown = switches.filter(({ key }) => !off.includes(key));
  // A compute unit that this kernel uses is always shown, even if it was switched off earlier.
  const hidden = switches.map(({ key }) => key).filter(key => off.includes(key));
  const keys = shown.map(({ key }) => key);
  const items = shown.map(({ key, name, facts }) => ({ key: ceilingItem(key), name, facts }));
  return { machine: value.machine, drawn: drawnCeilings(value, keys), hidden, items };
}

interface Switch {
  readonly key: CeilingKey;
  readonly name: string;
  readonly facts: readonly string[];
}

/**
 * Returns the ceilings that can be switched off: memory levels, and the compute unit that the
 * kernel does not use.
 */
const switchesOf = ({ levels, units }: LevelRoofline): readonly Switch[] => [
  ...levels
    .filter(({ roof }) => roof !== undefined)
    .map(level => ({ key: level.level, name: ceilingName(level), facts: levelFacts(level) })),
  ...units
    .filter(({ used }) => !used)
    .map(unit => ({ key: unit.unit, name: unitName(unit), facts: idleFacts(unit) })),
];

const ceilingName = (roof: LevelCeiling): string =>
  roof.asWritten === true ? t('{0}, as written', ceilingLevelName(roof)) : ceilingLevelName(roof);

function boundText(of: LevelRoofline, roofline: Roofline): string {
  const { reached, levels } = of;
  const bound = verdictOf(roofline, of).text;
  const { predicted, measured } = reached;
  const predictedText =
    predicted === null
      ? ''
      : ` ${t('Predicted: {0} of this ceiling.', formatPercent(rounded(predicted)))}`;
  const measuredText =
    measured === null
      ? ''
      : ` ${t('Measured: {0} of this ceiling.', formatPercent(rounded(measured)))}`;
  const written = levels.find(({ asWritten, bound }) => asWritten === true && bound === 'memory');
  const writtenText =
    written?.roof === undefined
      ? ''
      : ` ${t(
          'With loads as written, the shared-memory ceiling is {0}; the compiler merges some loads.',
          formatRate(written.roof.value * 1000),
        )}`;
  return `${bound}${predictedText}${measuredText}${writtenText}`;
}

const rounded = (share: number): number => Number(share.toPrecision(3));

const idleFacts = ({ unit, peak }: ComputeUnit): readonly string[] => [
  formatRate(peak.value * 1000),
  t('compute ceiling'),
  unit === 'fma' ? t('this kernel uses tensor cores') : t('this kernel does not use tensor cores'),
];

function levelFacts({
  bandwidths,
  intensity,
  roof,
  bound,
  reached,
}: LevelCeiling): readonly string[] {
  const [own] = bandwidths;
  if (own === undefined || roof === undefined) return [];
  const rate = formatRate(roof.value * 1000);
  const { predicted = null, measured = null } = reached ?? {};
  return [
    t('allows {0} at {1} FLOP/B', rate, formatNumber(intensity.value)),
    bound === 'memory' ? t('below the compute peak') : t('the compute peak'),
    ...(predicted === null
      ? []
      : [t('predicted: {0} of this ceiling', formatPercent(rounded(predicted)))]),
    ...(measured === null
      ? []
      : [t('measured: {0} of this ceiling', formatPercent(rounded(measured)))]),
    `${formatNumber(own.GBps)} GB/s`,
    ...(own.from === 'spec' ? [] : [own.origin]),
  ];
}

function unitName({ unit, dtype, used }: ComputeUnit): string {
  if (unit === 'fma')
    return used ? t('FMA units in {0}', dtype) : t('FMA units in {0}, not used', dtype);
  return used ? t('tensor cores in {0}', dtype) : t('tensor cores in {0}, not used', dtype);
}

const share = (of: number | null | undefined): string =>
  of === null || of === undefined ? '' : formatPercent(rounded(of));

const ridgeText = (ridge: Figure | undefined): string =>
  ridge === undefined ? '' : formatNumber(ridge.value);

const levelRow = (
  level: LevelCeiling,
  { ridge, milliseconds, roof, reached }: Partial<CeilingAt>,
  bandwidth: Bandwidth | undefined,
): readonly (string | VNode)[] => [
  ceilingName(level),
  bandwidth === undefined ? t('not known') : `${formatNumber(bandwidth.GBps)} GB/s`,
  <FigureText figure={level.intensity} />,
  ridge === undefined ? '' : <FigureText figure={ridge} />,
  milliseconds === undefined ? '' : formatMilliseconds(milliseconds.value),
  roof === undefined ? '' : <FigureText figure={roof} />,
  share(reached?.predicted),
  share(reached?.measured),
  bandwidth === undefined ? (
    t('not published or measured')
  ) : (
    <>
      <OriginTag from={bandwidth.from} />{' '}
      {bandwidth.from === 'spec' ? t('datasheet') : bandwidth.origin}
    </>
  ),
];

function LevelTables({ levels, units }: LevelRoofline): VNode {
  const known = LEVELS_WITH_CEILING.filter(level => units.some(({ ridges }) => level in ridges));
  return (
    <div class="later">
      <Table
        caption={t('Memory ceilings by level')}
        columns={[
          t('level'),
          t('bandwidth'),
          t('intensity'),
          t('ridge point'),
          t('minimum time'),
          t('ceiling'),
          t('predicted / ceiling'),
          t('measured / ceiling'),
          t('bandwidth source'),
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
            'As written: this kernel loads less than 16 bytes per lane from shared memory, and the compiler merges adjacent loads of an unrolled loop. This ceiling is therefore not a bound; inspect the compiled loop.',
          )}
        </p>
      ) : null}
      <Table
        caption={t('Ridge points: arithmetic intensity (FLOP/B) above which compute is the limit')}
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
