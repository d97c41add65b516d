/**
 * The tile map: A, B and C with their tiles, and the owner, the addresses and the lines of the
 * selected elements.
 */
import { t } from '@vscode/l10n';
import type { FunctionComponent, VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { tileLevels, waveTiles, type TileLevelName } from '../../src/core/charts/tileMap';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Waves } from '../../src/core/occupancy/report';
import { OPERANDS } from '../../src/core/spec/resolved';
import type { GemmSpec } from '../../src/core/spec/schema';
import { elementFacts, type ElementFacts, type GemmPoint } from '../../src/core/trace/elementFacts';
import type { Owners } from '../../src/core/trace/owner';
import { ownersOf } from '../../src/core/trace/owners';
import { tileAround } from '../../src/core/trace/tileOfC';
import { useAfterPaint } from '../afterPaint';
import { isAt } from '../cursor';
import { formatNumber } from '../format';
import { linkLines } from '../linkedLines';
import type { Cursor, Message } from '../state';
import { useStaticPage } from '../staticPage';
import { legalExtents, type TilePath } from '../tileExtents';
import { BlockMap } from './blockMap';
import { Disclosure } from './disclosure';
import { Table } from './figure';
import { Held } from './held';
import { BlockCaption, BlockLegend, OperandLegend } from './mapLegend';
import type { SelectedPoint } from './mapSurface';
import { OperandMap } from './operandMap';
import { ownerText } from './ownerText';
import { PointFacts } from './pointFacts';
import type { SaveTileMapProps } from './saveTileMap';

export interface TileMapProps {
  readonly kernel: Kernel;
  /** Null for a device without an occupancy model. */
  readonly waves: Waves | null;
  /** Spec that the handles of the tiles edit. */
  readonly spec: GemmSpec | null;
  readonly cursor: Cursor | null;
  /** View that saves the map; it is not part of the first frame. */
  readonly SaveMap: FunctionComponent<SaveTileMapProps>;
  /** Content below the map. */
  readonly after: VNode;
  readonly dispatch: (message: Message) => void;
}

/** Point that is initially selected: no coordinate is 0, and the coordinates differ. */
const FIRST: SelectedPoint = { entry: 0, row: 5, column: 7, k: 3, operand: 'c' };

export function TileMap({ kernel, waves, after, ...props }: TileMapProps): VNode {
  const blocksPerWave = waves?.blocksPerWave;
  const input = useMemo(() => ({ kernel, waves }), [kernel, blocksPerWave]);
  const { value, stale } = useAfterPaint(input, of => ({
    ...of,
    owners: ownersOf(of.kernel),
    factsOf: elementFacts(of.kernel),
  }));
  if (value === null)
    return <div class="awaited" style={{ minBlockSize: '30lh' }} aria-busy="true" />;
  return (
    <div class={stale ? 'later stale' : 'later'} aria-busy={stale}>
      <Held stale={stale}>{() => <SelectableMap {...value} {...props} />}</Held>
      {after}
    </div>
  );
}

interface SelectableMapProps extends Omit<TileMapProps, 'after'> {
  readonly owners: Owners;
  readonly factsOf: (point: GemmPoint) => readonly ElementFacts[];
}

