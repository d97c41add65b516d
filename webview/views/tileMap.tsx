/** The tile map: A, B and C with their tiles, and the owner of the selected element of C. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { tileLevels, waveTiles, type TileLevelName } from '../../src/core/charts/tileMap';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Waves } from '../../src/core/occupancy/report';
import type { Element, Owners } from '../../src/core/trace/owner';
import { ownersOf } from '../../src/core/trace/owners';
import { tileAround } from '../../src/core/trace/tileOfC';
import { useAfterPaint } from '../afterPaint';
import { formatNumber } from '../format';
import { Table } from './figure';
import { OperandMap } from './operandMap';
import { BlockMap } from './blockMap';
import { ownerText } from './ownerText';

export interface TileMapProps {
  readonly kernel: Kernel;
  /** Null for a device without an occupancy model. */
  readonly waves: Waves | null;
}

/** Element that is initially selected: neither coordinate is 0, and the coordinates differ. */
const FIRST: Element = { entry: 0, row: 5, column: 7 };

export function TileMap({ kernel, waves }: TileMapProps): VNode {
  const blocksPerWave = waves?.blocksPerWave;
  const input = useMemo(() => ({ kernel, waves }), [kernel, blocksPerWave]);
  const { value, stale } = useAfterPaint(input, of => ({ ...of, owners: ownersOf(of.kernel) }));
  if (value === null)
    return <div class="awaited" style={{ minBlockSize: '30lh' }} aria-busy="true" />;
  return (
    <div class={stale ? 'later stale' : 'later'} aria-busy={stale}>
      <SelectableMap {...value} />
    </div>
  );
}

function SelectableMap({
  kernel,
  waves,
  owners,
}: TileMapProps & { readonly owners: Owners }): VNode {
  const { m, n } = kernel.problem;
  const [chosen, setChosen] = useState(FIRST);
  const element = {
    entry: 0,
    row: Math.min(chosen.row, m - 1),
    column: Math.min(chosen.column, n - 1),
  };
  const tile = tileAround(kernel, element);
  const { row, column } = tile;
  const threads = useMemo(() => owners.threadsOf(tile), [owners, row, column]);
  // Only selections are announced, because edits of the spec also change the text.
  const movedIn = useRef<Kernel | null>(null);
  const move = (to: Element): void => {
    movedIn.current = kernel;
    setChosen({
      entry: 0,
      row: Math.max(0, Math.min(m - 1, to.row)),
      column: Math.max(0, Math.min(n - 1, to.column)),
    });
  };
  return (
    <div class="tile-map">
      <figure>
        <OperandMap kernel={kernel} waves={waves} tile={tile} element={element} onMove={move} />
        <figcaption>{operandCaption(kernel, waves)}</figcaption>
      </figure>
      <figure>
        <BlockMap tile={tile} threads={threads} element={element} onMove={move} />
        <figcaption>
          {t('Block tile of C: {0} x {1} elements by warp', tile.rows, tile.columns)}
        </figcaption>
      </figure>
      <div class="tile-element">
        <Coordinate axis="row" element={element} limit={m} onMove={move} />
        <Coordinate axis="column" element={element} limit={n} onMove={move} />
      </div>
      <p class="readout" aria-live={movedIn.current === kernel ? 'polite' : 'off'}>
        {ownerText(kernel, element, owners.ownerOf(element))}
      </p>
      <Levels kernel={kernel} />
    </div>
  );
}

const operandCaption = ({ plan }: Kernel, waves: Waves | null): string =>
  waves === null || waveTiles(plan, waves.blocksPerWave) === null
    ? t('Row panel of A, column panel of B, tile of C')
    : t('C shaded by wave, up to {0} thread blocks per wave', formatNumber(waves.blocksPerWave));

interface CoordinateProps {
  readonly axis: 'row' | 'column';
  readonly element: Element;
  readonly limit: number;
  readonly onMove: (to: Element) => void;
}

const Coordinate = ({ axis, element, limit, onMove }: CoordinateProps): VNode => (
  <label>
    {axis === 'row' ? t('row of C') : t('column of C')}
    <input
      type="number"
      min={0}
      max={limit - 1}
      value={element[axis]}
      onInput={event => {
        const value = event.currentTarget.valueAsNumber;
        if (Number.isInteger(value)) onMove({ ...element, [axis]: value });
      }}
    />
  </label>
);

const levelName = (name: TileLevelName): string =>
  ({
    grid: t('GEMM'),
    block: t('thread block'),
    warpGroup: t('warp group'),
    warp: t('warp'),
    instruction: t('MMA instruction'),
    thread: t('thread'),
  })[name];

const Levels = ({ kernel }: { readonly kernel: Kernel }): VNode => (
  <Table
    caption={t('Tile sizes by level')}
    columns={[t('level'), 'M', 'N', 'K']}
    numeric={[1, 2, 3]}
    rows={tileLevels(kernel.plan).map(({ name, m, n, k }) => [
      levelName(name),
      formatNumber(m),
      formatNumber(n),
      formatNumber(k),
    ])}
  />
);
