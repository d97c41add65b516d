/** Scrolling of sections and fields into view, below the sticky header. */
import { fieldId } from './views/numberField';

/**
 * Time in milliseconds without a change of size after which the page counts as complete. Deferred
 * views of a busy machine follow each other with gaps of more than a second.
 */
const SETTLE_MS = 3000;
const MAX_HOLD_MS = 15_000;

let releaseScroll = (): void => undefined;

export function scrollToPart(part: string): void {
  const field = document.getElementById(fieldId(part));
  hold(field ?? document.getElementById(part));
  field?.focus({ preventScroll: true });
}

/**
 * Keeps the element in view while deferred views resize the page: until the sizes have not changed
 * for SETTLE_MS, or until the user scrolls, clicks or types; at most for MAX_HOLD_MS.
 */
function hold(element: HTMLElement | null): void {
  releaseScroll();
  if (element === null) return;
  let settled: ReturnType<typeof setTimeout> | undefined;
  const longest = setTimeout(() => {
    release();
  }, MAX_HOLD_MS);
  const place = (): void => {
    element.scrollIntoView();
    clearTimeout(settled);
    settled = setTimeout(release, SETTLE_MS);
  };
  const events = new AbortController();
  const grown = new ResizeObserver(place);
  const release = (): void => {
    clearTimeout(settled);
    clearTimeout(longest);
    events.abort();
    grown.disconnect();
  };
  releaseScroll = release;
  for (const name of ['wheel', 'pointerdown', 'keydown'])
    window.addEventListener(name, release, { signal: events.signal, passive: true });
  for (const part of document.querySelectorAll('.top, .sticky-head, .column')) grown.observe(part);
  place();
}

/** Publishes the height of the sticky header to the style sheets; returns a dispose function. */
export function keepClearOfStickyHeader(): () => void {
  const stickyHead = document.querySelector<HTMLElement>('.sticky-head');
  if (stickyHead === null) return () => undefined;
  const measured = new ResizeObserver(() => {
    document.documentElement.style.scrollPaddingTop = `${stickyHead.offsetHeight}px`;
    document.body.style.setProperty('--header', `${stickyHead.offsetHeight}px`);
  });
  measured.observe(stickyHead);
  return () => {
    measured.disconnect();
  };
}
