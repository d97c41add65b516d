/** Leaves out what of a CUDA file runs on the host: a C++ compiler has no word for its launches. Kernels stay as they are. */

/** Of the runtime's functions and of launches. */
const HOST = /<<<|\bcu(?:da|blas|rand)[A-Z]\w*\s*\(/;
const DEVICE = /\b__(?:global|device)__\b/;
const CONTAINER = /\b(?:namespace|extern|struct|class|union)\b[^()]*$/;

/** The text with the bodies of such functions as blanks; lines and columns of the rest stay. */
export function withoutHostCode(source: string): string {
  const code = withoutDirectives(withoutLiterals(source));
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

/** Offset of the brace that closes the one at `open`, or the end of the text. */
function endOf(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    depth += code[at] === '{' ? 1 : code[at] === '}' ? -1 : 0;
    if (depth === 0) return at;
  }
  return code.length;
}

const spaces = (text: string): string => text.replace(/[^\n]/g, ' ');

/** Comments and literals as blanks of the same length. */
export const withoutLiterals = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'/g, spaces);

/** The same of directives. */
const withoutDirectives = (code: string): string =>
  code.replace(/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/gm, spaces);
