/** A, B and C to scale, arranged as in a matrix product: B above C, A to the left of C. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { waveTiles } from '../../src/core/charts/tileMap';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Waves } from '../../src/core/occupancy/report';
import type { Sides } from '../../src/core/plan/tileCount';
import type { OperandName } from '../../src/core/spec/resolved';
import { tileExtent, type TileOfC } from '../../src/core/trace/tileOfC';
import { MapSurface, type SelectedPoint } from './mapSurface';
import { TileHandles, type TileEditing } from './tileHandle';

const SIDE_PX = 320;
const GAP_PX = 8;
const LABEL_PX = 14;
/** Side of the mark of a selected element. */
const POINT_PX = 5;
/** Maximum number of tiles along M or N for which tile boundaries are drawn. */
const MAX_TILE_LINES = 64;
/** Minimum side length of a drawn matrix in pixels, so that a vector remains visible. */
const MIN_SIDE_PX = 12;

export interface OperandMapProps {
  readonly kernel: Kernel;
  readonly waves: Waves | null;
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
  const { plan, problem } = kernel;
  const { m, n, k } = problem;
  const blocksPerWave = waves?.blocksPerWave ?? null;
  const drawn = useMemo(
    () => (blocksPerWave === null ? null : waveTiles(plan, blocksPerWave)),
    [plan, blocksPerWave],
  );
  const scale = (SIDE_PX - GAP_PX) / Math.max(k + n, k + m);
  const px = (extent: number): number => Math.max(MIN_SIDE_PX, extent * scale);
  const [height, width, depth] = [px(m), px(n), px(k)];
  const c = { x: 1 + depth + GAP_PX, y: 1 + depth + GAP_PX };
  // A dimension that is enlarged to `MIN_SIDE_PX` has a separate scale.
  const [perRow, perColumn, perK] = [height / m, width / n, depth / k];
  const rows = { y: c.y + tile.row * perRow, height: tile.rows * perRow };
  const columns = { x: c.x + tile.column * perColumn, width: tile.columns * perColumn };
  const tileK = plan.tile.k === 0 ? 1 : plan.tile.k;
  const stagedFrom = Math.floor(point.k / tileK) * tileK;
  const staged = {
    from: 1 + stagedFrom * perK,
    extent: Math.min(k - stagedFrom, tileK) * perK,
  };
  const at = {
    row: c.y + (point.row + 0.5) * perRow,
    column: c.x + (point.column + 0.5) * perColumn,
    k: 1 + (point.k + 0.5) * perK,
  };
  const extent = tileExtent(plan);
  const tiles = { m: Math.ceil(m / extent.rows), n: Math.ceil(n / extent.columns) };
  const inside = (offset: number, size: number, per: number): number | null =>
    offset >= 0 && offset < size * per ? Math.floor(offset / per) : null;
  const classOf = (operand: OperandName): string | undefined =>
    linked.has(operand) ? 'linked' : undefined;
  const [pictureWidth, pictureHeight] = [c.x + width + 1, c.y + height + 1];
  return (
    <MapSurface
      label={t('A, B and C with the tiles of the selected element')}
      width={pictureWidth}
      height={pictureHeight}
      point={point}
      step={{ row: extent.rows, column: extent.columns }}
      pointAt={(x, y) => {
        const row = inside(y - c.y, m, perRow);
        const column = inside(x - c.x, n, perColumn);
        if (row !== null && column !== null) return { operand: 'c', row, column };
        const inA = inside(x - 1, k, perK);
        if (row !== null && inA !== null) return { operand: 'a', row, k: inA };
        const inB = inside(y - 1, k, perK);
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
                at: (rows.y + rows.height) / pictureHeight,
                from: columns.x / pictureWidth,
                to: (columns.x + columns.width) / pictureWidth,
              },
              span: pictureHeight / perRow,
            }}
            columns={{
              edge: {
                at: (columns.x + columns.width) / pictureWidth,
                from: rows.y / pictureHeight,
                to: (rows.y + rows.height) / pictureHeight,
              },
              span: pictureWidth / perColumn,
            }}
          />
        )
      }
    >
      <Matrix name="A" x={1} y={c.y} width={depth} height={height} />
      <Matrix name="B" x={c.x} y={1} width={width} height={depth} />
      <g
        class="waves"
        transform={`translate(${c.x} ${c.y}) scale(${perColumn * extent.columns} ${perRow * extent.rows})`}
      >
        {drawn?.map(({ wave, path }) => (
          <path key={wave} class={`wave-${wave % 4}`} d={path} />
        ))}
        <TileGrid tiles={tiles} />
      </g>
      <Matrix name="C" x={c.x} y={c.y} width={width} height={height} />
      <g class="panel">
        <rect x={1} width={depth} {...rows} />
        <rect y={1} height={depth} {...columns} />
      </g>
      <g class="staged">
        <rect class={classOf('a')} x={staged.from} width={staged.extent} {...rows} />
        <rect class={classOf('b')} y={staged.from} height={staged.extent} {...columns} />
      </g>
      <rect class={`block ${classOf('c') ?? ''}`} {...rows} {...columns} />
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

interface MatrixProps {
  readonly name: 'A' | 'B' | 'C';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const Matrix = ({ name, ...box }: MatrixProps): VNode => (
  <g class="matrix">
    <rect {...box} />
    <text x={box.x + 4} y={box.y + LABEL_PX}>
      {name}
    </text>
  </g>
);

function TileGrid({ tiles }: { readonly tiles: Sides }): VNode | null {
  if (Math.max(tiles.m, tiles.n) > MAX_TILE_LINES) return null;
  const across = Array.from({ length: tiles.m - 1 }, (_, i) => `M0 ${i + 1}h${tiles.n}`);
  const down = Array.from({ length: tiles.n - 1 }, (_, i) => `M${i + 1} 0v${tiles.m}`);
  return <path class="tile-grid" d={[...across, ...down].join('')} />;
}
