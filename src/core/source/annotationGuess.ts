/**
 * Drafts the annotation (`// @gemm` comment) of a hand-written kernel from its source code. The
 * user must confirm the draft before it is used.
 */
import type { DType } from '../types/dtype';
import type { Target } from '../spec/schema';
import { evaluate, splitAtCommas } from './annotationSchema';
import type { ArgumentRole } from '../kernel/ir/arguments';
import { blanked, locateKernels } from './kernelSites';
import {
  boundConstants,
  instanceOf,
  templateArguments,
  type TemplateArgument,
} from './templateGuess';
import { constantsOf, valueOf, type Constants } from './sourceConstants';

export interface AnnotationGuess {
  readonly entry: string;
  /** One role per parameter, in order; undefined if the role is not known. */
  readonly args: readonly (ArgumentRole | undefined)[];
  readonly parameters: readonly string[];
  readonly dtype: DType | undefined;
  /**
   * Threads per block: from `@workgroup_size`, a `dim3` declaration, `__launch_bounds__` or the
   * tile constants.
   */
  readonly block: readonly number[] | undefined;
  /** Grid extents as expressions in m, n, k and the block extents, x first. */
  readonly grid: readonly string[];
  /** Problem extents that the source code fixes as constants. */
  readonly sizes: { readonly m?: number; readonly n?: number; readonly k?: number };
  readonly tiles: Constants;
  /** Type of the elements of C, if it differs from that of A and B. */
  readonly cDtype: DType | undefined;
  /** Arguments of a template; empty for other kernels. */
  readonly template: readonly TemplateArgument[];
  /** Instance of a template to launch; undefined if an argument is not known. */
  readonly instance: string | undefined;
  /** Whether the kernel reads C even if beta is 0, so that C must have values. */
  readonly readsC: boolean;
}

/**
 * Drafts the annotation of one kernel; returns undefined if the source does not define the kernel.
 */
export function guessAnnotation(
  text: string,
  entry: string,
  target: Target,
  instance?: string,
): AnnotationGuess | undefined {
  const kernel = locateKernels(text, target).find(site => site.entry === entry);
  if (kernel === undefined) return undefined;
  const before = text.slice(Math.max(0, kernel.start - 1000), kernel.start);
  const head = /[^;}]*$/.exec(blanked(before))?.[0] ?? '';
  const declared = head + text.slice(kernel.start, kernel.nameAt);
  const list = listAfter(text, kernel.nameAt + entry.length);
  const body = text.slice(kernel.nameAt, kernel.nameAt + 6000);
  const parameters = target === 'cuda' ? split(list) : bindingsOf(text);
  const args = target === 'cuda' ? rolesOf(parameters) : parameters.map(({}, i) => BINDINGS[i]);
  const element = elementOf(parameters);
  const template = templateArguments(head, { text, entry, element, instance });
  const types = parameters.map(parameter => withTypes(parameter, template));
  const dtype = dtypeOf(types.join(' , '));
  const constants = { ...constantsOf(text), ...boundConstants(template) };
  const ofC = dtypeOf(types[args.indexOf('c')] ?? '');
  const block = blockOf(declared, text, constants, body);
  return {
    entry,
    parameters: parameters.map(nameOf),
    args,
    dtype,
    cDtype: ofC === dtype ? undefined : ofC,
    block,
    grid: gridOf(body, constants),
    sizes: sizesOf(constants),
    tiles: Object.fromEntries(Object.entries(constants).filter(([name]) => TILE.test(name))),
    template,
    instance: template.length === 0 ? undefined : instanceOf(entry, template),
    readsC:
      args.includes('beta') && !guardsBeta(body, nameOf(parameters[args.indexOf('beta')] ?? '')),
  };
}

/** Replaces type parameters of a template by their arguments. */
const withTypes = (parameter: string, template: readonly TemplateArgument[]): string =>
  template.reduce(
    (text, { name, value, from }) =>
      from === 'type' || from === 'given'
        ? text.replace(new RegExp(`\\b${name}\\b`, 'g'), value ?? name)
        : text,
    parameter,
  );

/** Tests whether the kernel compares beta with a number before it reads C. */
const guardsBeta = (body: string, beta: string): boolean =>
  new RegExp(`\\b${beta}\\s*[!=]=|[!=]=\\s*${beta}\\b`).test(blanked(body));

/** Returns the element type of the matrices in C++; float without a pointer to a plain type. */
const elementOf = (parameters: readonly string[]): string =>
  parameters
    .map(
      parameter =>
        /\b(float|double|half|__half|__nv_bfloat16|int8_t)\b[^*]*\*/.exec(parameter)?.[1],
    )
    .find(found => found !== undefined) ?? 'float';

