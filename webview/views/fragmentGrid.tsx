/** Lanes and registers of a matrix, element by element; of a warp group's sums, what one warp has of eight columns. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { FragmentMap, Holder } from '../../src/core/analysis/fragmentMap';
import { Select } from '../kit';
import { PlaceGrid, type PlaceCell } from './placeGrid';

/** What one warp holds of a warp group's sums, and what repeats along their columns. */
const PART = { rows: 16, columns: 8 } as const;

/** Of a warp group, not of one warp. */
const isOfGroup = ({ matrix, rows }: Pick<FragmentMap, 'matrix' | 'rows'>): boolean =>
  matrix === 'C' && rows > PART.rows;

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

export function FragmentGrid({ map }: { readonly map: FragmentMap }): VNode {
  const { matrix, rows, columns, bits, registers } = map;
  const [warp, setWarp] = useState(0);
  const [block, setBlock] = useState(0);
  const parted = isOfGroup(map);
  const shown = parted ? PART : { rows, columns };
  const blocks = columns / PART.columns;
  const first = parted
    ? { row: warp * PART.rows, column: Math.min(block, blocks - 1) * PART.columns }
    : { row: 0, column: 0 };
  return (
    <figure class="request">
      <figcaption>
        {t(
          '{0}, {1} x {2} elements of {3} bits: {4} registers a lane.',
          ...[matrix, rows, columns, bits, registers],
        )}
      </figcaption>
      {parted ? (
        <div class="choices">
          <Select
            id={`fragment-warp-${matrix}`}
            label={t('Warp of the group')}
            value={`${warp}`}
            choices={upTo(rows / PART.rows).map(choice => ({
              value: `${choice}`,
              label: t(
                'warp {0}: rows {1} to {2}',
                ...[choice, choice * PART.rows, (choice + 1) * PART.rows - 1],
              ),
            }))}
            onChoose={value => {
              setWarp(Number(value));
            }}
          />
          <Select
            id={`fragment-columns-${matrix}`}
            label={t('Columns of the sums')}
            value={`${first.column / PART.columns}`}
            choices={upTo(blocks).map(choice => ({
              value: `${choice}`,
              label: t(
                'columns {0} to {1}',
                ...[choice * PART.columns, (choice + 1) * PART.columns - 1],
              ),
            }))}
            onChoose={value => {
              setBlock(Number(value));
            }}
          />
        </div>
      ) : null}
      <PlaceGrid
        label={t('Lanes and registers of {0}', matrix)}
        corner={t('row')}
        columns={upTo(shown.columns).map(column => `${first.column + column}`)}
        rows={map.holders.slice(first.row, first.row + shown.rows).map((held, row) => ({
          head: `${first.row + row}`,
          cells: held
            .slice(first.column, first.column + shown.columns)
            .map((holder, column) =>
              cellOf(map, holder, { row: first.row + row, column: first.column + column }),
            ),
        }))}
      />
    </figure>
  );
}

interface Place {
  readonly row: number;
  readonly column: number;
}

const cellOf = (map: FragmentMap, holder: Holder, place: Place): PlaceCell => ({
  text: `${holder.lane}.${holder.register}`,
  group: `${holder.warp} ${holder.lane}`,
  told: toldOf(map, holder, place),
});

function toldOf(
  { matrix, rows, bits }: FragmentMap,
  holder: Holder,
  { row, column }: Place,
): string {
  const { warp, lane, register, bit } = holder;
  const place = [matrix, row, column] as const;
  if (isOfGroup({ matrix, rows }))
    return t('{0}({1}, {2}): warp {3}, lane {4}, register {5}', ...place, warp, lane, register);
  return bits === 32
    ? t('{0}({1}, {2}): lane {3}, register {4}', ...place, lane, register)
    : t(
        '{0}({1}, {2}): lane {3}, register {4}, bits {5} to {6}',
        ...[...place, lane, register, bit, bit + bits - 1],
      );
}
