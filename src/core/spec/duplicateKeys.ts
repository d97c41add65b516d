/** Names that a JSON object gives more than once: `JSON.parse` keeps the last one and reports nothing. */
import { visit } from 'jsonc-parser';
import { withinStack } from './withinStack';

export interface DuplicateKey {
  /** JSON path of the field. */
  readonly path: string;
  /** Span of the later name, with its quotes. */
  readonly start: number;
  readonly end: number;
}

/** Returns the repeated names of a text that is JSON, in order. */
export function duplicateKeys(text: string): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
  /** Names so far of each open object. */
  const open: Set<string>[] = [];
  withinStack(() => {
    visit(text, {
      onObjectBegin: () => void open.push(new Set()),
      onObjectEnd: () => void open.pop(),
      onObjectProperty: (name, start, length, _line, _character, pathToObject) => {
        const names = open.at(-1);
        if (names?.has(name) === true) {
          const path = [...pathToObject(), name].join('.');
          found.push({ path, start, end: start + length });
        }
        names?.add(name);
      },
    });
  });
  return found;
}
