/**
 * Finds duplicate names in JSON objects. `JSON.parse` keeps only the last value of a name and
 * reports no error.
 */
import { visit } from 'jsonc-parser';
import { withinStack } from './withinStack';

export interface DuplicateKey {
  readonly path: string;
  /** Span of the repeated name, including its quotes. */
  readonly start: number;
  readonly end: number;
}

/** Returns the duplicate names in a valid JSON text, in order of occurrence. */
export function duplicateKeys(text: string): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
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
