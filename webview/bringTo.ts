/** Bringing a part of the page into sight, below the lid that stays there. */
import { fieldId } from './views/numberField';

/** What is drawn when the page is idle has found its place by then. */
const SETTLE_MS = 1000;

let letGo = (): void => undefined;

/** A part of the page or, with the keys, a field of the form. */
export function bringTo(part: string): void {
  const field = document.getElementById(fieldId(part));
  hold(field ?? document.getElementById(part));
  field?.focus({ preventScroll: true });
}

/** What is drawn later moves what is below, and may stand in another column: it stays until its reader moves on. */
function hold(element: HTMLElement | null): void {
  letGo();
  if (element === null) return;
  const place = (): void => {
    element.scrollIntoView();
  };
  const events = new AbortController();
  const grown = new ResizeObserver(place);
  letGo = () => {
    events.abort();
    grown.disconnect();
  };
  for (const name of ['wheel', 'pointerdown', 'keydown'])
    window.addEventListener(name, letGo, { signal: events.signal, passive: true });
  setTimeout(letGo, SETTLE_MS);
  for (const part of document.querySelectorAll('.lid, .summary, .column')) grown.observe(part);
  place();
}

/** Whatever is scrolled to, by us or by the keys, is not under the lid; returns what ends it. */
export function keepClearOfLid(): () => void {
  const lid = document.querySelector<HTMLElement>('.lid');
  const summary = document.querySelector<HTMLElement>('.summary');
  if (lid === null || summary === null) return () => undefined;
  const measured = new ResizeObserver(() => {
    const sticks = getComputedStyle(lid).position === 'sticky' ? lid : summary;
    document.documentElement.style.scrollPaddingTop = `${sticks.offsetHeight}px`;
  });
  // A lid without a box of its own does not change its size.
  for (const element of [lid, summary]) measured.observe(element);
  return () => {
    measured.disconnect();
  };
}
