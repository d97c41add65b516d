/** Locates the kernels of a text: every `__global__` and `@compute` function that it defines. */
import type { Target } from '../spec/schema';
import { marksOf, type Mark } from './lexemes';

export interface KernelSite {
  readonly entry: string;
  /** Line of `__global__` or `@compute`, from 0. */
  readonly line: number;
  readonly target: Target;
}

/** A site with its offsets in the text. */
export interface Located extends KernelSite {
  /** Offset of `__global__` or `@compute`. */
  readonly start: number;
  /** Offset of the kernel's name. */
  readonly nameAt: number;
}

/** Maximum text length for the scan, in characters: about 50,000 lines. */
export const MAX_SCANNED_CHARACTERS = 2_000_000;

/** Maximum distance between a mark and its kernel's body. */
const MAX_DECLARATION_CHARACTERS = 4000;

/**
 * Lists every kernel of a text in order; skips comments, literals, macros, `#if 0` and declarations
 * without a body.
 */
export function kernelSites(text: string): readonly KernelSite[] {
  return locateKernels(text).map(({ entry, line, target }) => ({ entry, line, target }));
}

/** Lists the kernels of one language, or of both. Linear in the text; never throws. */
export function locateKernels(text: string, target?: Target): readonly Located[] {
  const marks = target === undefined ? [...both(text)] : marksOf(text, target);
  const found: Located[] = [];
  let line = 0;
  let counted = 0;
  for (const mark of marks) {
    const name = mark.target === 'cuda' ? cudaName(text, mark) : wgslName(text, mark);
    if (name === undefined) continue;
    for (let at = text.indexOf('\n', counted); at >= 0 && at < mark.start;) {
      line += 1;
      counted = at + 1;
      at = text.indexOf('\n', counted);
    }
    const { start } = mark;
    found.push({ entry: name.word, line, target: mark.target, start, nameAt: name.at });
  }
  return found;
}

/**
 * Searches the marks of both languages, which do not overlap, if no file name determines the
 * language.
 */
const both = (text: string): readonly Mark[] =>
  [
    ...(text.includes('__global__') ? marksOf(text, 'cuda') : []),
    ...(/@[ \t]*compute/.test(text) ? marksOf(text, 'wgsl') : []),
  ].sort((left, right) => left.start - right.start);

interface Name {
  readonly word: string;
  readonly at: number;
}

/** Returns the text from a mark to the body, with comments and literals blanked. */
function declaration(text: string, from: number): string {
  const most = text.slice(from, from + MAX_DECLARATION_CHARACTERS);
  const short = blanked(most.slice(0, most.indexOf('{') + 1));
  return short.endsWith('{') ? short : blanked(most);
}

const blanked = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"/g, found =>
    found.replace(/[^\n]/g, ' '),
  );

/** Keywords before a parenthesis that are not function names. */
const NOT_ENTRIES =
  /^(?:__launch_bounds__|__attribute__|__declspec|__maxnreg__|__cluster_dims__|__block_size__|alignas|decltype|noexcept|void|if|requires)$/;

/**
 * Finds the last identifier before the parameter list that ends at the body; attributes such as
 * `__launch_bounds__(256)` or project macros precede it. If the text ends or the next declaration
 * starts before a body (incomplete input), the first such identifier is used.
 */
function cudaName(text: string, { end }: Mark): Name | undefined {
  const code = declaration(text, end);
  const token = /([\p{ID_Start}_][\p{ID_Continue}]*)\s*(?:<[^;{}()]*>\s*)?\(|[{;}]/gu;
  let first: Name | undefined;
  let last: Name | undefined;
  for (let match = token.exec(code); match !== null; match = token.exec(code)) {
    const [whole, word] = match;
    if (whole === '{') return last;
    // A declaration without a body: the kernel is defined elsewhere.
    if (whole === ';') return undefined;
    if (whole === '}' || word === undefined) break;
    if (!NOT_ENTRIES.test(word)) {
      last = { word, at: end + match.index };
      first ??= last;
    }
    token.lastIndex = closing(code, match.index + whole.length);
  }
  return first;
}

/** Returns the index after the parenthesis that closes the one before `from`. */
function closing(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++)
    depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return at;
}

function wgslName(text: string, { end }: Mark): Name | undefined {
  const code = declaration(text, end);
  const match = /\bfn\s+([\p{ID_Start}_][\p{ID_Continue}]*)/u.exec(code);
  const word = match?.[1];
  if (match === null || word === undefined) return undefined;
  return { word, at: end + match.index + match[0].length - word.length };
}
