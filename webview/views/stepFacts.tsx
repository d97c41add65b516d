/** Facts of a step: its statement, its requests, and the counters since the start of the block. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Statement } from '../../src/core/kernel/ir/ir';
import type { LoweredKernel } from '../../src/core/kernel/kernel';
import type { Lines } from '../../src/core/kernel/print/statementLines';
import type { Step, StepAccesses } from '../../src/core/trace/blockTrace';
import type { StepCounters } from '../../src/core/trace/traceState';
import { formatNumber } from '../format';
import { CELL_KINDS, type CellKind } from './cellGrid';
import { Excerpt } from './excerpt';
import { Table } from './figure';

export interface StepFactsProps {
  readonly kernel: LoweredKernel;
  readonly step: Step | null;
  readonly lines: ReadonlyMap<Statement, Lines>;
  readonly counters: StepCounters;
  /** Counters at the end of the block. */
  readonly total: StepCounters;
}

export function StepFacts({ kernel, step, lines, counters, total }: StepFactsProps): VNode {
  const finding = step?.finding ?? null;
  return (
    <div class="step-facts">
      <Legend />
      <p class="readout" role="status">
        {step === null ? t('Start of the block: shared memory is uninitialized.') : stepText(step)}
        {finding === null ? null : <strong class="race">{finding}</strong>}
      </p>
      <Excerpt
        source={kernel.source}
        lines={step === null ? undefined : lines.get(step.statement)}
      />
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
      return t('Each thread commits its group of asynchronous copies.');
    case 'wait':
      return t(
        'Each thread waits until at most {0} groups of copies are in flight; {1} elements arrive.',
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
    even: t('holds data of an even k-iteration'),
    odd: t('holds data of an odd k-iteration, or stored in C'),
    'in-flight': t('asynchronous copy in flight'),
    padding: t('zero outside of the matrix'),
    read: t('read or multiplied in this step'),
    written: t('written in this step'),
    followed: t('followed element'),
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
