/**
 * Makes text from files, processes and names safe for VS Code surfaces that interpret plain
 * strings. Notifications and input boxes turn `[label](command:…)` into links, and labels turn
 * `$(name)` into icons. A zero-width space between the two characters prevents this and keeps the
 * text readable.
 */

export const MAX_CHARACTERS = 1000;

const ZERO_WIDTH_SPACE = '\u200B';

/** Bidirectional control characters, which could disguise a name. */
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Replaces control characters other than tabs with spaces, unifies line breaks as line feeds, and
 * removes bidirectional controls.
 */
export const visibleText = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replace(DIRECTION, '');

/**
 * Truncates a text to `most` characters, including an ellipsis, without splitting a surrogate pair.
 */
const clipped = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

/**
 * Returns text that VS Code renders literally, without links, icons and control characters. Longer
 * texts are truncated to `most` characters.
 */
export const plainText = (text: string, most = MAX_CHARACTERS): string =>
  clipped(visibleText(text), most)
    .replace(/\](?=\()/g, `]${ZERO_WIDTH_SPACE}`)
    .replace(/\$(?=\()/g, `$${ZERO_WIDTH_SPACE}`);
