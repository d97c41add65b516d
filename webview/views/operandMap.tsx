/** A, B and C to scale, arranged as in a matrix product: B above C, A to the left of C. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { waveTiles } from '../../src/core/charts/tileMap';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Waves } from '../../src/core/occupancy/report';
import type { Element } from '../../src/core/trace/owner';
import { tileExtent, type TileOfC } from '../../src/core/trace/tileOfC';
import type { Sides } from '../../src/core/plan/tileCount';
import { MapSurface } from './mapSurface';

const SIDE_PX = 320;
const GAP_PX = 8;
const LABEL_PX = 14;
/** Maximum number of tiles along M or N for which tile boundaries are drawn. */
const MAX_TILE_LINES = 64;
/** Minimum side length of a drawn matrix in pixels, so that a vector remains visible. */
const MIN_SIDE_PX = 12;

export interface OperandMapProps {
  readonly kernel: Kernel;
  readonly waves: Waves | null;
  readonly tile: TileOfC;
  readonly element: Element;
  readonly onMove: (to: Element) => void;
}

export function OperandMap({ kernel, waves, tile, element, onMove }: OperandMapProps): VNode {
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
  const staged = Math.min(k, plan.tile.k === 0 ? 1 : plan.tile.k) * perK;
  const extent = tileExtent(plan);
  const tiles = { m: Math.ceil(m / extent.rows), n: Math.ceil(n / extent.columns) };
  return (
    <MapSurface
      label={t('A, B and C with the tiles of the selected element')}
      width={c.x + width + 1}
      height={c.y + height + 1}
      element={element}
      step={{ row: extent.rows, column: extent.columns }}
      elementAt={(x, y) => ({
        row: Math.floor((y - c.y) / perRow),
        column: Math.floor((x - c.x) / perColumn),
      })}
      onMove={onMove}
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
        <rect x={1} width={staged} {...rows} />
        <rect y={1} height={staged} {...columns} />
      </g>
      <rect class="block" {...rows} {...columns} />
    </MapSurface>
  );
}

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