/** Binding order of generated WGSL: A, B, C, then the extents in a uniform buffer. */
const BINDINGS: readonly (ArgumentRole | undefined)[] = ['a', 'b', 'c'];

const TILE = /^(?:[BWT][MNK]|BLOCK\w*|TILE\w*|TS|BS|\w*_TILE|NUM_THREADS|THREADS)$/i;

/**
 * Returns the parameter list between the parentheses that open at or after `from`; empty if they do
 * not close within 4000 characters.
 */
function listAfter(text: string, from: number): string {
  const open = text.indexOf('(', from);
  let depth = 0;
  for (let at = open; at >= 0 && at < Math.min(text.length, open + 4000); at++) {
    depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
    if (depth === 0) return text.slice(open + 1, at);
  }
  return '';
}

/** Splits a parameter list; removes comments, empty parameters and `void`. */
const split = (list: string): readonly string[] =>
  splitAtCommas(list.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ')).filter(
    part => part !== '' && part !== 'void',
  );

/** Returns the bindings as type and name, in binding order. */
const bindingsOf = (text: string): readonly string[] =>
  [...text.matchAll(/@binding\((\d+)\)[^;]*?var\s*(?:<[^>]*>)?\s*(\w+)\s*:\s*([^;]+)/g)]
    .sort((left, right) => Number(left[1]) - Number(right[1]))
    .map(match => `${match[3] ?? ''} ${match[2] ?? ''}`);

const nameOf = (parameter: string): string =>
  /([\p{ID_Start}_][\p{ID_Continue}]*)\s*(?:\[[^\]]*\])?\s*(?:=.*)?$/u.exec(parameter)?.[1] ?? '';

