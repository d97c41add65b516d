/** Page-wide keys for undo and redo of the configuration. */
import type { Message } from './state';

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'
>;

/** Returns the letter of a key, or the letter at its position on a non-Latin keyboard layout. */
function letterOf({ key, code }: Pressed): string {
  return /^[a-z]$/i.test(key) ? key.toLowerCase() : code.replace('Key', '').toLowerCase();
}

export function stepOf(pressed: Pressed): 'undo' | 'redo' | null {
  const { ctrlKey, metaKey, altKey, shiftKey, isComposing } = pressed;
  if (ctrlKey === metaKey || altKey || isComposing) return null;
  const letter = letterOf(pressed);
  if (letter === 'z') return shiftKey ? 'redo' : 'undo';
  return letter === 'y' && !shiftKey ? 'redo' : null;
}

/**
 * Returns whether undo keys act on the text of the target. Number fields of the configuration are
 * excluded.
 */
const ownsText = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && ['text', 'search'].includes(target.type));

/**
 * Dispatches undo and redo for keys and menu items. Stops propagation, because VS Code would also
 * undo the text of the field. The Undo menu item triggers `beforeinput`.
 */
export function listenForSteps(dispatch: (message: Message) => void): void {
  const take = (event: Event, type: 'undo' | 'redo') => {
    event.preventDefault();
    event.stopPropagation();
    dispatch({ type });
  };
  document.addEventListener('keydown', event => {
    const step = ownsText(event.target) ? null : stepOf(event);
    if (step !== null) take(event, step);
  });
  document.addEventListener('beforeinput', event => {
    if (ownsText(event.target)) return;
    if (event.inputType === 'historyUndo') take(event, 'undo');
    if (event.inputType === 'historyRedo') take(event, 'redo');
  });
}
