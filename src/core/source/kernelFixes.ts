/**
 * Text edits that fix memory accesses of hand-written CUDA kernels. An edit is returned only if it
 * keeps the result of the kernel.
 */
import type { Dim3 } from '../plan/plan';
import { blanked, type Located } from './kernelSites';

export interface TextEdit {
  /** Character offsets; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Functions whose result depends on the assignment of threads to warps, and inline PTX. */
const WARP_LEVEL = /\b(?:__shfl|__ballot|__any|__all|__match|__reduce|__syncwarp|__activemask|asm)/;
const WARP_LIBRARIES = /\b(?:wmma|cooperative_groups|cg)\s*::/;

/**
 * Swaps threadIdx.x and threadIdx.y in a kernel, which transposes the threads of a block. Returns
 * undefined if the block is not square, or if other code could depend on the order of the threads.
 */
export function swapThreadAxes(
  text: string,
  kernels: readonly Located[],
  entry: string,
  block: Dim3,
): readonly TextEdit[] | undefined {
  if (block.x !== block.y || block.x < 2 || block.z !== 1) return undefined;
  const code = blanked(text);
  const bodies = kernels.map(kernel => ({ entry: kernel.entry, ...bodyOf(code, kernel) }));
  const uses = [...code.matchAll(/\bthreadIdx\b(?:\s*\.\s*([xyz])\b)?/g)];
  const inside = ({ start, end }: Span, { index }: RegExpExecArray): boolean =>
    index >= start && index < end;
  // A device function or a macro may be called from this kernel and from others.
  if (!uses.every(use => bodies.some(body => inside(body, use)))) return undefined;
  const own = bodies.find(body => body.entry === entry);
  if (own === undefined) return undefined;
  const body = code.slice(own.start, own.end);
  if (WARP_LEVEL.test(body) || WARP_LIBRARIES.test(body)) return undefined;
  const swapped = uses.filter(use => inside(own, use));
  const axes = new Set(swapped.map(([, axis]) => axis));
  if (!axes.has('x') || !axes.has('y') || axes.has(undefined)) return undefined;
  return swapped.flatMap(({ 0: found, 1: axis, index }) =>
    axis === 'z' ? [] : [edit(index + found.length - 1, 1, axis === 'x' ? 'y' : 'x')],
  );
}

/**
 * Pads the rows of a shared array, which is declared with two or more dimensions. Returns undefined
 * if the kernel also accesses the array by other means than all its indices.
 */
export function padSharedArray(
  text: string,
  kernel: Located,
  array: string,
  padding: number,
): readonly TextEdit[] | undefined {
  const code = blanked(text);
  const { start, end } = bodyOf(code, kernel);
  const uses = [...code.slice(start, end).matchAll(new RegExp(`(&\\s*)?\\b${array}\\b`, 'g'))].map(
    ({ 0: found, 1: address, index }) => ({
      hasAddress: address !== undefined,
      at: start + index,
      groups: bracketsAt(code, start + index + found.length),
    }),
  );
  const declared = uses.filter(({ at }) => isSharedDeclaration(code, at));
  const [declaration] = declared;
  const last = declaration?.groups.at(-1);
  if (declared.length !== 1 || declaration === undefined || last === undefined) return undefined;
  const dimensions = declaration.groups.length;
  const isWhole = uses.every(use => !use.hasAddress && use.groups.length === dimensions);
  if (dimensions < 2 || !isWhole) return undefined;
  const extent = text.slice(last.start, last.end).trim();
  if (extent === '') return undefined;
  return [edit(last.start, last.end - last.start, `${extent} + ${padding}`)];
}

const edit = (start: number, length: number, text: string): TextEdit => ({
  start,
  end: start + length,
  text,
});

type Span = Pick<TextEdit, 'start' | 'end'>;

/** Returns the function from its name to the end of its body. */
function bodyOf(code: string, { nameAt }: Located): Span {
  const open = code.indexOf('{', nameAt);
  return { start: nameAt, end: open < 0 ? code.length : closing(code, open) + 1 };
}

const PAIRS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Returns the offset of the bracket that closes the bracket at `open`, or the end of the code. */
function closing(code: string, open: number): number {
  const opening = code.charAt(open);
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    const character = code.charAt(at);
    depth += character === opening ? 1 : character === PAIRS[opening] ? -1 : 0;
    if (depth === 0) return at;
  }
  return code.length;
}

/** Returns the contents of the consecutive bracket groups at an offset. */
function bracketsAt(code: string, from: number): readonly Span[] {
  const groups: Span[] = [];
  for (let at = from; ;) {
    while (/\s/.test(code.charAt(at))) at++;
    if (code.charAt(at) !== '[') return groups;
    const end = closing(code, at);
    groups.push({ start: at + 1, end });
    at = end + 1;
  }
}

/**
 * Tests whether the name at an offset is declared there with `__shared__` and a scalar type. Vector
 * types are excluded, because the padding counts scalars.
 */
function isSharedDeclaration(code: string, at: number): boolean {
  const statement = /[^;{}]*$/.exec(code.slice(0, at))?.[0] ?? '';
  const [, type = ''] = /^\s*(\w+)/.exec(statement.replace(QUALIFIERS, '')) ?? [];
  return /\b__shared__\b/.test(statement) && !/\d$/.test(type);
}

const QUALIFIERS = /\b(?:__shared__|volatile|static|__align__\s*\([^)]*\)|alignas\s*\([^)]*\))/g;
