/**
 * Makes text of files, processes and names safe for VS Code surfaces that interpret plain strings.
 * Notifications and input boxes turn `[label](command:…)` into links; labels turn `$(name)` into
 * icons. A zero-width space between the two characters prevents both and keeps the text readable.
 */

/** VS Code truncates notifications at the same length. */
export const MAX_CHARACTERS = 1000;

/** A zero-width space, which prevents two characters from forming one token. */
const ZERO_WIDTH_SPACE = '\u200B';

/** Bidirectional control characters, which could disguise a name. */
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Removes control characters (except line feeds and tabs) and bidirectional controls. */
export const visibleText = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replace(DIRECTION, '');

/** Truncates without splitting a surrogate pair. */
const clipped = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

/**
 * Returns the text in a form that VS Code renders literally, without links, icons and control
 * characters.
 */
export const plainText = (text: string, most = MAX_CHARACTERS): string =>
  clipped(visibleText(text), most)
    .replace(/\](?=\()/g, `]${ZERO_WIDTH_SPACE}`)
    .replace(/\$(?=\()/g, `$${ZERO_WIDTH_SPACE}`);
