/** Line wrapping of emitted comments. */

/** Maximum number of columns in a comment line of an emitted file, including `// `. */
export const COMMENT_COLUMNS = 100;

/**
 * Breaks one paragraph into lines of at most `width` characters. Longer words are not broken, and
 * indented lines are not changed.
 */
export function wrapText(text: string, width: number): readonly string[] {
  if (text.startsWith(' ') || text.length <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
