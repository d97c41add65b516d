/** Waves section: counts, edits that improve the load balance, and the size sweep. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import { balanceText } from '../../src/core/occupancy/waves';
import { clusterReport } from '../../src/core/occupancy/clusters';
import type { Device } from '../../src/core/hardware/devices';
import type { Measurement } from '../../src/core/measure/measurement';
import type { Plan } from '../../src/core/plan/plan';
import { waveEdits, type WaveEdit } from '../../src/core/search/rank/waveEdits';
import type { GemmSpec } from '../../src/core/spec/schema';
import type { Sizes } from '../../src/core/search/sweep/resized';
import { useAfterPaint } from '../afterPaint';
import type { Changes } from '../edit';
import { fieldName } from '../fields';
import { formatNumber, formatRate } from '../format';
import { sizeChanges } from '../sizeChanges';
import type { Message } from '../state';
import { useStaticPage } from '../staticPage';
import { Disclosure } from './disclosure';
import { OriginTag, Table } from './figure';
import { wavesText } from './sizeSweepChart';
import { rounded } from './sweepData';
import { Sizes as SizesView } from './sizes';
import { TryIt } from './tryIt';
import type { Figure } from '../../src/core/text/figure';
import type { Waves } from '../../src/core/occupancy/report';
import { SECTION_TERMS } from '../sectionTerms';
import { Terms } from './terms';

export interface WaveDetailsProps {
  readonly analysis: Analysis;
  readonly plan: Plan;
  readonly device: Device;
  readonly spec: GemmSpec | null;
  readonly runs: readonly (readonly Measurement[])[];
  readonly dispatch: (message: Message) => void;
}

export function WaveDetails(props: WaveDetailsProps): VNode | null {
  const { analysis, plan, device, spec, dispatch } = props;
  const { waves, occupancy } = analysis;
  const isStatic = useStaticPage();
  const place = useRef<HTMLDivElement>(null);
  const [appliedText, setTried] = useState('');
  if (waves === null || occupancy === null) return null;
  const attempt = (changes: Changes, words: string) => {
    dispatch({ type: 'choose', changes });
    setTried(t('Applied: {0}. Use Undo to revert.', words));
  };
  return (
    <div class="waves" ref={place} tabIndex={-1}>
      <Counts waves={waves} device={device} blocksPerSm={occupancy.blocksPerSm} />
      <Terms of="waves" ids={SECTION_TERMS.waves} spec={plan.spec} figures={analysis} />
      <Clusters device={device} blocksPerSm={occupancy.blocksPerSm} />
      <Edits
        {...{ plan, device, waves }}
        onTry={(changes, words) => {
          attempt(changes, words);
          // The button may disappear with the next result, so focus moves to the section.
          place.current?.focus();
        }}
      />
      {isStatic ? null : (
        <SizesView
          {...{ analysis, plan, device, runs: props.runs }}
          onSet={(sizes: Sizes, words: string) => {
            if (spec !== null) attempt(sizeChanges(spec, plan, sizes), words);
          }}
        />
      )}
      <p role="status" class="hint">
        {appliedText}
      </p>
    </div>
  );
}

interface CountsProps {
  readonly waves: Waves;
  readonly device: Device;
  readonly blocksPerSm: number;
}

function Counts({ waves, device, blocksPerSm }: CountsProps): VNode {
  const { tail, balance, paddingFlops } = waves;
  return (
    <dl class="facts">
      <Count name={t('tiles of C')}>{formatNumber(waves.tiles)}</Count>
      <Count name={t('blocks per wave')}>
        {waves.blocksPerWave === device.multiprocessors * blocksPerSm
          ? t(
              '{0}: {1} SMs x {2}',
              formatNumber(waves.blocksPerWave),
              device.multiprocessors,
              blocksPerSm,
            )
          : t('{0}: limited by resident clusters', formatNumber(waves.blocksPerWave))}
      </Count>
      <Count name={t('waves')}>{formatNumber(waves.waves)}</Count>
      <Count name={t('last wave')} from={tail.efficiency.from}>
        {t(
          '{0} of {1} block slots',
          formatNumber(tail.blocks.value),
          formatNumber(waves.blocksPerWave),
        )}
      </Count>
      <Count name={t('SM load balance')}>{balanceText(balance.value)}</Count>
      <Count name={t('tile quantization')}>
        {t('{0}: {1} FLOP', rounded(waves.paddingFlopFraction), formatNumber(paddingFlops.value))}
      </Count>
    </dl>
  );
}

interface CountProps {
  readonly name: string;
  readonly from?: Figure['from'];
  readonly children: ComponentChildren;
}

const Count = ({ name, from = 'derived', children }: CountProps): VNode => (
  <>
    <dt>{name}</dt>
    <dd>
      <span class="number">{children}</span> <OriginTag from={from} />
    </dd>
  </>
);

/** Shows the resident blocks by cluster size, for compute capability 9.0 and later. */
function Clusters({
  device,
  blocksPerSm,
}: Pick<CountsProps, 'device' | 'blocksPerSm'>): VNode | null {
  const report = clusterReport(device, blocksPerSm);
  if (report === null) return null;
  const { counts, gpcs } = report;
  const hint =
    gpcs === null
      ? t(
          'The counts are upper bounds: the number of SMs per GPC (graphics processing cluster) is not published.',
        )
      : t(
          'The counts assume GPCs (graphics processing clusters) with {0} SMs, as queried on one chip. Chips differ.',
          gpcs.filter(sms => sms > 2).join(', '),
        );
  return (
    <Disclosure summary={t('Resident clusters')}>
      {() => (
        <>
          <Table
            caption={t('Resident clusters')}
            columns={[t('blocks per cluster'), t('resident blocks')]}
            numeric={[1]}
            rows={counts.map(({ size, blocks }) => [formatNumber(size), formatNumber(blocks)])}
          />
          <p class="hint">{hint}</p>
        </>
      )}
    </Disclosure>
  );
}

