/** One keystroke of a configuration change, as made by a user from field to field. */
export interface KeyPress {
  readonly kind: 'typed' | 'arrow key' | 'drop-down' | 'illegal' | 'no number';
  readonly field: string;
  readonly key: string;
  readonly replaces: boolean;
}

const id = (path: string): string => `field-${path.replaceAll('.', '-')}`;

const press = (kind: KeyPress['kind'], path: string, ...keys: readonly string[]): KeyPress[] =>
  keys.map(key => ({ kind, field: id(path), key, replaces: false }));

const type = (kind: KeyPress['kind'], path: string, text: string): KeyPress[] =>
  press(kind, path, ...Array.from(text)).map((each, i) => ({ ...each, replaces: i === 0 }));

const block = (name: string): string => `schedule.block.${name}`;
const thread = (name: string): string => `schedule.thread.${name}`;

/**
 * Cycle of changes that starts and ends with the 128 x 128 x 8 tile and 8 x 8 accumulators per
 * thread.
 */
export const ROUND: readonly KeyPress[] = [
  ...type('typed', block('m'), '64'),
  ...type('typed', block('n'), '256'),
  ...type('typed', block('m'), '128'),
  ...type('typed', block('n'), '128'),
  ...press('arrow key', thread('m'), 'ArrowDown', 'ArrowUp'),
  ...press('arrow key', thread('n'), 'ArrowDown', 'ArrowUp'),
  ...press('arrow key', block('k'), 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown'),
  ...press('arrow key', 'schedule.padding.a', 'ArrowUp', 'ArrowDown'),
  ...press('drop-down', 'problem.a.layout', 'ArrowDown', 'ArrowUp'),
  ...press('drop-down', 'device', 'ArrowDown', 'ArrowUp'),
  ...press('illegal', block('k'), '0', 'Backspace'),
  ...type('illegal', thread('m'), '7'),
  ...type('illegal', thread('m'), '8'),
  ...type('illegal', block('m'), '1000'),
  ...type('typed', block('m'), '128'),
  ...type('typed', 'problem.m', '4096'),
  ...press('no number', 'problem.k', 'e', 'Backspace'),
  ...press('drop-down', 'schedule.algorithm', 'ArrowUp', 'ArrowDown'),
];
