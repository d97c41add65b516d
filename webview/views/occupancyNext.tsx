/** What another block an SM would take, and edits of the tiles that raise occupancy, each with what else it changes. */
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
  const [tried, setTried] = useState('');
  const attempt = ({ changes }: OccupancyEdit) => {
    dispatch({
      type: 'choose',
      changes: Object.fromEntries(changes.map(({ path, to }) => [path, to])),
    });
    setTried(t('Applied: {0}. Undo takes it back.', changesText(changes)));
    // The button may be gone with the next result; whoever pressed it goes on from here.
    place.current?.focus();
  };
  const { edits, cost } = found;
  const wanted = step?.reachable === true ? step.blocksPerSm : null;
  const common = { cost, wanted, maxWarps: report.maxWarps, onTry: attempt };
  return (
    <div class="next-steps" ref={place} tabIndex={-1}>
      <h3 id="next-steps-title">{t('What would raise it')}</h3>
      {step === null ? null : <Step step={step} />}
      {edits.length > 0 || isFull(step) ? null : (
        <p class="hint">
          {t('No tile that is half or twice as large in one or two directions raises it.')}
        </p>
      )}
      <Edits {...{ edits: edits.slice(0, 1), ...common }} />
      {edits.length < 2 ? null : (
        <details>
          <summary>{t('Further edits: {0}', edits.length - 1)}</summary>
          <Edits {...{ edits: edits.slice(1), ...common }} />
        </details>
      )}
      <p role="status" class="hint">
        {tried}
      </p>
      {edits.length === 0 ? null : <Caveat measured={report.registers.from === 'compiler'} />}
    </div>
  );
}

const isFull = (step: NextStep | null): boolean =>
  step !== null && !step.reachable && (step.why === 'full' || step.why === 'launch');

const Caveat = ({ measured }: { readonly measured: boolean }): VNode => (
  <p class="hint">
    {measured
      ? t(
          'The registers shown are of the compiler; those of an edit stay an estimate until it is compiled.',
        )
      : t('Registers are estimated; compile to know them.')}{' '}
    {t(
      'More warps are not always faster: they hide latency where a thread has too little independent work, and fewer results a thread leave it less (V. Volkov, “Better Performance at Lower Occupancy”, GTC 2010). Benchmark both.',
    )}
  </p>
);

function Step({ step }: { readonly step: NextStep }): VNode {
  if (!step.reachable) return <p>{unreachable(step.why)}</p>;
  const { blocksPerSm, needs } = step;
  const [first, ...others] = needs;
  if (first !== undefined && others.length === 0) return <p>{needText(first, blocksPerSm)}</p>;
  return (
    <>
      <p>{t('{0} blocks/SM take all of these:', blocksPerSm)}</p>
      <ul class="plain">
        {needs.map(need => (
          <li key={need.resource}>{partText(need)}</li>
        ))}
      </ul>
    </>
  );
}

function unreachable(why: Extract<NextStep, { reachable: false }>['why']): string {
  if (why === 'full') return t('Every warp slot of an SM is taken: there is no occupancy to gain.');
  if (why === 'block-slots') {
    return t('Every block slot of an SM is taken: only more threads a block raise the occupancy.');
  }
  if (why === 'launch') {
    return t(
      'Persistent blocks take one tile after the other: one is launched for each SM, and room for more is left empty.',
    );
  }
  return t('Less of one resource alone gives no further block: {0}.', limiterName(why));
}

function needText({ resource, have, need }: Need, blocks: number): string {
  switch (resource) {
    case 'threads':
      return t(
        '{0} threads a block fewer ({1} instead of {2}) give {3} blocks/SM.',
        have - need,
        need,
        have,
        blocks,
      );
    case 'registers':
      return t(
        '{0} registers a thread fewer ({1} instead of {2}) give {3} blocks/SM.',
        have - need,
        need,
        have,
        blocks,
      );
    case 'shared-memory':
      return t(
        '{0} of shared memory a block less ({1} instead of {2}) give {3} blocks/SM.',
        formatBytes(have - need),
        formatBytes(need),
        formatBytes(have),
        blocks,
      );
  }
}

function partText({ resource, have, need }: Need): string {
  switch (resource) {
    case 'threads':
      return t('{0} threads a block instead of {1}', need, have);
    case 'registers':
      return t('{0} registers a thread instead of {1}', need, have);
    case 'shared-memory':
      return t('{0} of shared memory a block instead of {1}', formatBytes(need), formatBytes(have));
  }
}

const changesText = (changes: OccupancyEdit['changes']): string =>
  changes.map(({ path, from, to }) => `${fieldName(path) ?? path} ${from} → ${to}`).join(', ');

interface EditsProps {
  /** Of the kernel as it is. */
  readonly cost: KernelCost;
  /** Blocks an SM of the next step. */
  readonly wanted: number | null;
  readonly maxWarps: number;
  readonly onTry: (edit: OccupancyEdit) => void;
}

const Edits = ({
  edits,
  ...common
}: EditsProps & { readonly edits: readonly OccupancyEdit[] }): VNode | null =>
  edits.length === 0 ? null : (
    <ul class="edits" aria-label={t('Edits that raise the occupancy')}>
      {edits.map(edit => (
        <Edit key={changesText(edit.changes)} {...{ edit, ...common }} />
      ))}
    </ul>
  );

function Edit({
  edit,
  cost,
  wanted,
  maxWarps,
  onTry,
}: EditsProps & { edit: OccupancyEdit }): VNode {
  const { changes, blocksPerSm, threads, activeWarps, occupancy, registers, forced } = edit;
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
          <b id={id}>{words}</b>{' '}
          {wanted !== null && blocksPerSm >= wanted ? t('would do it.') : t('gives more warps.')}{' '}
          {t(
            '{0} blocks/SM of {1} threads, {2} of {3} warps ({4}), about {5} registers a thread.',
            blocksPerSm,
            formatNumber(threads),
            activeWarps,
            maxWarps,
            formatPercent(occupancy),
            registers,
          )}
        </p>
        {forced ? (
          <p class="hint">{t('The compiler has to keep to these registers, and may spill.')}</p>
        ) : null}
        {effects.length === 0 ? null : (
          <ul class="effects" aria-label={t('What else changes')}>
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

/** What an edit costs or gains beside warps. */
function effectsOf(before: KernelCost, after: KernelCost): readonly string[] {
  const effects: string[] = [];
  const change = (one: string | number, other: string | number): string => `${one} → ${other}`;
  if (differs(before.ratio, after.ratio)) {
    const ratio = change(formatNumber(before.ratio), formatNumber(after.ratio));
    effects.push(t('{0} FLOP/B without caches', ratio));
  }
  if (before.resultsPerThread !== after.resultsPerThread) {
    effects.push(
      t('{0} results a thread', change(before.resultsPerThread, after.resultsPerThread)),
    );
  }
  if (differs(before.sharedTrafficBytes, after.sharedTrafficBytes)) {
    const bytes = [before, after].map(cost => formatBytes(cost.sharedTrafficBytes)).join(' → ');
    effects.push(t('{0} to and from shared memory', bytes));
  }
  const [old, now] = [before.waves, after.waves];
  if (old !== null && now !== null && old.waves !== now.waves) {
    effects.push(t('{0} waves', change(old.waves, now.waves)));
  }
  if (old !== null && now !== null && differs(old.balance, now.balance)) {
    const balance = change(balanceText(old.balance), balanceText(now.balance));
    effects.push(t('load balance over SMs {0}', balance));
  }
  return effects;
}
