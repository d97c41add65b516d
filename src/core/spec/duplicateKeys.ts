/** Finds duplicate names in JSON objects; `JSON.parse` silently keeps the last value. */
import { visit } from 'jsonc-parser';
import { withinStack } from './withinStack';

export interface DuplicateKey {
  /** JSON path of the field. */
  readonly path: string;
  /** Span of the later name, with its quotes. */
  readonly start: number;
  readonly end: number;
}

/** Returns the duplicate names of a valid JSON text, in order. */
export function duplicateKeys(text: string): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
  /** Names seen in each open object. */
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
