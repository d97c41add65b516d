/**
 * Error maps of an incorrect result: C by tiles, positions within a tile with warps and threads,
 * patterns, and samples.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Measurement } from '../../src/core/measure/measurement';
import { bitsOf, type BitMap } from '../../src/core/measure/wrongMap';
import { planIfLegal } from '../../src/core/plan/planner';
import { ownersOf, type Owners } from '../../src/core/verify/owners';
import { patternsOf } from '../../src/core/verify/patterns';
import { wrongSummary } from '../../src/core/verify/wrongText';
import { formatNumber } from '../format';
import { Disclosure } from './disclosure';
import { Table } from './figure';

type Cell = readonly [row: number, column: number];
type Owner = (row: number, column: number) => number;

/**
 * Maximum number of tiles per dimension for drawing tile outlines; denser outlines would hide the
 * cells.
 */
const MAX_OUTLINED = 64;
const everyCell =
  ({ columns }: BitMap): Owner =>
  (row, column) =>
    row * columns + column;

export function IncorrectResult({ run }: { readonly run: Measurement }): VNode | null {
  const patterns = useMemo(() => patternsOf(run), [run]);
  const owners = useMemo(() => ownersOfRun(run), [run]);
  const { wrong } = run.verification;
  if (wrong === undefined) return null;
  const { tile, fold, examples } = wrong;
  const cell = { m: tile.m * fold, n: tile.n * fold };
  return (
    <div class="wrong">
      <p>{wrongSummary(wrong)}</p>
      {patterns.length === 0 ? null : (
        <ul>
          {patterns.map(({ id, title, reason, look }) => (
            <li key={id}>
              <b>{title}</b> {reason} {look}
            </li>
          ))}
        </ul>
      )}
      <div class="maps">
        <BitGrid
          label={t('C in tiles of {0} x {1}', cell.m, cell.n)}
          map={wrong.tiles}
          cell={cell}
          {...(Math.max(wrong.tiles.rows, wrong.tiles.columns) > MAX_OUTLINED
            ? {}
            : { threads: everyCell(wrong.tiles) })}
          say={([row, column], is) => {
            const place = [row * cell.m, column * cell.n] as const;
            return is
              ? t('Tile at row {0}, column {1}: incorrect.', ...place)
              : t('Tile at row {0}, column {1}: correct.', ...place);
          }}
        />
        <BitGrid
          label={t('Errors within a tile (any tile)')}
          map={wrong.within}
          cell={{ m: 1, n: 1 }}
          {...(owners === null ? {} : { threads: owners.thread, warps: owners.warp })}
          say={(at, is) => [elementText(at, is), ownerText(at, owners)].filter(Boolean).join(' ')}
        />
      </div>
      <Disclosure summary={t('Sample of {0} incorrect elements', formatNumber(examples.length))}>
        {() => (
          <Table
            caption={t('Sample of the incorrect elements')}
            columns={[t('row'), t('column'), t('batch'), t('actual'), t('expected')]}
            numeric={[0, 1, 2, 3, 4]}
            rows={examples.map(({ row, column, product, actual, expected }) => [
              ...[row, column, product].map(String),
              actual === null ? t('not finite') : formatNumber(actual),
              formatNumber(expected),
            ])}
          />
        )}
      </Disclosure>
    </div>
  );
}

const elementText = ([row, column]: Cell, is: boolean): string =>
  is
    ? t('Row {0}, column {1} of a tile: incorrect in at least one tile.', row, column)
    : t('Row {0}, column {1} of a tile: correct in every tile.', row, column);

function ownerText([row, column]: Cell, owners: Owners | null): string {
  const thread = owners?.thread?.(row, column);
  if (owners === null || thread === undefined) return '';
  return owners.warp === null
    ? t('Thread {0}.', thread)
    : t('Warp {0}, lane {1}.', owners.warp(row, column), thread % 32);
}

function ownersOfRun({ resolved, backend }: Measurement): Owners | null {
  const plan =
    resolved === null ? null : planIfLegal(resolved, backend === 'webgpu' ? 'wgsl' : 'cuda');
  return plan === null ? null : ownersOf(plan);
}

