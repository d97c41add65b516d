/** Details of memory accesses: requests, fixes for bank conflicts, and traffic per memory level. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import { bankRemedies, type BankCost, type BankRemedy } from '../../src/core/report/bankRemedies';
import type { SiteName } from '../../src/core/memory/access';
import { drawnRequest, type DrawnRequest } from '../../src/core/memory/drawnRequest';
import { memoryLevels, type LevelName } from '../../src/core/memory/memoryLevels';
import { bankChart } from '../../src/core/charts/bankChart';
import type { Chart } from '../../src/core/charts/chart';
import { captioned } from '../../src/core/charts/chartCaption';
import { pictureLines } from '../../src/core/charts/pictureLines';
import { stacked } from '../../src/core/charts/stacked';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import { isStaged } from '../../src/core/charts/stagePicture';
import { ratiosOf, type Ratio } from '../../src/core/roofline/ratios';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { useAfterPaint } from '../afterPaint';
import { nameOf } from '../changes';
import { formatBytes, formatNumber, formatPercent } from '../format';
import type { Message } from '../state';
import { svgOf } from '../picture';
import { BankTable } from './bankTable';
import { Disclosure } from './disclosure';
import { FigureText, OriginTag, Table } from './figure';
import { levelName } from './levelName';
import { Predict } from './predict';
import { FoldedSave } from './savePicture';
import { PipelineOfStages } from './stageChart';
import { TryIt } from './tryIt';
import { WarpRequests, WarpVariants } from './warpMatrix';
import { SECTION_TERMS } from '../sectionTerms';
import { Terms } from './terms';

export interface MemoryDetailsProps {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  readonly device: Device;
  readonly dispatch: (message: Message) => void;
}

const MEMORY_TOPICS = ['requests', 'shared'] as const;

export const MemoryDetails = (props: MemoryDetailsProps): VNode => (
  <>
    <Predict
      kernel={props.kernel}
      analysis={props.analysis}
      device={props.device}
      topics={MEMORY_TOPICS}
    />
    <Terms of="memory" ids={SECTION_TERMS.memory} spec={props.kernel.spec} />
    <Disclosure summary={t('Traffic per memory level')}>
      {() => <LevelDetails {...props} />}
    </Disclosure>
    <Disclosure summary={t('Sectors per request')}>
      {() => (
        <WarpRequests
          kernel={props.kernel}
          device={props.device}
          sites={props.analysis.globalMemory}
        />
      )}
    </Disclosure>
    {props.kernel.plan.family === 'simt' ? (
      <Disclosure summary={t('Naive, swapped and remapped threads')}>
        {() => <WarpVariants kernel={props.kernel} device={props.device} />}
      </Disclosure>
    ) : null}
    {props.analysis.sharedMemory.length === 0 ? null : (
      <Disclosure summary={t('Bank conflicts and fixes')}>
        {() => <BankDetails {...props} />}
      </Disclosure>
    )}
    {props.kernel.plan.family === 'simt' && isStaged(props.kernel.plan) ? (
      <PipelineOfStages plan={props.kernel.plan} device={props.device} analysis={props.analysis} />
    ) : null}
  </>
);

/**
 * Returns one drawn request per name and operation. The first access represents the others, such as
 * the loads in the prologue and the main loop.
 */
const drawnRequests = (kernel: Kernel, sites: readonly SiteName[]) =>
  sites
    .filter(
      (site, index) =>
        sites.findIndex(other => other.site === site.site && other.op === site.op) === index,
    )
    .map(site => drawnRequest(kernel, site))
    .filter(request => request !== null);

function BankDetails({ kernel, analysis, device, dispatch }: MemoryDetailsProps): VNode {
  const registers = analysis.occupancy?.registers.value;
  const input = useMemo(() => ({ kernel, analysis, device }), [kernel, device, registers]);
  const { value, stale } = useAfterPaint(input, of => ({
    requests: drawnRequests(of.kernel, of.analysis.sharedMemory),
    remedies: bankRemedies(of.kernel, of.device, of.analysis.occupancy),
  }));
  if (value === null) return <></>;
  const { requests, remedies } = value;
  return (
    <div class={stale ? 'later stale' : 'later'} aria-busy={stale}>
      {remedies === null ? null : <ConflictFixes {...remedies} dispatch={dispatch} />}
      {requests.map(request => (
        <BankTable key={`${request.site} ${request.op}`} request={request} />
      ))}
      {requests.length === 0 ? null : (
        <FoldedSave
          picture={{ name: 'banks', svg: svgOf(() => picture(requests, kernel.spec, device.name)) }}
        />
      )}
    </div>
  );
}

function picture(requests: readonly DrawnRequest[], spec: ResolvedSpec, machine: string): Chart {
  const title = t('Banks of the worst-case requests to shared memory');
  return captioned(stacked(requests.map(bankChart), title), {
    title,
    lines: [
      ...pictureLines(spec, machine),
      t('A cell is the first lane served. +: more lanes of the same word. !: bank conflict.'),
    ],
    legend: [],
  });
}

