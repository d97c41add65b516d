/** A, B and C to scale, arranged as in a matrix product: B above C, A to the left of C. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { operandGeometry, tileGridPath, type Box } from '../../src/core/charts/operandGeometry';
import type { WaveTiles } from '../../src/core/charts/tileMap';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { OperandName } from '../../src/core/spec/resolved';
import type { TileOfC } from '../../src/core/trace/tileOfC';
import { MapSurface, type SelectedPoint } from './mapSurface';
import { TileHandles, type TileEditing } from './tileHandle';

const SIDE_PX = 320;
/** Side of the mark of a selected element. */
const POINT_PX = 5;

export interface OperandMapProps {
  readonly kernel: Kernel;
  /** Tiles of C by wave; null if they are not drawn. */
  readonly waves: readonly WaveTiles[] | null;
  readonly tile: TileOfC;
  readonly point: SelectedPoint;
  /** Matrices whose tiles the line of the cursor accesses. */
  readonly linked: ReadonlySet<OperandName>;
  readonly onMove: (to: SelectedPoint) => void;
  /** Editing of an extent; null if the tiles cannot be edited. */
  readonly editing: TileEditing | null;
}

export function OperandMap(props: OperandMapProps): VNode {
  const { kernel, waves, tile, point, linked, onMove, editing } = props;
  const { m, n, k } = kernel.problem;
  const {
    a,
    b,
    c,
    letters,
    per,
    rows,
    columns,
    staged,
    at,
    tile: extent,
    tiles,
    ...picture
  } = operandGeometry(kernel, tile, point, SIDE_PX);
  const inside = (offset: number, size: number, scale: number): number | null =>
    offset >= 0 && offset < size * scale ? Math.floor(offset / scale) : null;
  const classOf = (part: string, operand: OperandName): string =>
    linked.has(operand) ? `${part} linked` : part;
  return (
    <MapSurface
      label={t('A, B and C with the tiles of the selected element')}
      width={picture.width}
      height={picture.height}
      point={point}
      step={{ row: extent.rows, column: extent.columns }}
      pointAt={(x, y) => {
        const row = inside(y - c.y, m, per.row);
        const column = inside(x - c.x, n, per.column);
        if (row !== null && column !== null) return { operand: 'c', row, column };
        const inA = inside(x - a.x, k, per.k);
        if (row !== null && inA !== null) return { operand: 'a', row, k: inA };
        const inB = inside(y - b.y, k, per.k);
        return column !== null && inB !== null ? { operand: 'b', column, k: inB } : null;
      }}
      onMove={onMove}
      handles={
        editing === null ? null : (
          <TileHandles
            kernel={kernel}
            level="block"
            extent={extent}
            editing={editing}
            rows={{
              edge: {
                at: (rows.y + rows.height) / picture.height,
                from: columns.x / picture.width,
                to: (columns.x + columns.width) / picture.width,
              },
              span: picture.height / per.row,
            }}
            columns={{
              edge: {
                at: (columns.x + columns.width) / picture.width,
                from: rows.y / picture.height,
                to: (rows.y + rows.height) / picture.height,
              },
              span: picture.width / per.column,
            }}
          />
        )
      }
    >
      <Matrix {...a} />
      <Matrix {...b} />
      <g
        class="waves"
        transform={`translate(${c.x} ${c.y}) scale(${per.column * extent.columns} ${per.row * extent.rows})`}
      >
        {waves?.map(({ wave, path }) => (
          <path key={wave} class={`wave-${wave % 4}`} d={path} />
        ))}
        {tiles === null ? null : <path class="tile-grid" d={tileGridPath(tiles)} />}
      </g>
      <Matrix {...c} />
      {letters.map(({ name, x, y }) => (
        <text key={name} x={x} y={y}>
          {name}
        </text>
      ))}
      <rect class="panel" x={a.x} width={a.width} {...rows} />
      <rect class="panel" y={b.y} height={b.height} {...columns} />
      <rect class={classOf('staged', 'a')} x={staged.from} width={staged.extent} {...rows} />
      <rect class={classOf('staged', 'b')} y={staged.from} height={staged.extent} {...columns} />
      <rect class={classOf('block', 'c')} {...rows} {...columns} />
      <g class="points">
        <Point x={at.k} y={at.row} />
        <Point x={at.column} y={at.k} />
        <Point x={at.column} y={at.row} />
      </g>
    </MapSurface>
  );
}

const Point = ({ x, y }: { readonly x: number; readonly y: number }): VNode => (
  <rect x={x - POINT_PX / 2} y={y - POINT_PX / 2} width={POINT_PX} height={POINT_PX} />
);

const Matrix = (box: Box): VNode => (
  <g class="matrix">
    <rect {...box} />
  </g>
);
