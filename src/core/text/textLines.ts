/**
 * Splits chunked text into lines. Blank lines are skipped, and the text of overlong lines is
 * dropped.
 */

export interface TextLine {
  /** Text without its newline; empty for an overlong line. */
  readonly text: string;
  /** Number of characters without the newline. */
  readonly characters: number;
  /** One-based line number. */
  readonly number: number;
  readonly ended: boolean;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export interface LineSplitter {
  /** Returns the lines that this chunk completes. */
  readonly lines: (chunk: string) => Iterable<TextLine>;
  /** Returns the last line if it has no newline. */
  readonly last: () => Iterable<TextLine>;
}

export function createLineSplitter(maxCharacters: number): LineSplitter {
  let number = 1;
  let partialLine = '';
  let characters = 0;
  const line = (rest: string, ended: boolean): TextLine | undefined => {
    const whole = characters + rest.length;
    const text = whole > maxCharacters ? '' : partialLine + rest;
    partialLine = '';
    characters = 0;
    const blank = whole <= maxCharacters && text.trim() === '';
    return blank ? undefined : { text, characters: whole, number, ended };
  };
  return {
    *lines(chunk) {
      for (let at = 0; at < chunk.length;) {
        const code = chunk.charCodeAt(at);
        if (characters === 0 && (code === NEWLINE || code === RETURN)) {
          if (code === NEWLINE) number++;
          at++;
          continue;
        }
        const end = chunk.indexOf('\n', at);
        if (end < 0) {
          characters += chunk.length - at;
          partialLine = characters > maxCharacters ? '' : partialLine + chunk.slice(at);
          return;
        }
        const found = line(chunk.slice(at, end), true);
        if (found !== undefined) yield found;
        number++;
        at = end + 1;
      }
    },
    *last() {
      const found = characters === 0 ? undefined : line('', false);
      if (found !== undefined) yield found;
    },
  };
}
