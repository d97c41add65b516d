/** Facts of a step: its statement, its requests, and the counters since the start of the block. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Lines } from '../../src/core/kernel/print/statementLines';
import type { Step, StepAccesses } from '../../src/core/trace/blockTrace';
import type { StepCounters } from '../../src/core/trace/traceState';
import { formatNumber } from '../format';
import { CELL_KINDS, type CellKind } from './cellGrid';
import { Excerpt } from './excerpt';
import { Table } from './figure';

export interface StepFactsProps {
  readonly source: string;
  readonly step: Step | null;
  /** Lines of the step; undefined if it has none in the source. */
  readonly lines: Lines | undefined;
  readonly counters: StepCounters;
  /** Counters at the end of the block. */
  readonly total: StepCounters;
}

export function StepFacts({ source, step, lines, counters, total }: StepFactsProps): VNode {
  const finding = step?.finding ?? null;
  return (
    <div class="step-facts">
      <Legend />
      <p class="readout" role="status">
        {step === null ? t('Start of the block: shared memory is uninitialized.') : stepText(step)}
        {finding === null ? null : <strong class="race">{finding}</strong>}
      </p>
      <Excerpt source={source} lines={lines} />
      {step === null || step.accesses.length === 0 ? null : (
        <Table
          caption={t('Requests of the step')}
          columns={[t('access'), t('threads'), t('warp requests'), t('sectors'), t('wavefronts')]}
          numeric={[1, 2, 3, 4]}
          rows={step.accesses.map(accessRow)}
        />
      )}
      <Table
        caption={t('Counters since the start of the block')}
        captionShown
        columns={[t('counter'), t('so far'), t('whole block')]}
        numeric={[1, 2]}
        rows={(
          [
            [t('FMAs'), 'fmas'],
            [t('sectors of global memory'), 'sectors'],
            [t('wavefronts of shared memory'), 'wavefronts'],
          ] as const
        ).map(([name, key]) => [name, formatNumber(counters[key]), formatNumber(total[key])])}
      />
    </div>
  );
}

function accessRow({ site, space, op, threads, requests, cost }: StepAccesses) {
  return [
    op === 'copy' ? t('{0}, asynchronous', site.name) : site.name,
    formatNumber(new Set(threads).size),
    formatNumber(requests),
    space === 'global' ? formatNumber(cost) : '',
    space === 'shared' ? formatNumber(cost) : '',
  ];
}

function stepText({ statement, interval, products, arrivals }: Step): string {
  switch (statement.op) {
    case 'barrier':
      return t('Barrier {0}: all threads wait for each other.', interval + 1);
    case 'commit':
      return t('Each thread commits its copies.');
    case 'wait':
      return t(
        '{1} elements arrive. Groups of copies in flight: {0} at most.',
        statement.pending,
        formatNumber(arrivals.indices.length),
      );
    default:
      if (products.count > 0)
        return t('{0} FMAs into the accumulators.', formatNumber(products.count));
      return t('All threads execute the highlighted statement.');
  }
}

const kindName = (kind: CellKind): string =>
  ({
    even: t('even k-iteration'),
    odd: t('odd k-iteration, or stored'),
    'in-flight': t('copy in flight'),
    padding: t('zero padding'),
    read: t('read'),
    written: t('written'),
    followed: t('followed'),
  })[kind];

const Legend = (): VNode => (
  <ul class="cell-legend">
    {CELL_KINDS.map(kind => (
      <li key={kind}>
        <svg width={14} height={14} aria-hidden="true">
          <rect class={`cell-${kind}`} width={14} height={14} />
        </svg>
        {kindName(kind)}
      </li>
    ))}
  </ul>
);