interface BitGridProps {
  readonly label: string;
  readonly map: BitMap;
  /** Elements of C per grid cell. */
  readonly cell: { readonly m: number; readonly n: number };
  /**
   * Returns the owner of a cell. Thin lines separate cells of different `threads`, and thick lines
   * separate cells of different `warps`.
   */
  readonly threads?: Owner | null;
  readonly warps?: Owner | null;
  readonly say: (at: Cell, isWrong: boolean) => string;
}

function BitGrid({
  label,
  map,
  cell,
  threads = null,
  warps = null,
  say: describeCell,
}: BitGridProps): VNode {
  const [cursor, setCursor] = useState<Cell | null>(null);
  const { rows, columns } = map;
  const is = useMemo(() => bitsOf(map), [map]);
  const drawn = useMemo(
    () => ({
      wrong: wrongPath(map),
      warps: bordersOf(map, warps),
      threads: bordersOf(map, threads),
    }),
    [map],
  );
  const at = cursor ?? firstWrong(map, is);
  const description = describeCell(at, is(...at));
  const move = ([row, column]: Cell): void => {
    setCursor([Math.max(0, Math.min(rows - 1, row)), Math.max(0, Math.min(columns - 1, column))]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [row, column] = at;
    const to: Cell | undefined = (
      {
        ArrowUp: [row - 1, column],
        ArrowDown: [row + 1, column],
        ArrowLeft: [row, column - 1],
        ArrowRight: [row, column + 1],
        Home: [row, 0],
        End: [row, columns - 1],
        PageUp: [row - 10, column],
        PageDown: [row + 10, column],
      } as Readonly<Record<string, Cell>>
    )[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  return (
    <figure>
      <figcaption>{label}</figcaption>
      <div
        class="bits"
        role="slider"
        tabIndex={0}
        aria-label={t('{0}; inspect with arrow keys', label)}
        aria-valuemin={0}
        aria-valuemax={rows * columns - 1}
        aria-valuenow={at[0] * columns + at[1]}
        aria-valuetext={description}
        style={{ aspectRatio: `${columns * cell.n} / ${rows * cell.m}` }}
        onKeyDown={onKeyDown}
        onPointerMove={event => {
          const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
          move([
            Math.floor(((event.clientY - top) / Math.max(1, height)) * rows),
            Math.floor(((event.clientX - left) / Math.max(1, width)) * columns),
          ]);
        }}
      >
        <svg viewBox={`0 0 ${columns} ${rows}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="cells" d={drawn.wrong} />
          <path class="threads" d={drawn.threads} />
          <path class="warps" d={drawn.warps} />
          {cursor === null ? null : (
            <rect class="cursor" x={at[1]} y={at[0]} width="1" height="1" />
          )}
        </svg>
      </div>
      <p class="readout">{description}</p>
    </figure>
  );
}

function firstWrong({ rows, columns }: BitMap, is: (row: number, column: number) => boolean): Cell {
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) if (is(row, column)) return [row, column];
  return [0, 0];
}

function wrongPath(map: BitMap): string {
  const is = bitsOf(map);
  const parts: string[] = [];
  for (let row = 0; row < map.rows; row++) {
    for (let column = 0; column < map.columns; column++) {
      if (!is(row, column)) continue;
      let end = column + 1;
      while (end < map.columns && is(row, end)) end++;
      parts.push(`M${column} ${row}H${end}V${row + 1}H${column}Z`);
      column = end;
    }
  }
  return parts.join('');
}

function bordersOf({ rows, columns }: BitMap, owner: Owner | null): string {
  if (owner === null) return '';
  const parts: string[] = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const own = owner(row, column);
      if (column > 0 && owner(row, column - 1) !== own) parts.push(`M${column} ${row}v1`);
      if (row > 0 && owner(row - 1, column) !== own) parts.push(`M${column} ${row}h1`);
    }
  return parts.join('');
}
