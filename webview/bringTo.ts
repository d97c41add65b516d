/** Scrolling of sections and fields into view, below the sticky header. */
import { fieldId } from './views/numberField';

/** Time in milliseconds until deferred views have settled. */
const SETTLE_MS = 1000;

let releaseScroll = (): void => undefined;

/** Scrolls to a section, or scrolls to a form field and focuses it. */
export function scrollToPart(part: string): void {
  const field = document.getElementById(fieldId(part));
  hold(field ?? document.getElementById(part));
  field?.focus({ preventScroll: true });
}

/**
 * Keeps the position of the element while deferred views resize the page, until the user scrolls or
 * types.
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
  // With `display: contents`, the header has no box.
  for (const element of [stickyHeader, summary]) measured.observe(element);
  return () => {
    measured.disconnect();
  };
}
