/** Hook that returns the width of an element, which charts are drawn for. */
import { useLayoutEffect, useState } from 'preact/hooks';

/** Smallest width in pixels that a chart is drawn for. */
const MIN_WIDTH = 240;

/** Width in pixels of the last chart, with which the next chart starts. */
let lastWidth = MIN_WIDTH;

/** Returns the width of the frame in pixels, at least `minWidth`. */
export function useOwnWidth(
  frame: { readonly current: HTMLElement | null },
  minWidth = MIN_WIDTH,
): number {
  const [width, setWidth] = useState(lastWidth);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    // The observer callback follows layout and precedes paint, so this read forces no extra layout.
    const observer = new ResizeObserver(([entry]) => {
      const own = entry?.contentRect.width ?? 0;
      // A hidden chart reports width 0, so it keeps its last width.
      if (own === 0) return;
      lastWidth = Math.max(minWidth, Math.floor(own));
      setWidth(lastWidth);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  return width;
}
