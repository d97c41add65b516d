/** Keeps the keyboard's place: where the focused element is gone or has become disabled, what stood before it takes over. */

/** Where pressing a key once more does no harm: fields, lists, links and what is read by arrow keys, not buttons. */
const HARMLESS =
  'input, summary, a[href], vscode-dropdown, vscode-single-select, [role=tab][tabindex="0"], [tabindex="0"]:not(vscode-button)';

/** To be called after every drawing. */
export type KeepFocus = () => void;

export function createKeepFocus(): KeepFocus {
  let focused: Element | null = null;
  /** Nearest last. */
  let before: readonly Element[] = [];
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    focused = target;
    const all = [...document.querySelectorAll(HARMLESS)];
    const { DOCUMENT_POSITION_FOLLOWING: after } = Node;
    // A reason goes with its fault: its field is nearer than whatever stands between.
    const reasons = target.closest('.reasons[id]')?.id;
    before = [
      ...all.filter(element => (element.compareDocumentPosition(target) & after) !== 0),
      ...all.filter(element => reasons !== undefined && describedBy(element).includes(reasons)),
    ];
  });
  const keep = (): void => {
    // While keys go to an editor beside, the page must not draw them away.
    if (!document.hasFocus()) return;
    const { activeElement } = document;
    if (focused === null || (activeElement !== document.body && activeElement !== focused)) return;
    if (isBuilt(focused)) return;
    const place = before.findLast(isThere) ?? document.querySelector(HARMLESS);
    if (place instanceof HTMLElement || place instanceof SVGElement) place.focus();
  };
  // Views that are drawn later, when the page is idle: at the latest when the keyboard goes on from there.
  document.addEventListener('keydown', keep, { capture: true });
  return keep;
}

const describedBy = (element: Element): readonly string[] =>
  element.getAttribute('aria-describedby')?.split(' ') ?? [];

/** Without asking for the page's layout. */
const isBuilt = (element: Element): boolean =>
  element.isConnected && !isDisabled(element) && element.closest('[hidden]') === null;

const isThere = (element: Element): boolean =>
  element.isConnected && !isDisabled(element) && element.checkVisibility();

/** An element of the toolkit has the property some frames before the attribute. */
const isDisabled = (element: Element): boolean =>
  element.hasAttribute('disabled') || Reflect.get(element, 'disabled') === true;
