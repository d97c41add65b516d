/** What a request of every access looks like, what cures bank conflicts, and traffic a level: drawn when it is opened. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import { bankCures, type BankCost, type BankCure } from '../../src/core/report/bankCures';
import { drawnRequest, type SiteName } from '../../src/core/memory/drawnRequest';
import { memoryLevels, type LevelName } from '../../src/core/memory/memoryLevels';
import { isStaged } from '../../src/core/charts/stagePicture';
import { ratiosOf, type Ratio } from '../../src/core/roofline/ratios';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { useAfterPaint } from '../afterPaint';
import { nameOf } from '../changes';
import { formatBytes, formatNumber, formatPercent } from '../format';
import type { Message } from '../state';
import { BankTable } from './bankTable';
import { Disclosure } from './disclosure';
import { FigureText, OriginTag, Table } from './figure';
import { levelName } from './levelName';
import { SectorTable } from './sectorTable';
import { PipelineOfStages } from './stageChart';
import { TryIt } from './tryIt';

export interface MemoryDetailsProps {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  readonly device: Device;
  readonly dispatch: (message: Message) => void;
}

/** Folded: each is computed and drawn once it is opened. */
export const MemoryDetails = (props: MemoryDetailsProps): VNode => (
  <>
    <Disclosure summary={t('Traffic a level of memory')}>
      {() => <LevelDetails {...props} />}
    </Disclosure>
    <Disclosure summary={t('Sectors of each request, and the lanes they go to')}>
      {() => <SectorDetails {...props} />}
    </Disclosure>
    {props.analysis.sharedMemory.length === 0 ? null : (
      <Disclosure summary={t('Banks of each request, and what cures their conflicts')}>
        {() => <BankDetails {...props} />}
      </Disclosure>
    )}
    {props.kernel.plan.family === 'simt' && isStaged(props.kernel.plan) ? (
      <PipelineOfStages plan={props.kernel.plan} device={props.device} analysis={props.analysis} />
    ) : null}
  </>
);

/** Sites of one name and operation, such as those before and in the main loop, have one picture. */
const drawn = (kernel: Kernel, sites: readonly SiteName[]) =>
  sites
    .filter(
      (site, index) =>
        sites.findIndex(other => other.site === site.site && other.op === site.op) === index,
    )
    .map(site => drawnRequest(kernel, site))
    .filter(request => request !== null);

/** Banks of shared memory by wavefront, and what cures their conflicts. */
function BankDetails({ kernel, analysis, device, dispatch }: MemoryDetailsProps): VNode {
  const registers = analysis.occupancy?.registers.value;
  const input = useMemo(() => ({ kernel, analysis, device }), [kernel, device, registers]);
  const { value, stale } = useAfterPaint(input, of => ({
    requests: drawn(of.kernel, of.analysis.sharedMemory),
    cures: bankCures(of.kernel, of.device, of.analysis.occupancy),
  }));
  if (value === null) return <></>;
  const { requests, cures } = value;
  return (
    <div class={stale ? 'later stale' : 'later'} aria-busy={stale}>
      {cures === null ? null : <Cures {...cures} dispatch={dispatch} />}
      {requests.map(request => (
        <BankTable key={`${request.site} ${request.op}`} request={request} />
      ))}
    </div>
  );
}

function Cures(props: {
  readonly now: BankCost;
  readonly cures: readonly BankCure[];
  readonly dispatch: (message: Message) => void;
}): VNode {
  const { now, cures, dispatch } = props;
  const place = useRef<HTMLDivElement>(null);
  const [tried, setTried] = useState('');
  const attempt = ({ changes }: BankCure) => {
    dispatch({
      type: 'choose',
      changes: Object.fromEntries(changes.map(({ path, to }) => [path, to])),
    });
    setTried(t('Applied: {0}. Undo takes it back.', changesText(changes)));
    // The button is gone with the conflict; whoever pressed it goes on from here.
    place.current?.focus();
  };
  return (
    <div class="next-steps" ref={place} tabIndex={-1}>
      <p>
        {now.conflicts === 0
          ? t('No bank conflict: {0} wavefronts in all.', formatNumber(now.wavefronts))
          : t(
              '{0} of {1} wavefronts are for bank conflicts.',
              formatNumber(now.conflicts),
              formatNumber(now.wavefronts),
            )}{' '}
        <OriginTag from="derived" />
      </p>
      {now.conflicts > 0 && cures.length === 0 ? (
        <p class="hint">
          {t('No padding and no swizzle takes fewer: the lanes collide within a row.')}
        </p>
      ) : null}
      {cures.length === 0 ? null : (
        <ul class="edits" aria-label={t('What cures bank conflicts')}>
          {cures.map(cure => (
            <Cure key={changesText(cure.changes)} {...{ now, cure }} onTry={attempt} />
          ))}
        </ul>
      )}
      <p role="status" class="hint">
        {tried}
      </p>
    </div>
  );
}

const changesText = (changes: BankCure['changes']): string =>
  changes.map(({ path, from, to }) => `${nameOf(path)} ${from} → ${to}`).join(', ');