function SelectableMap(props: SelectableMapProps): VNode {
  const { kernel, waves, spec, cursor, SaveMap, dispatch, owners, factsOf } = props;
  const { m, n, k } = kernel.problem;
  const isStatic = useStaticPage();
  const [chosen, setChosen] = useState(FIRST);
  const point = within(chosen, kernel.problem);
  const tile = tileAround(kernel, point);
  const { row, column } = tile;
  const threads = useMemo(() => owners.threadsOf(tile), [owners, row, column]);
  const facts = factsOf(point);
  const owner = owners.ownerOf(point);
  const readout = ownerText(point, owner);
  const drawn = useMemo(
    () => (waves === null ? null : waveTiles(kernel.plan, waves.blocksPerWave)),
    [kernel.plan, waves],
  );
  const wavesText =
    waves === null || drawn === null
      ? null
      : t('C by wave, up to {0} blocks', formatNumber(waves.blocksPerWave));
  const captions = [
    layoutsText(kernel),
    t('{0} x {1} block tile', tile.rows, tile.columns),
  ] as const;
  // Only selections are announced, because edits of the spec also change the text.
  const movedIn = useRef<Kernel | null>(null);
  const link = ({ lines }: Pick<ElementFacts, 'lines'>): void => {
    linkLines({ kernel, lines: lines.map(used => used.lines) });
  };
  const move = (to: SelectedPoint): void => {
    movedIn.current = kernel;
    const moved = within(to, kernel.problem);
    setChosen(moved);
    link({ lines: facts.find(({ operand }) => operand === moved.operand)?.lines ?? [] });
  };
  const linked = new Set(
    facts.flatMap(({ operand, lines }) =>
      lines.some(used => isAt(cursor, kernel, used.lines)) ? [operand] : [],
    ),
  );
  const editing =
    spec === null
      ? null
      : { dispatch, legalFor: (path: TilePath) => legalExtents(spec, path, kernel.target) };
  return (
    <div class="tile-map">
      <figure>
        <OperandMap
          kernel={kernel}
          waves={drawn}
          tile={tile}
          point={point}
          linked={linked}
          onMove={move}
          editing={editing}
        />
        <figcaption>{captions[0]}</figcaption>
        <OperandLegend
          waves={wavesText === null ? null : { text: wavesText, count: drawn?.length ?? 0 }}
        />
      </figure>
      <figure>
        <BlockMap
          kernel={kernel}
          tile={tile}
          threads={threads}
          point={point}
          onMove={move}
          editing={editing}
        />
        <BlockCaption text={captions[1]} />
        <BlockLegend />
      </figure>
      {isStatic ? null : (
        <div class="tile-element">
          <Coordinate axis="row" point={point} limit={m} onMove={move} />
          <Coordinate axis="column" point={point} limit={n} onMove={move} />
          <Coordinate axis="k" point={point} limit={k} onMove={move} />
        </div>
      )}
      <p class="readout" aria-live={movedIn.current === kernel ? 'polite' : 'off'}>
        {readout}
      </p>
      <PointFacts
        kernel={kernel}
        facts={facts}
        withTmaStore={owner.writer.thread === null}
        onChoose={link}
      />
      <Levels kernel={kernel} />
      {isStatic ? null : (
        <Disclosure summary={t('Save picture')}>
          {() => (
            <SaveMap
              kernel={kernel}
              blocksPerWave={waves?.blocksPerWave ?? null}
              tile={tile}
              threads={threads}
              point={point}
              lines={[[...captions, wavesText].filter(Boolean).join('; '), readout]}
            />
          )}
        </Disclosure>
      )}
    </div>
  );
}

const within = (
  { row, column, k, ...point }: SelectedPoint,
  problem: Kernel['problem'],
): SelectedPoint => ({
  ...point,
  row: clamped(row, problem.m),
  column: clamped(column, problem.n),
  k: clamped(k, problem.k),
});

const clamped = (value: number, limit: number): number => Math.max(0, Math.min(limit - 1, value));

/** Groups the matrices by layout: `A, C row-major; B column-major`. */
const layoutsText = ({ problem }: Kernel): string =>
  (['row', 'col'] as const)
    .flatMap(layout => {
      const names = OPERANDS.filter(operand => problem[operand].layout === layout);
      if (names.length === 0) return [];
      const list = names.join(', ').toUpperCase();
      return [layout === 'row' ? t('{0} row-major', list) : t('{0} column-major', list)];
    })
    .join('; ');

interface CoordinateProps {
  readonly axis: 'row' | 'column' | 'k';
  readonly point: SelectedPoint;
  readonly limit: number;
  readonly onMove: (to: SelectedPoint) => void;
}

const axisName = (axis: CoordinateProps['axis']): string =>
  ({ row: t('row'), column: t('column'), k: 'k' })[axis];
/** Accessible name, which also distinguishes the coordinate from the field of the problem shape. */
const longName = (axis: CoordinateProps['axis']): string =>
  ({ row: t('row of C'), column: t('column of C'), k: t('k of A and B') })[axis];

const Coordinate = ({ axis, point, limit, onMove }: CoordinateProps): VNode => (
  <label>
    {axisName(axis)}
    <input
      type="number"
      aria-label={longName(axis)}
      min={0}
      max={limit - 1}
      value={point[axis]}
      onInput={event => {
        const value = event.currentTarget.valueAsNumber;
        if (Number.isInteger(value)) onMove({ ...point, operand: 'c', [axis]: value });
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