function ConflictFixes(props: {
  readonly now: BankCost;
  readonly remedies: readonly BankRemedy[];
  readonly dispatch: (message: Message) => void;
}): VNode {
  const { now, remedies, dispatch } = props;
  const place = useRef<HTMLDivElement>(null);
  const [appliedText, setTried] = useState('');
  const attempt = ({ changes }: BankRemedy) => {
    dispatch({
      type: 'choose',
      changes: Object.fromEntries(changes.map(({ path, to }) => [path, to])),
    });
    setTried(t('Applied: {0}. Use Undo to revert.', changesText(changes)));
    // The button may disappear with the conflict, so the focus moves to the list.
    place.current?.focus();
  };
  return (
    <div class="next-steps" ref={place} tabIndex={-1}>
      <p>
        {now.conflicts === 0
          ? t('No bank conflicts: {0} wavefronts in total.', formatNumber(now.wavefronts))
          : t(
              '{0} of {1} wavefronts are due to bank conflicts.',
              formatNumber(now.conflicts),
              formatNumber(now.wavefronts),
            )}{' '}
        <OriginTag from="derived" />
      </p>
      {now.conflicts > 0 && remedies.length === 0 ? (
        <p class="hint">
          {t(
            'No row padding or swizzle reduces the conflicts; the conflicting lanes may access the same row.',
          )}
        </p>
      ) : null}
      {remedies.length === 0 ? null : (
        <ul class="edits" aria-label={t('Bank-conflict fixes')}>
          {remedies.map(remedy => (
            <ConflictFix key={changesText(remedy.changes)} {...{ now, remedy }} onTry={attempt} />
          ))}
        </ul>
      )}
      <p role="status" class="hint">
        {appliedText}
      </p>
    </div>
  );
}

const changesText = (changes: BankRemedy['changes']): string =>
  changes.map(({ path, from, to }) => `${nameOf(path)} ${from} → ${to}`).join(', ');

function ConflictFix(props: {
  readonly now: BankCost;
  readonly remedy: BankRemedy;
  readonly onTry: (remedy: BankRemedy) => void;
}): VNode {
  const { now, remedy, onTry } = props;
  const id = `remedy-${remedy.changes.map(({ path, to }) => `${path}-${to}`).join('-')}`.replaceAll(
    '.',
    '-',
  );
  const counts = [formatNumber(now.conflicts), formatNumber(remedy.conflicts)] as const;
  return (
    <li>
      <div>
        <p>
          <b id={id}>{changesText(remedy.changes)}</b>{' '}
          {remedy.conflicts === 0
            ? t('removes all conflicts.')
            : t('reduces conflict wavefronts from {0} to {1}.', ...counts)}
        </p>
        <ul class="effects" aria-label={t('Side effects')}>
          {sideEffectsOf(now, remedy).map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </div>
      <TryIt
        of={id}
        onPress={() => {
          onTry(remedy);
        }}
      />
    </li>
  );
}

function sideEffectsOf(now: BankCost, remedy: BankCost): readonly string[] {
  const bytes = [formatBytes(now.sharedBytes), formatBytes(remedy.sharedBytes)] as const;
  return [
    now.sharedBytes === remedy.sharedBytes
      ? t('shared memory per block: {0}, unchanged', bytes[0])
      : t('shared memory per block {0} → {1}', ...bytes),
    ...(now.blocksPerSm === null || remedy.blocksPerSm === null
      ? []
      : [t('blocks/SM {0} → {1}', now.blocksPerSm, remedy.blocksPerSm)]),
    ...(now.requests === remedy.requests
      ? []
      : [
          t(
            'shared-memory accesses {0} → {1}: the row stride changes the access width',
            formatNumber(now.requests),
            formatNumber(remedy.requests),
          ),
        ]),
  ];
}

const ruleOf = (level: LevelName): string =>
  ({
    registers: t('each FMA reads three values and writes one, in the accumulator type'),
    shared: t('128-byte wavefronts, including bank conflicts'),
    l1: t('sectors of all requests'),
    l2: t('sectors of A and B once per block, if L1 retains them; C per request'),
    dram: t(
      'one block per SM traverses K in lockstep; a panel is read again once more bytes than the L2 capacity were accessed',
    ),
  })[level];

const ratioName = (name: Ratio['name']): string =>
  ({
    'device ratio': t('ridge point'),
    'problem ratio': t('textbook intensity'),
    'kernel ratio': t('intensity without caches'),
  })[name];

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
        caption={t('Traffic per memory level')}
        columns={[t('level'), t('bytes'), t('intensity'), t('counting rule')]}
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
          'First wave: {0} blocks traverse K in lockstep and touch {1} A panels and {2} B panels ({3}).',
          ...counts,
          formatBytes(round.bytes),
        )}{' '}
        {l2Bytes === null
          ? t('The L2 size is not published; all panels are assumed to fit.')
          : t(
              'The L2 ({0}) serves {1} of the reads of A and B.',
              formatBytes(l2Bytes),
              formatPercent(found.l2HitRate),
            )}{' '}
        {found.dramInStep !== null &&
          t(
            'Blocks on the same SM drift out of step; in lockstep, DRAM traffic would be {0}.',
            formatBytes(found.dramInStep.value),
          )}
      </p>
      <Table
        caption={t('Ratio formulas')}
        columns={[t('ratio'), 'FLOP/B', t('formula'), t('values')]}
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