function Cure(props: {
  readonly now: BankCost;
  readonly cure: BankCure;
  readonly onTry: (cure: BankCure) => void;
}): VNode {
  const { now, cure, onTry } = props;
  const id = `cure-${cure.changes.map(({ path, to }) => `${path}-${to}`).join('-')}`.replaceAll(
    '.',
    '-',
  );
  const counts = [formatNumber(now.conflicts), formatNumber(cure.conflicts)] as const;
  return (
    <li>
      <div>
        <p>
          <b id={id}>{changesText(cure.changes)}</b>{' '}
          {cure.conflicts === 0
            ? t('leaves no conflict.')
            : t('leaves {1} of {0} wavefronts for conflicts.', ...counts)}
        </p>
        <ul class="effects" aria-label={t('What else changes')}>
          {costsOf(now, cure).map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </div>
      <TryIt
        of={id}
        onPress={() => {
          onTry(cure);
        }}
      />
    </li>
  );
}

function costsOf(now: BankCost, cure: BankCost): readonly string[] {
  const bytes = [formatBytes(now.sharedBytes), formatBytes(cure.sharedBytes)] as const;
  return [
    now.sharedBytes === cure.sharedBytes
      ? t('shared memory a block stays {0}', bytes[0])
      : t('shared memory a block {0} → {1}', ...bytes),
    ...(now.blocksPerSm === null || cure.blocksPerSm === null
      ? []
      : [t('blocks/SM {0} → {1}', now.blocksPerSm, cure.blocksPerSm)]),
    ...(now.requests === cure.requests
      ? []
      : [
          t(
            'accesses to shared memory {0} → {1}: other rows allow other widths',
            formatNumber(now.requests),
            formatNumber(cure.requests),
          ),
        ]),
  ];
}

/** Sectors of global memory by line. */
function SectorDetails({ kernel, analysis }: MemoryDetailsProps): VNode {
  const requests = useMemo(() => drawn(kernel, analysis.globalMemory), [kernel]);
  return (
    <div class="later">
      {requests.map(request => (
        <SectorTable
          key={`${request.site} ${request.op}`}
          request={request}
          layout={request.operand === 'workspace' ? null : kernel.spec.problem[request.operand]}
        />
      ))}
    </div>
  );
}

/** How each level's bytes are counted, and under which assumption. */
const ruleOf = (level: LevelName): string =>
  ({
    registers: t('each multiply-add reads three values and writes one, in the type of the sum'),
    shared: t('wavefronts of 128 B, conflicts included'),
    l1: t('sectors of all requests'),
    l2: t('a block reads its sectors of A and B once, if its L1 keeps them; C as it is asked for'),
    dram: t(
      'one block of each SM goes along K in step; a panel of A or B is read again where more than the L2 was touched since',
    ),
  })[level];

const ratioName = (name: Ratio['name']): string =>
  ({
    'device ratio': t('device ratio'),
    'problem ratio': t('problem ratio'),
    'kernel ratio': t('kernel ratio'),
  })[name];

/** Bytes and intensity a level, and the formulas of the ratios. */
function LevelDetails({ kernel, analysis, device }: MemoryDetailsProps): VNode {
  const found = useMemo(
    () => memoryLevels(kernel, analysis, device),
    [kernel, device, analysis.waves?.blocksPerWave],
  );
  const { round, l2Bytes } = found.dram;
  const counts = [formatNumber(round.blocks), round.panelsA, round.panelsB] as const;
  return (
    <div class="later">
      <Table
        caption={t('Traffic a level of memory')}
        columns={[t('level'), t('bytes'), t('intensity'), t('counted')]}
        numeric={[1, 2]}
        rows={found.levels.map(({ level, bytes, intensity }) => [
          levelName(level),
          <FigureText figure={bytes} />,
          <FigureText figure={intensity} />,
          ruleOf(level),
        ])}
      />
      <p class="hint">
        {t(
          'Of the first wave, {0} blocks walk K in step: {1} panels of A and {2} of B, {3}.',
          ...counts,
          formatBytes(round.bytes),
        )}{' '}
        {l2Bytes === null
          ? t('The size of the L2 is not published: all is taken to fit.')
          : t(
              'The L2 of {0} serves {1} of the reads of A and B.',
              formatBytes(l2Bytes),
              formatPercent(found.l2HitRate),
            )}{' '}
        {found.dramInStep !== null &&
          t(
            'Blocks that share an SM drift apart; if they stayed in step too, DRAM would move {0}.',
            formatBytes(found.dramInStep.value),
          )}
      </p>
      <Table
        caption={t('Ratios and their formulas')}
        columns={[t('ratio'), 'FLOP/B', t('formula'), t('in numbers')]}
        numeric={[1]}
        rows={ratiosOf(kernel.plan, analysis.roofline).map(({ name, value, formula, numbers }) => [
          ratioName(name),
          formatNumber(value.value),
          formula,
          numbers,
        ])}
      />
    </div>
  );
}
