/** Keys of the whole page: undo and redo of the configuration. */
import type { Message } from './state';

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'
>;

/** Letters count by what is printed on the key, or by its place where the layout is not Latin. */
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

/** Text of its own, which its own undo serves. A number of the configuration is none. */
const ownsText = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && ['text', 'search'].includes(target.type));

/**
 * The key does not travel on: VS Code would answer it with an undo of the field's text, which would arrive as
 * one more edit. The same undo from a menu comes as `beforeinput`.
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
