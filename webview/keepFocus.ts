/**
 * Keyboard focus: if the focused element is removed or disabled, a preceding element receives the
 * focus.
 */

/** Elements where a repeated keystroke is harmless, which excludes buttons. */
const HARMLESS =
  'input, summary, a[href], vscode-dropdown, vscode-single-select, [role=tab][tabindex="0"], [tabindex="0"]:not(vscode-button)';

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
    // If a reason is removed, return the focus to its field, not to an element in between.
    const reasons = target.closest('.reasons[id]')?.id;
    before = [
      ...all.filter(element => (element.compareDocumentPosition(target) & after) !== 0),
      ...all.filter(element => reasons !== undefined && describedBy(element).includes(reasons)),
    ];
  });
  const keep = (): void => {
    // Do not take the focus from a text editor of VS Code.
    if (!document.hasFocus()) return;
    const { activeElement } = document;
    if (focused === null || (activeElement !== document.body && activeElement !== focused)) return;
    if (isBuilt(focused)) return;
    const place = before.findLast(isThere) ?? document.querySelector(HARMLESS);
    if (place instanceof HTMLElement || place instanceof SVGElement) place.focus();
  };
  // Deferred views render when idle, so check again before the next key.
  document.addEventListener('keydown', keep, { capture: true });
  return keep;
}

const describedBy = (element: Element): readonly string[] =>
  element.getAttribute('aria-describedby')?.split(' ') ?? [];

/** Does not force a layout, unlike `checkVisibility`. */
const isBuilt = (element: Element): boolean =>
  element.isConnected && !isDisabled(element) && element.closest('[hidden]') === null;

const isThere = (element: Element): boolean =>
  element.isConnected && !isDisabled(element) && element.checkVisibility();

/** Toolkit elements set the property some frames before the attribute. */
const isDisabled = (element: Element): boolean =>
  element.hasAttribute('disabled') || Reflect.get(element, 'disabled') === true;