const isPointer = (parameter: string): boolean => /[*[]/.test(parameter);

const USUAL_NAMES: readonly (readonly [RegExp, ArgumentRole])[] = [
  [
    /^(?:d_?|dev_?|g_?|gm|m|mat_?|matrix_?|ptr_?)?a(?:_?(?:ptr|mat|matrix|d|gpu|global|in))?$/i,
    'a',
  ],
  [
    /^(?:d_?|dev_?|g_?|gm|m|mat_?|matrix_?|ptr_?)?b(?:_?(?:ptr|mat|matrix|d|gpu|global|in))?$/i,
    'b',
  ],
  [
    /^(?:d_?|dev_?|g_?|gm|m|mat_?|matrix_?|ptr_?)?c(?:_?(?:ptr|mat|matrix|d|gpu|global|out))?$/i,
    'c',
  ],
  [/^(?:out|output|result|res|dst|y)$/i, 'c'],
  [/^(?:m|rows?|height|(?:num_?)?(?:a|c)_?rows?|num_?rows|h_?a|size_?m|k?_?dim_?m)$/i, 'm'],
  [
    /^(?:n|cols?|columns?|width|size|dim|(?:b|c)_?cols?|(?:b|c)_?columns?|w_?b|size_?n|k?_?dim_?n)$/i,
    'n',
  ],
  [/^(?:k|inner|common|depth|a_?cols?|a_?columns?|b_?rows?|w_?a|size_?k|k?_?dim_?k)$/i, 'k'],
  [/^(?:ld_?a|stride_?a[mk]?|a_?stride)$/i, 'lda'],
  [/^(?:ld_?b|stride_?b[kn]?|b_?stride)$/i, 'ldb'],
  [/^(?:ld_?c|stride_?c[mn]?|c_?stride)$/i, 'ldc'],
  [/^alpha$/i, 'alpha'],
  [/^beta$/i, 'beta'],
];

const POINTERS: readonly ArgumentRole[] = ['a', 'b', 'c'];

/**
 * Assigns roles by name first. The remaining pointers are A, B and C in order; a single writable
 * pointer is C.
 */
function rolesOf(parameters: readonly string[]): readonly (ArgumentRole | undefined)[] {
  const taken = new Set<ArgumentRole>();
  const byName = parameters.map(parameter => {
    const name = nameOf(parameter);
    const pointer = isPointer(parameter);
    const role = USUAL_NAMES.find(
      ([pattern, found]) =>
        pattern.test(name) && POINTERS.includes(found) === pointer && !taken.has(found),
    )?.[1];
    if (role !== undefined) taken.add(role);
    return role;
  });
  const writable = parameters.filter(text => isPointer(text) && !/\bconst\b/.test(text));
  return parameters.map((parameter, i) => {
    const role = byName[i];
    if (role !== undefined || !isPointer(parameter)) return role;
    const isOnlyWritable = writable.length === 1 && writable[0] === parameter;
    const next = isOnlyWritable && !taken.has('c') ? 'c' : POINTERS.find(p => !taken.has(p));
    if (next !== undefined) taken.add(next);
    return next;
  });
}

const DTYPE_WORDS: readonly (readonly [RegExp, DType])[] = [
  [/\b(?:__half2?|half|float16_t|f16)\b/, 'f16'],
  [/\b(?:__nv_bfloat16|nv_bfloat16|bfloat16)\b/, 'bf16'],
  [/\bdouble\b|\bf64\b/, 'f64'],
  [/\bfloat\d?\b|\bf32\b/, 'f32'],
  [/\b(?:int8_t|char4?)\b/, 's8'],
  [/\b(?:int|int32_t)\b[^,]*\*|\barray<\s*i32\b/, 's32'],
];

const dtypeOf = (parameters: string): DType | undefined =>
  DTYPE_WORDS.find(([pattern]) => pattern.test(parameters))?.[1];

function blockOf(
  declared: string,
  text: string,
  constants: Constants,
  body: string,
): readonly number[] | undefined {
  const numbers = (list: string | undefined): readonly number[] | undefined => {
    const values = list === undefined ? [] : split(list).map(part => valueOf(part, constants));
    const known = values.filter(value => value !== undefined && value >= 1);
    return values.length > 0 && known.length === values.length ? (known as number[]) : undefined;
  };
  const workgroup = /@workgroup_size\s*\(([^)]*)\)/.exec(declared + body)?.[1];
  if (workgroup !== undefined) return numbers(workgroup);
  const dim3 =
    /\bdim3\s+(?:block|threads?|blockDim|threadsPerBlock|dimBlock)\w*\s*[({]([^;]*?)[)}]\s*;/i;
  const launched = numbers(dim3.exec(text)?.[1]);
  if (launched !== undefined) return launched;
  const bounds = /__launch_bounds__\s*(\(.*)/s.exec(declared)?.[1];
  const threads = bounds === undefined ? undefined : numbers(listAfter(bounds, 0))?.[0];
  const isFlat = !/threadIdx\s*\.\s*y/.test(body);
  if (threads !== undefined) return isFlat ? [threads] : square(threads);
  const { BM, BN, TM = 1, TN = 1, NUM_THREADS } = constants;
  if (NUM_THREADS !== undefined) return [NUM_THREADS];
  if (BM !== undefined && BN !== undefined) return [(BM * BN) / (TM * TN)];
  const side = sideOf(constants);
  if (side === undefined) return undefined;
  return isFlat ? [side * side] : [side, side];
}

const square = (threads: number): readonly number[] => {
  const side = Math.sqrt(threads);
  return Number.isInteger(side) ? [side, side] : [32, threads / 32];
};

/** Returns the side of a square tile from the usual constant names, or undefined. */
function sideOf(constants: Constants): number | undefined {
  const names = ['TILE_SIZE', 'BLOCK_SIZE', 'BLOCKSIZE', 'TILE_WIDTH', 'TILE_DIM', 'TILE', 'TS'];
  const found = names.find(name => constants[name] !== undefined);
  return found === undefined ? undefined : constants[found];
}

/**
 * Returns the grid expressions, x first: the extent of M if blockIdx.x selects rows, otherwise the
 * extent of N.
 */
function gridOf(body: string, constants: Constants): readonly string[] {
  const side = sideOf(constants);
  const rows = String(constants['BM'] ?? side ?? 'block.y');
  const columns = String(constants['BN'] ?? side ?? 'block.x');
  const xIsRow =
    /(?:row|Row|\by)\w*\s*=[^;,]*(?:blockIdx|wg|workgroup_?[iI]d|gid|global_?[iI]d)\s*\.\s*x/.test(
      body,
    ) || /blockIdx\s*\.\s*x\s*\*\s*BM\b/.test(body);
  const whole = (size: string, tile: string) => `ceil(${size} / ${tile})`;
  if (!xIsRow) return [whole('n', columns), whole('m', rows)];
  const along = (tile: string) =>
    tile === 'block.y' ? 'block.x' : tile === 'block.x' ? 'block.y' : tile;
  return [whole('m', along(rows)), whole('n', along(columns))];
}

function sizesOf(constants: Constants): AnnotationGuess['sizes'] {
  const { M: m, N: n, K: k } = constants;
  return {
    ...(m === undefined ? {} : { m }),
    ...(n === undefined ? {} : { n }),
    ...(k === undefined ? {} : { k }),
  };
}

export const isGridExpression = (text: string): boolean =>
  evaluate(text, { m: 1, n: 1, k: 1, 'block.x': 1, 'block.y': 1, 'block.z': 1 }) !== null;
