/** The followed element of A or B: its position, and the steps that use it. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LoweredKernel } from '../../src/core/kernel/kernel';
import type { BlockTrace } from '../../src/core/trace/blockTrace';
import { journeyOf, type Visit } from '../../src/core/trace/journey';
import { indexOf, positionOf, type Position } from '../../src/core/trace/position';
import type { TaggedElement } from '../../src/core/trace/tags';
import { formatNumber } from '../format';
import { Table } from './figure';

export interface JourneyProps {
  readonly kernel: LoweredKernel;
  readonly trace: BlockTrace;
  readonly followed: TaggedElement | null;
  readonly onFollow: (element: TaggedElement | null) => void;
  /** Called with the number of executed steps to show. */
  readonly onMove: (count: number) => void;
}

const RADIO_GROUP = 'followed-operand';

export function Journey({ kernel, trace, followed, onFollow, onMove }: JourneyProps): VNode {
  const { problem } = kernel;
  const operand = followed?.operand === 'b' ? 'b' : 'a';
  const position: Position =
    followed === null ? { row: 0, column: 0 } : positionOf(problem, operand, followed.index);
  const visits = useMemo(
    () => (followed === null ? [] : journeyOf(trace, followed)),
    [trace, followed],
  );
  const follow = (of: 'a' | 'b', at: Position): void => {
    onFollow({ operand: of, index: indexOf(problem, of, at) });
  };
  const limits =
    operand === 'a' ? { row: problem.m, column: problem.k } : { row: problem.k, column: problem.n };
  return (
    <fieldset class="journey">
      <legend>{t('Follow an element')}</legend>
      <div class="tile-element">
        {(['a', 'b'] as const).map(name => (
          <label key={name}>
            <input
              type="radio"
              name={RADIO_GROUP}
              checked={followed !== null && operand === name}
              onChange={() => {
                follow(name, { row: 0, column: 0 });
              }}
            />
            {name.toUpperCase()}
          </label>
        ))}
        {(['row', 'column'] as const).map(axis => (
          <label key={axis}>
            {axis === 'row' ? t('row') : t('column')}
            <input
              type="number"
              min={0}
              max={limits[axis] - 1}
              value={position[axis]}
              onInput={event => {
                const value = event.currentTarget.valueAsNumber;
                if (Number.isInteger(value) && value >= 0 && value < limits[axis])
                  follow(operand, { ...position, [axis]: value });
              }}
            />
          </label>
        ))}
      </div>
      {followed === null ? null : (
        <Table
          caption={t('Steps of the element')}
          columns={[t('step'), t('event'), t('accesses or FMAs')]}
          numeric={[0, 2]}
          rows={visits.map(visit => [
            <button
              type="button"
              class="link"
              onClick={() => {
                onMove(visit.step + 1);
              }}
            >
              {visit.step + 1}
            </button>,
            eventText(visit),
            formatNumber(visit.count),
          ])}
        />
      )}
    </fieldset>
  );
}

const eventText = ({ what, space }: Visit): string => {
  if (what === 'multiply') return t('multiplied in FMAs');
  if (what === 'arrival') return t('arrives in shared memory');
  if (what === 'copy') return t('asynchronous copy to shared memory');
  if (what === 'store') return t('stored to shared memory');
  return space === 'global' ? t('loaded from global memory') : t('loaded from shared memory');
};
