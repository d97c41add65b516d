/**
 * Grid of the lane and register of each matrix element. Warp-group accumulators show one warp and
 * eight columns (rows if transposed) at a time.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { FragmentMap, Holder } from '../../src/core/charts/fragmentMap';
import { Select } from '../kit';
import { PlaceGrid, type PlaceCell } from './placeGrid';

/**
 * Repeating tile of one warp in the warp group's accumulators: 16 rows x 8 columns, or transposed.
 */
const WARP_PART = { along: 16, across: 8 } as const;

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

export function FragmentGrid({ map }: { readonly map: FragmentMap }): VNode {
  const { matrix, rows, columns, bits, registers, warpsAlong } = map;
  const [warp, setWarp] = useState(0);
  const [block, setBlock] = useState(0);
  const isTransposed = warpsAlong === 'columns';
  const [along, across] = isTransposed ? [columns, rows] : [rows, columns];
  const [part, acrossStart] = [
    warp * WARP_PART.along,
    Math.min(block, across / WARP_PART.across - 1) * WARP_PART.across,
  ];
  const whole = { first: { row: 0, column: 0 }, shown: { rows, columns } };
  const { first, shown } =
    warpsAlong === undefined
      ? whole
      : isTransposed
        ? {
            first: { row: acrossStart, column: part },
            shown: { rows: WARP_PART.across, columns: WARP_PART.along },
          }
        : {
            first: { row: part, column: acrossStart },
            shown: { rows: WARP_PART.along, columns: WARP_PART.across },
          };
  return (
    <figure class="request">
      <figcaption>
        {t(
          '{0}, {1} x {2} elements of {3} bits: {4} registers per lane.',
          matrix,
          rows,
          columns,
          bits,
          registers,
        )}
      </figcaption>
      {warpsAlong === undefined ? null : (
        <div class="choices">
          <Select
            id={`fragment-warp-${matrix}`}
            label={t('Warp in the group')}
            value={`${warp}`}
            choices={upTo(along / WARP_PART.along).map(choice => ({
              value: `${choice}`,
              label: (isTransposed ? warpOfColumns : warpOfRows)(choice),
            }))}
            onChoose={value => {
              setWarp(Number(value));
            }}
          />
          <Select
            id={`fragment-columns-${matrix}`}
            label={isTransposed ? t('Accumulator rows') : t('Accumulator columns')}
            value={`${acrossStart / WARP_PART.across}`}
            choices={upTo(across / WARP_PART.across).map(choice => ({
              value: `${choice}`,
              label: (isTransposed ? someRows : someColumns)(choice),
            }))}
            onChoose={value => {
              setBlock(Number(value));
            }}
          />
        </div>
      )}
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

const fromTo = (part: number, size: number) => [part * size, (part + 1) * size - 1] as const;
const warpOfRows = (warp: number): string =>
  t('warp {0}: rows {1} to {2}', warp, ...fromTo(warp, WARP_PART.along));
const warpOfColumns = (warp: number): string =>
  t('warp {0}: columns {1} to {2}', warp, ...fromTo(warp, WARP_PART.along));
const someRows = (part: number): string => t('rows {0} to {1}', ...fromTo(part, WARP_PART.across));
const someColumns = (part: number): string =>
  t('columns {0} to {1}', ...fromTo(part, WARP_PART.across));

interface Place {
  readonly row: number;
  readonly column: number;
}

const cellOf = (map: FragmentMap, holder: Holder, place: Place): PlaceCell => ({
  text: `${holder.lane}.${holder.register}`,
  group: `${holder.warp} ${holder.lane}`,
  told: descriptionOf(map, holder, place),
});

function descriptionOf(
  { matrix, warpsAlong, bits }: FragmentMap,
  holder: Holder,
  { row, column }: Place,
): string {
  const { warp, lane, register, bit } = holder;
  const place = [matrix, row, column] as const;
  if (warpsAlong !== undefined)
    return t('{0}({1}, {2}): warp {3}, lane {4}, register {5}', ...place, warp, lane, register);
  return bits === 32
    ? t('{0}({1}, {2}): lane {3}, register {4}', ...place, lane, register)
    : t(
        '{0}({1}, {2}): lane {3}, register {4}, bits {5} to {6}',
        ...place,
        lane,
        register,
        bit,
        bit + bits - 1,
      );
}
