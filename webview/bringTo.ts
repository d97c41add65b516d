/** Scrolling of sections and fields into view, below the sticky header. */
import { fieldId } from './views/numberField';

/** Maximum time in milliseconds for which the scroll position is kept while deferred views load. */
const SETTLE_MS = 1000;

let releaseScroll = (): void => undefined;

/** Scrolls to a section, or scrolls to a form field and focuses it. */
export function scrollToPart(part: string): void {
  const field = document.getElementById(fieldId(part));
  hold(field ?? document.getElementById(part));
  field?.focus({ preventScroll: true });
}

/**
 * Keeps the element in view while deferred views resize the page: for SETTLE_MS, or until the user
 * scrolls, clicks or types.
 */
function hold(element: HTMLElement | null): void {
  releaseScroll();
  if (element === null) return;
  const place = (): void => {
    element.scrollIntoView();
  };
  const events = new AbortController();
  const grown = new ResizeObserver(place);
  releaseScroll = () => {
    events.abort();
    grown.disconnect();
  };
  for (const name of ['wheel', 'pointerdown', 'keydown'])
    window.addEventListener(name, releaseScroll, { signal: events.signal, passive: true });
  setTimeout(releaseScroll, SETTLE_MS);
  for (const part of document.querySelectorAll('.lid, .summary, .column')) grown.observe(part);
  place();
}

/** Sets the scroll padding to the height of the sticky header; returns a dispose function. */
export function keepClearOfStickyHeader(): () => void {
  const stickyHeader = document.querySelector<HTMLElement>('.lid');
  const summary = document.querySelector<HTMLElement>('.summary');
  if (stickyHeader === null || summary === null) return () => undefined;
  const measured = new ResizeObserver(() => {
    const sticks = getComputedStyle(stickyHeader).position === 'sticky' ? stickyHeader : summary;
    document.documentElement.style.scrollPaddingTop = `${sticks.offsetHeight}px`;
  });
  // With `display: contents`, the header has no box, so the summary is observed too.
  for (const element of [stickyHeader, summary]) measured.observe(element);
  return () => {
    measured.disconnect();
  };
}
