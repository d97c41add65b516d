/**
 * Locates the kernels of a source file: every `__global__` and `@compute` function that the file
 * defines.
 */
import type { Target } from '../spec/schema';
import { declarationsOf, type KernelDeclaration } from './lexemes';

export interface KernelSite {
  readonly entry: string;
  /** Line of `__global__` or `@compute`, counted from 0. */
  readonly line: number;
  readonly target: Target;
}

export interface Located extends KernelSite {
  /** Character offset of `__global__` or `@compute`. */
  readonly start: number;
  readonly nameAt: number;
}

export const MAX_SCANNED_CHARACTERS = 2_000_000;

/** Maximum distance between `__global__` or `@compute` and the kernel's body, in characters. */
const MAX_DECLARATION_CHARACTERS = 4000;

/**
 * Lists the kernels of a source file in order. Skips comments, literals, macros, `#if 0` and
 * declarations without a body.
 */
export function kernelSites(text: string): readonly KernelSite[] {
  return locateKernels(text).map(({ entry, line, target }) => ({ entry, line, target }));
}

/** Lists the kernels of one language, or of both CUDA and WGSL without a target. Never throws. */
export function locateKernels(text: string, target?: Target): readonly Located[] {
  const declarations = target === undefined ? [...both(text)] : declarationsOf(text, target);
  const found: Located[] = [];
  let line = 0;
  let counted = 0;
  for (const declaration of declarations) {
    const name =
      declaration.target === 'cuda' ? cudaName(text, declaration) : wgslName(text, declaration);
    if (name === undefined) continue;
    for (let at = text.indexOf('\n', counted); at >= 0 && at < declaration.start;) {
      line += 1;
      counted = at + 1;
      at = text.indexOf('\n', counted);
    }
    const { start } = declaration;
    found.push({ entry: name.word, line, target: declaration.target, start, nameAt: name.at });
  }
  return found;
}

/**
 * Returns the declarations of both languages, for source code without a file name. Declarations of
 * the two languages do not overlap.
 */
const both = (text: string): readonly KernelDeclaration[] =>
  [
    ...(text.includes('__global__') ? declarationsOf(text, 'cuda') : []),
    ...(/@[ \t]*compute/.test(text) ? declarationsOf(text, 'wgsl') : []),
  ].sort((left, right) => left.start - right.start);

interface Name {
  readonly word: string;
  readonly at: number;
}

/** Returns the source code from an offset to the body, with comments and literals blanked. */
function declarationText(text: string, from: number): string {
  const most = text.slice(from, from + MAX_DECLARATION_CHARACTERS);
  const short = blanked(most.slice(0, most.indexOf('{') + 1));
  return short.endsWith('{') ? short : blanked(most);
}

/** Replaces comments and string literals by blanks, so that offsets stay the same. */
export const blanked = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"/g, found =>
    found.replace(/[^\n]/g, ' '),
  );

/** Keywords in front of a parenthesis that are not function names. */
const NOT_ENTRIES =
  /^(?:__launch_bounds__|__attribute__|__declspec|__maxnreg__|__cluster_dims__|__block_size__|alignas|decltype|noexcept|void|if|requires)$/;

/**
 * Finds the kernel's name: the last identifier in front of a parameter list that ends at the body.
 * Attributes such as `__launch_bounds__(256)` or project macros precede it. If the body is missing
 * (incomplete source code), the first such identifier is used. Returns undefined for a declaration
 * that ends with a semicolon.
 */
function cudaName(text: string, { end }: KernelDeclaration): Name | undefined {
  const code = declarationText(text, end);
  const token = /([\p{ID_Start}_][\p{ID_Continue}]*)\s*(?:<[^;{}()]*>\s*)?\(|[{;}]/gu;
  let first: Name | undefined;
  let last: Name | undefined;
  for (let match = token.exec(code); match !== null; match = token.exec(code)) {
    const [whole, word] = match;
    if (whole === '{') return last;
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

function closing(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++)
    depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return at;
}

function wgslName(text: string, { end }: KernelDeclaration): Name | undefined {
  const code = declarationText(text, end);
  const match = /\bfn\s+([\p{ID_Start}_][\p{ID_Continue}]*)/u.exec(code);
  const word = match?.[1];
  if (match === null || word === undefined) return undefined;
  return { word, at: end + match.index + match[0].length - word.length };
}
