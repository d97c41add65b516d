/**
 * Text of files, programs and names, made safe for surfaces of VS Code that interpret plain strings. Notifications and
 * input boxes turn `[label](command:…)` into links; labels turn `$(name)` into icons. A zero-width space between the two
 * characters keeps the text readable and ends both. Pure.
 */

/** VS Code cuts notifications at this length as well. */
export const MOST_CHARACTERS = 1000;

/** Keeps two characters from being read as one token; it has no width. */
const APART = '\u200B';

/** Characters that reorder the text around them: a name could pretend to be another one. */
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Removes what is not text: control characters (line feeds and tabs stay) and changes of direction. */
export const visibleText = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replace(DIRECTION, '');

/** Cuts between characters, never within one. */
const clipped = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Returns the text in a form that VS Code shows character by character: without links, icons and control characters. */
export const plainText = (text: string, most = MOST_CHARACTERS): string =>
  clipped(visibleText(text), most)
    .replace(/\](?=\()/g, `]${APART}`)
    .replace(/\$(?=\()/g, `$${APART}`);
