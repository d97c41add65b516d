/** The lines of a text that arrives in chunks. Blank lines are skipped, and no line is kept that is longer than allowed. */

export interface TextLine {
  /** Without its newline; empty for a line that is too long. */
  readonly text: string;
  /** Of the line, its newline excluded. */
  readonly characters: number;
  /** From 1. */
  readonly number: number;
  /** Whether a newline follows. */
  readonly ended: boolean;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export interface LineSplitter {
  /** The lines that this chunk ends. */
  readonly lines: (chunk: string) => Iterable<TextLine>;
  /** The last line, where it has no newline. */
  readonly last: () => Iterable<TextLine>;
}

export function createLineSplitter(mostCharacters: number): LineSplitter {
  let number = 1;
  /** The begin of a line that no chunk has ended so far. */
  let begun = '';
  let characters = 0;
  const line = (rest: string, ended: boolean): TextLine | undefined => {
    const whole = characters + rest.length;
    const text = whole > mostCharacters ? '' : begun + rest;
    begun = '';
    characters = 0;
    const blank = whole <= mostCharacters && text.trim() === '';
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
          begun = characters > mostCharacters ? '' : begun + chunk.slice(at);
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
