/** Edges of a tile that the pointer or the arrow keys move, in legal steps. */
import { t } from '@vscode/l10n';
import type { TargetedEvent, TargetedKeyboardEvent, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { IN_PAGE } from '../afterPaint';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Message } from '../state';
import {
  extentPaths,
  MAX_EXTENT,
  MIN_EXTENT,
  nearestExtent,
  nextExtent,
  type LegalExtent,
  type TilePath,
} from '../tileExtents';

export interface TileEditing {
  readonly legalFor: (path: TilePath) => readonly LegalExtent[];
  readonly dispatch: (message: Message) => void;
}

interface TileEdge {
  /** Edge as fractions of the picture: its distance along the extent, and its range across. */
  readonly edge: { readonly at: number; readonly from: number; readonly to: number };
  /** Number of rows or columns that the picture is high or wide. */
  readonly span: number;
}

export interface TileHandlesProps {
  readonly kernel: Kernel;
  readonly level: 'block' | 'warp';
  readonly extent: Readonly<Record<'rows' | 'columns', number>>;
  readonly editing: TileEditing;
  /** Lower edge of the tile. */
  readonly rows: TileEdge;
  /** Right edge of the tile. */
  readonly columns: TileEdge;
}

/** Handles at the lower and the right edge. Null if the algorithm determines the tile. */
export function TileHandles(props: TileHandlesProps): VNode | null {
  const { kernel, level, extent, editing } = props;
  const paths = extentPaths(kernel, level);
  if (paths === null) return null;
  return (
    <>
      {(['rows', 'columns'] as const).map(along => (
        <TileHandle
          key={along}
          path={paths[along]}
          name={handleName(level, along)}
          along={along}
          extent={extent[along]}
          {...props[along]}
          legal={() => editing.legalFor(paths[along])}
          dispatch={editing.dispatch}
        />
      ))}
    </>
  );
}

/** Names differ from those of the fields BM, BN, WM and WN, which have the same value. */
const handleName = (level: 'block' | 'warp', along: 'rows' | 'columns'): string =>
  ({
    block: { rows: t('rows of the block tile'), columns: t('columns of the block tile') },
    warp: { rows: t('rows of the warp tile'), columns: t('columns of the warp tile') },
  })[level][along];

interface TileHandleProps extends TileEdge {
  readonly path: TilePath;
  readonly name: string;
  /** Direction in which the extent grows. */
  readonly along: 'rows' | 'columns';
  readonly extent: number;
  readonly legal: () => readonly LegalExtent[];
  readonly dispatch: (message: Message) => void;
}

const KEYS: Readonly<Record<string, boolean>> = {
  ArrowDown: true,
  ArrowRight: true,
  ArrowUp: false,
  ArrowLeft: false,
};

const percent = (fraction: number): string => `${100 * fraction}%`;

function TileHandle(props: TileHandleProps): VNode | null {
  const { path, name, along, extent, edge, span, legal, dispatch } = props;
  /** Start of a drag. The page may move and scale the picture when the tile changes. */
  const drag = useRef<{
    readonly legal: readonly LegalExtent[];
    readonly extent: number;
    readonly position: number;
    readonly perPixel: number;
  } | null>(null);
  const positionOf = (event: PointerEvent): number =>
    along === 'rows' ? event.clientY : event.clientX;
  const change = (to: LegalExtent | null): void => {
    if (to === null || to.extent === extent) return;
    const { changes } = to;
    dispatch(
      Object.keys(changes).length === 1
        ? { type: 'edit', path, text: String(to.extent) }
        : { type: 'choose', changes },
    );
  };
  const onPointerDown = (event: TargetedEvent<HTMLElement, PointerEvent>): void => {
    event.preventDefault();
    const { currentTarget: handle } = event;
    handle.setPointerCapture(event.pointerId);
    handle.focus();
    const box = handle.parentElement?.getBoundingClientRect();
    if (box === undefined) return;
    const perPixel = span / (along === 'rows' ? box.height : box.width);
    drag.current = { legal: legal(), extent, position: positionOf(event), perPixel };
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (drag.current === null) return;
    event.stopPropagation();
    const { position, perPixel, ...start } = drag.current;
    const wanted = start.extent + (positionOf(event) - position) * perPixel;
    change(nearestExtent(start.legal, wanted));
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const up = KEYS[event.key];
    if (up === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    change(nextExtent(legal(), extent, up));
  };
  const end = (): void => {
    drag.current = null;
    dispatch({ type: 'leave', path });
  };
  // The first frame takes no input, and its security policy permits no style attributes.
  if (!IN_PAGE) return null;
  const { at, from, to } = edge;
  return (
    <div
      class={`tile-handle of-${along}`}
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-orientation={along === 'rows' ? 'vertical' : 'horizontal'}
      aria-valuemin={MIN_EXTENT}
      aria-valuemax={MAX_EXTENT}
      aria-valuenow={extent}
      title={t('{0}: {1}', name, extent)}
      style={
        along === 'rows'
          ? { top: percent(at), left: percent(from), width: percent(to - from) }
          : { left: percent(at), top: percent(from), height: percent(to - from) }
      }
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={onKeyDown}
      onBlur={end}
    />
  );
}
