/** The roofline chart with zoom, pan, and mark selection by pointer and keyboard. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Roofline } from '../../src/core/roofline/contract';
import {
  MIDDLE,
  panned,
  zoomed,
  type Centre,
  type ChartWindow,
} from '../../src/core/charts/chartScales';
import { wholeWindow } from '../../src/core/charts/rooflineAxes';
import { rooflineChart } from '../../src/core/charts/rooflineChart';
import { pointLegend } from '../../src/core/charts/rooflineLegend';
import type { TrailRun } from '../../src/core/charts/rooflineTrail';
import { Button } from '../kit';
import { useOwnWidth } from '../ownWidth';
import type { ChartCeilings } from './rooflineLevels';
import { PointLegend } from './pointLegend';
import { Picture } from './rooflinePicture';
import { itemsOf } from './rooflineReadout';

export interface PlotProps {
  readonly roofline: Roofline;
  readonly trail: readonly TrailRun[];
  readonly sourceHash: string;
  /** Ceilings of memory levels and compute units; null until computed. */
  readonly roofs: ChartCeilings | null;
  /** Zoom window; null shows the full range. */
  readonly window: ChartWindow | null;
  readonly onWindow: (window: ChartWindow | null) => void;
}

const ZOOM = 1.6;
/** Fraction of the plot width or height by which an arrow key pans. */
const STEP = 0.12;

export function Plot(props: PlotProps): VNode {
  const { roofline, trail, sourceHash, window: chosen, onWindow } = props;
  const roofs = props.roofs?.drawn;
  const frame = useRef<HTMLDivElement>(null);
  const width = useOwnWidth(frame);
  const height = Math.round(Math.min(420, Math.max(220, width * 0.62)));
  const whole = useMemo(() => wholeWindow(roofline, trail, roofs), [roofline, trail, roofs]);
  const window = chosen ?? whole;
  const [pointed, setPointed] = useState<string | null>(null);
  const chart = useMemo(
    () => rooflineChart(roofline, { width, height }, { window, trail, roofs: roofs ?? [] }),
    [roofline, trail, roofs, width, height, window],
  );
  const legend = useMemo(() => pointLegend(roofline, roofs), [roofline, roofs]);
  const items = useMemo(
    () => itemsOf(roofline, trail, sourceHash, props.roofs?.items),
    [roofline, trail, sourceHash, props.roofs],
  );
  const change = (next: ChartWindow) => {
    onWindow(isSame(next, whole) ? null : next);
  };
  const zoom = (factor: number, centre: Centre = MIDDLE) => {
    change(zoomed(window, factor, centre, whole));
  };
  const pan = (x: number, y: number) => {
    change(panned(window, { x, y }, whole));
  };
  const gestures = useGestures(frame, { zoom, pan });
  const shown = items.find(({ key }) => key === pointed) ?? items[0];
  return (
    <>
      <div
        ref={frame}
        class={`chart${chosen === null ? '' : ' zoomed'}${props.roofs?.stale === true ? ' turning' : ''}`}
        role="group"
        tabIndex={0}
        aria-label={t('Roofline chart: plus and minus zoom, arrow keys pan, 0 shows all')}
        onKeyDown={event => {
          keyed(event, {
            zoom,
            pan,
            reset: () => {
              onWindow(null);
            },
          });
        }}
        {...gestures}
      >
        <Picture chart={chart} items={items} pointed={pointed} onPoint={setPointed} />
      </div>
      <PointLegend entries={legend} pointed={pointed} onPoint={setPointed} />
      <div class="chart-tools" role="group" aria-label={t('Zoom')}>
        <Button
          label={t('Zoom in')}
          onPress={() => {
            zoom(ZOOM);
          }}
        >
          +
        </Button>
        <Button
          label={t('Zoom out')}
          disabled={chosen === null}
          onPress={() => {
            zoom(1 / ZOOM);
          }}
        >
          −
        </Button>
        <Button
          disabled={chosen === null}
          onPress={() => {
            onWindow(null);
          }}
        >
          {t('Show all')}
        </Button>
      </div>
      {shown === undefined ? null : (
        <p class="readout">
          <b>{shown.name}</b> {shown.facts.join(', ')}
        </p>
      )}
    </>
  );
}

const isSame = (one: ChartWindow, other: ChartWindow): boolean =>
  (['x', 'y'] as const).every(axis => one[axis].every((value, i) => value === other[axis][i]));

interface Moves {
  readonly zoom: (factor: number, centre?: Centre) => void;
  readonly pan: (x: number, y: number) => void;
}

function keyed(
  event: KeyboardEvent,
  { zoom, pan, reset }: Moves & { readonly reset: () => void },
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const acts: Readonly<Record<string, () => void>> = {
    '+': () => {
      zoom(ZOOM);
    },
    '=': () => {
      zoom(ZOOM);
    },
    '-': () => {
      zoom(1 / ZOOM);
    },
    '0': reset,
    ArrowLeft: () => {
      pan(-STEP, 0);
    },
    ArrowRight: () => {
      pan(STEP, 0);
    },
    ArrowUp: () => {
      pan(0, STEP);
    },
    ArrowDown: () => {
      pan(0, -STEP);
    },
  };
  const act = acts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

/**
 * Handles gestures: dragging pans. The wheel zooms only with Ctrl or Cmd, so that it otherwise
 * scrolls the page.
 */
function useGestures(frame: { readonly current: HTMLDivElement | null }, moves: Moves) {
  const latest = useRef(moves);
  latest.current = moves;
  const drag = useRef<{ readonly x: number; readonly y: number } | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top, width, height } = element.getBoundingClientRect();
      const centre = { x: (event.clientX - left) / width, y: 1 - (event.clientY - top) / height };
      latest.current.zoom(ZOOM ** (-event.deltaY / 100), centre);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      element.removeEventListener('wheel', wheel);
    };
  }, []);
  return {
    onPointerDown: (event: PointerEvent) => {
      drag.current = { x: event.clientX, y: event.clientY };
    },
    onPointerMove: (event: PointerEvent) => {
      const from = drag.current;
      const element = frame.current;
      if (from === null || element === null || event.buttons !== 1) return;
      const { width, height } = element.getBoundingClientRect();
      latest.current.pan((from.x - event.clientX) / width, (event.clientY - from.y) / height);
      drag.current = { x: event.clientX, y: event.clientY };
    },
    onPointerUp: () => {
      drag.current = null;
    },
    onPointerLeave: () => {
      drag.current = null;
    },
  };
}