interface EditsProps {
  readonly plan: Plan;
  readonly device: Device;
  readonly waves: Waves;
  readonly onTry: (changes: Changes, words: string) => void;
}

function Edits({ plan, device, waves, onTry }: EditsProps): VNode | null {
  const balance = waves.balance.value;
  const input = useMemo(() => ({ plan, device, waves }), [plan, device, balance]);
  const { value, stale } = useAfterPaint(input, of => waveEdits(of.plan, of.device, of.waves));
  if (value === null || value.length === 0) return null;
  return (
    <div class="later" aria-busy={stale}>
      <h3>{t('How to fill waves')}</h3>
      <ul class="edits" aria-label={t('Edits that fill waves')}>
        {value.map(edit => (
          <Edit key={changesText(edit)} edit={edit} onTry={onTry} />
        ))}
      </ul>
      <p class="hint">
        {t('Both rates are predicted with estimated register counts; benchmark both schedules.')}
      </p>
    </div>
  );
}

const changesText = ({ changes }: WaveEdit): string =>
  changes.map(({ path, from, to }) => `${fieldName(path) ?? path} ${from} → ${to}`).join(', ');

function Edit({ edit, onTry }: Pick<EditsProps, 'onTry'> & { readonly edit: WaveEdit }): VNode {
  const { changes, waves, tflops } = edit;
  const words = changesText(edit);
  const id = `wave-edit-${changes.map(({ path, to }) => `${path}-${to}`).join('-')}`.replaceAll(
    '.',
    '-',
  );
  return (
    <li>
      <p>
        <b id={id}>{words}</b>{' '}
        {t(
          'predicted {0} → {1}; SM load balance {2}, {3} blocks, {4}.',
          formatRate(tflops.before * 1000),
          formatRate(tflops.after * 1000),
          balanceText(waves.balance.value),
          formatNumber(waves.tiles),
          wavesText(waves.waves),
        )}
      </p>
      <TryIt
        of={id}
        onPress={() => {
          onTry(Object.fromEntries(changes.map(({ path, to }) => [path, to])), words);
        }}
      />
    </li>
  );
}
