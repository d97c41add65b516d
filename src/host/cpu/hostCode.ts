/**
 * Removes host code from a CUDA file, because a C++ compiler cannot parse kernel launches. Kernels
 * are not changed.
 */

/** Matches calls of CUDA, cuBLAS and cuRAND functions, and kernel launches. */
const HOST = /<<<|\bcu(?:da|blas|rand)[A-Z]\w*\s*\(/;
const DEVICE = /\b__(?:global|device)__\b/;
const CONTAINER = /\b(?:namespace|extern|struct|class|union)\b[^()]*$/;

/**
 * Replaces the bodies of host functions that contain such calls or launches with blanks, so that
 * lines and columns do not change.
 */
export function stripHostCode(source: string): string {
  const code = blankDirectives(blankLiterals(source));
  if (!HOST.test(code)) return source;
  let text = source;
  let head = 0;
  let closing = 0;
  for (let at = 0; at < code.length; at++) {
    const letter = code.charAt(at);
    if (letter === ';' || (letter === '}' && at >= closing)) head = at + 1;
    if (letter !== '{') continue;
    const header = code.slice(head, at);
    if (CONTAINER.test(header)) {
      head = at + 1;
      continue;
    }
    closing = endOf(code, at);
    const body = code.slice(at + 1, closing);
    if (!DEVICE.test(header) && HOST.test(body)) {
      text = text.slice(0, at + 1) + spaces(text.slice(at + 1, closing)) + text.slice(closing);
    }
    at = closing;
    head = closing + 1;
  }
  return text;
}

/** Returns the offset of the brace that matches the brace at `open`, or the length of the text. */
function endOf(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    depth += code[at] === '{' ? 1 : code[at] === '}' ? -1 : 0;
    if (depth === 0) return at;
  }
  return code.length;
}

const spaces = (text: string): string => text.replace(/[^\n]/g, ' ');

/** Replaces comments and literals with blanks of the same length; line breaks are kept. */
export const blankLiterals = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'/g, spaces);

const blankDirectives = (code: string): string =>
  code.replace(/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/gm, spaces);
