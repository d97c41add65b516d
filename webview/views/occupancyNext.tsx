/**
 * Section "How to raise occupancy": the requirements for another block per SM, and tile edits with
 * their side effects.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { OccupancyReport } from '../../src/core/occupancy/report';
import type {
  KernelCost,
  OccupancyEdit,
  OccupancyEdits,
} from '../../src/core/occupancy/occupancyEdits';
import type { Need, NextStep } from '../../src/core/occupancy/occupancySteps';
import { limiterName } from '../../src/core/occupancy/limiterName';
import { balanceText } from '../../src/core/occupancy/waves';
import { fieldName } from '../fields';
import { formatBytes, formatNumber, formatPercent } from '../format';
import type { Message } from '../state';
import { TryIt } from './tryIt';

export interface NextStepsProps {
  readonly report: OccupancyReport;
  readonly step: NextStep | null;
  readonly found: OccupancyEdits;
  readonly dispatch: (message: Message) => void;
}

export function NextSteps({ report, step, found, dispatch }: NextStepsProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  const [appliedText, setTried] = useState('');
  const attempt = ({ changes }: OccupancyEdit) => {
    dispatch({
      type: 'choose',
      changes: Object.fromEntries(changes.map(({ path, to }) => [path, to])),
    });
    setTried(t('Applied: {0}. Use Undo to revert.', changesText(changes)));
    // The button may disappear with the next result, so focus moves to the list.
    place.current?.focus();
  };
  const { edits, cost } = found;
  const common = { cost, onTry: attempt };
  return (
    <div class="next-steps" ref={place} tabIndex={-1}>
      <h3 id="next-steps-title">{t('How to raise occupancy')}</h3>
      {step === null ? null : <Step step={step} />}
      {edits.length > 0 || isFull(step) ? null : (
        <p class="hint">
          {t('Halving or doubling one or two tile dimensions does not raise occupancy.')}
        </p>
      )}
      <Edits {...{ edits: edits.slice(0, 1), ...common }} />
      {edits.length < 2 ? null : (
        <details>
          <summary>{t('More edits: {0}', edits.length - 1)}</summary>
          <Edits {...{ edits: edits.slice(1), ...common }} />
        </details>
      )}
      <p role="status" class="hint">
        {appliedText}
      </p>
      {edits.length === 0 ? null : <Caveat measured={report.registers.from === 'compiler'} />}
    </div>
  );
}

const isFull = (step: NextStep | null): boolean =>
  step !== null && !step.reachable && (step.why === 'full' || step.why === 'launch');

const Caveat = ({ measured }: { readonly measured: boolean }): VNode => (
  <p class="hint">
    {measured ? `${t('Edits use estimated register counts.')} ` : ''}
    {t('More warps are not always faster: benchmark both.')}
  </p>
);

function Step({ step }: { readonly step: NextStep }): VNode {
  if (!step.reachable) return <p>{unreachable(step.why)}</p>;
  const { blocksPerSm, needs } = step;
  const [first, ...others] = needs;
  if (first !== undefined && others.length === 0) return <p>{needText(first, blocksPerSm)}</p>;
  return (
    <>
      <p>{t('{0} blocks/SM require all of these changes:', blocksPerSm)}</p>
      <ul class="plain">
        {needs.map(need => (
          <li key={need.resource}>{requirementText(need)}</li>
        ))}
      </ul>
    </>
  );
}

function unreachable(why: Extract<NextStep, { reachable: false }>['why']): string {
  if (why === 'full')
    return t('All warp slots of the SM are occupied: occupancy is at its maximum.');
  if (why === 'block-slots') {
    return t(
      'All block slots of the SM are occupied: only more threads per block raise occupancy.',
    );
  }
  if (why === 'launch') {
    return t('Persistent kernel: one block per SM loops over tiles, so spare occupancy is unused.');
  }
  return t('No single-resource reduction allows another block per SM: {0}.', limiterName(why));
}

function needText({ resource, have, need }: Need, blocks: number): string {
  switch (resource) {
    case 'threads':
      return t(
        '{0} fewer threads per block ({1} instead of {2}) allow {3} blocks/SM.',
        have - need,
        need,
        have,
        blocks,
      );
    case 'registers':
      return t(
        '{0} fewer registers per thread ({1} instead of {2}) allow {3} blocks/SM.',
        have - need,
        need,
        have,
        blocks,
      );
    case 'shared-memory':
      return t(
        '{0} less shared memory per block ({1} instead of {2}) allows {3} blocks/SM.',
        formatBytes(have - need),
        formatBytes(need),
        formatBytes(have),
        blocks,
      );
  }
}

function requirementText({ resource, have, need }: Need): string {
  switch (resource) {
    case 'threads':
      return t('{0} threads per block instead of {1}', need, have);
    case 'registers':
      return t('{0} registers per thread instead of {1}', need, have);
    case 'shared-memory':
      return t(
        '{0} of shared memory per block instead of {1}',
        formatBytes(need),
        formatBytes(have),
      );
  }
}

const changesText = (changes: OccupancyEdit['changes']): string =>
  changes.map(({ path, from, to }) => `${fieldName(path) ?? path} ${from} → ${to}`).join(', ');

interface EditsProps {
  readonly cost: KernelCost;
  readonly onTry: (edit: OccupancyEdit) => void;
}

const Edits = ({
  edits,
  ...common
}: EditsProps & { readonly edits: readonly OccupancyEdit[] }): VNode | null =>
  edits.length === 0 ? null : (
    <ul class="edits" aria-label={t('Edits that raise occupancy')}>
      {edits.map(edit => (
        <Edit key={changesText(edit.changes)} {...{ edit, ...common }} />
      ))}
    </ul>
  );

function Edit({ edit, cost, onTry }: EditsProps & { edit: OccupancyEdit }): VNode {
  const { changes, blocksPerSm, threads, occupancy, registers, forced } = edit;
  const words = changesText(changes);
  const id = `edit-${changes.map(({ path, to }) => `${path}-${to}`).join('-')}`.replaceAll(
    '.',
    '-',
  );
  const effects = effectsOf(cost, edit.cost);
  return (
    <li>
      <div>
        <p>
          <b id={id}>{words}</b>:{' '}
          {t(
            '{0} blocks/SM of {1} threads, {2}, about {3} registers',
            blocksPerSm,
            formatNumber(threads),
            formatPercent(occupancy),
            registers,
          )}
        </p>
        {forced ? (
          <p class="hint">{t('The compiler must not exceed this register count and may spill.')}</p>
        ) : null}
        {effects.length === 0 ? null : (
          <ul class="effects" aria-label={t('Side effects')}>
            {effects.map(effect => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
        )}
      </div>
      <TryIt
        of={id}
        onPress={() => {
          onTry(edit);
        }}
      />
    </li>
  );
}

const differs = (one: number, other: number): boolean =>
  Math.abs(one - other) > 0.005 * Math.max(Math.abs(one), Math.abs(other));

function effectsOf(before: KernelCost, after: KernelCost): readonly string[] {
  const effects: string[] = [];
  const change = (one: string | number, other: string | number): string => `${one} → ${other}`;
  if (differs(before.ratio, after.ratio)) {
    const ratio = change(formatNumber(before.ratio), formatNumber(after.ratio));
    effects.push(t('{0} FLOP/B', ratio));
  }
  if (before.resultsPerThread !== after.resultsPerThread) {
    effects.push(t('{0} accumulators', change(before.resultsPerThread, after.resultsPerThread)));
  }
  if (differs(before.sharedTrafficBytes, after.sharedTrafficBytes)) {
    const bytes = [before, after].map(cost => formatBytes(cost.sharedTrafficBytes)).join(' → ');
    effects.push(t('{0} shared-memory traffic', bytes));
  }
  const [old, now] = [before.waves, after.waves];
  if (old !== null && now !== null && old.waves !== now.waves) {
    effects.push(t('{0} waves', change(old.waves, now.waves)));
  }
  if (old !== null && now !== null && differs(old.balance, now.balance)) {
    const balance = change(balanceText(old.balance), balanceText(now.balance));
    effects.push(t('SM load balance {0}', balance));
  }
  return effects;
}
