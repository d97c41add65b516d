/**
 * Proposes the template arguments of a kernel, because a template can only be launched as an
 * instance such as `sgemm<128, 128, 8>`.
 */
import { splitAtCommas } from './annotationSchema';
import { blanked } from './kernelSites';
import { constantsOf, valueOf, type Constants } from './sourceConstants';

export interface TemplateArgument {
  readonly name: string;
  /** C++ expression; undefined if no value is known. */
  readonly value: string | undefined;
  /**
   * Origin of the value. `given` is an instance that the user names, `type` the element type of the
   * matrices, and `usual` a table of tile sizes.
   */
  readonly from: 'given' | 'launch' | 'default' | 'constant' | 'type' | 'usual' | undefined;
}

/**
 * Proposes one argument per template parameter, in order.
 * @param head text between the previous declaration and the kernel, with `template <...>`
 * @param instance instance that the user names, such as `sgemm<128, 8>`; undefined without it
 * @param element element type of the matrices in C++, such as `float`
 */
export function templateArguments(
  head: string,
  {
    text,
    entry,
    element,
    instance,
  }: { text: string; entry: string; element: string; instance: string | undefined },
): readonly TemplateArgument[] {
  const parameters = parametersOf(blanked(head));
  const named = /<(.*)>$/s.exec(instance ?? '')?.[1];
  const chosen = named === undefined ? [] : splitAtCommas(named);
  const names = parameters.map(({ name }) => name);
  const launched = launchedArguments(blanked(text), entry, parameters.length);
  const constants = constantsOf(text);
  const usual = usualValues(names);
  return parameters.map(({ name, kind, otherwise }, index): TemplateArgument => {
    const own = chosen[index];
    if (own !== undefined) return { name, value: own, from: 'given' };
    const given = launched[index];
    if (given !== undefined) return { name, value: given, from: 'launch' };
    if (otherwise !== undefined) return { name, value: otherwise, from: 'default' };
    if (kind === 'type') return { name, value: element, from: 'type' };
    const constant = constants[name];
    if (constant !== undefined) return { name, value: String(constant), from: 'constant' };
    const value = usual[name];
    return value === undefined
      ? { name, value, from: undefined }
      : { name, value: String(value), from: 'usual' };
  });
}

/** Returns the integer values of the arguments by their names. */
export const boundConstants = (args: readonly TemplateArgument[]): Constants =>
  Object.fromEntries(
    args.flatMap(({ name, value }) => {
      const number = value === undefined ? undefined : valueOf(value, {});
      return number === undefined ? [] : [[name, number]];
    }),
  );

/** Returns the instance, such as `sgemm<128, 8>`; undefined if an argument is not known. */
export function instanceOf(entry: string, args: readonly TemplateArgument[]): string | undefined {
  const values = args.flatMap(({ value }) => value ?? []);
  return values.length === args.length ? `${entry}<${values.join(', ')}>` : undefined;
}

/** Tests whether a text is an instance of the kernel with known arguments. */
export const isInstanceOf = (text: string, entry: string): boolean =>
  text.startsWith(`${entry}<`) && /<[\p{ID_Continue}\s,:<>-]+>$/u.test(text);

interface Parameter {
  readonly name: string;
  readonly kind: 'type' | 'value';
  readonly otherwise: string | undefined;
}

function parametersOf(head: string): readonly Parameter[] {
  const list = /\btemplate\s*<([^;{}]*)>/.exec(head)?.[1];
  if (list === undefined) return [];
  return splitAtCommas(list).flatMap(part => {
    const [, declared = '', otherwise] = /^([^=]*?)\s*(?:=\s*(.+))?$/s.exec(part) ?? [];
    const name = /([\p{ID_Start}_][\p{ID_Continue}]*)\s*$/u.exec(declared)?.[1];
    const kind = /^\s*(?:typename|class)\b/.test(declared) ? 'type' : 'value';
    return name === undefined ? [] : [{ name, kind, otherwise: otherwise?.trim() }];
  });
}

/** Returns the arguments of a launch `entry<...><<<`; undefined for variable arguments. */
function launchedArguments(
  code: string,
  entry: string,
  count: number,
): readonly (string | undefined)[] {
  const list = new RegExp(`\\b${entry}\\s*<([^<>;{}()]*)>\\s*<<<`).exec(code)?.[1];
  const parts = list === undefined ? [] : splitAtCommas(list);
  if (parts.length !== count) return [];
  const constants = constantsOf(code);
  return parts.map(part => {
    const value = valueOf(part, constants);
    if (value !== undefined) return String(value);
    return /^(?:float|double|half|__half|int|__nv_bfloat16|true|false)$/.test(part)
      ? part
      : undefined;
  });
}

/**
 * Returns the usual values of tile sizes by their names. Tutorials use the same names with
 * different values, which depend on the tiling levels of the kernel.
 */
function usualValues(names: readonly string[]): Constants {
  const has = (name: string): boolean => names.includes(name);
  if (has('WM') && has('WN')) {
    return { BM: 128, BN: 128, BK: 16, WM: 64, WN: 64, WNITER: 4, TM: 8, TN: 4, NUM_THREADS: 128 };
  }
  const sides = ['BLOCKSIZE', 'BLOCK_SIZE', 'TILE_SIZE', 'TILE_WIDTH', 'TILE_DIM', 'TILE', 'TS'];
  const square = Object.fromEntries(sides.map(name => [name, 32]));
  if (has('TM') && has('TN')) return { BM: 128, BN: 128, BK: 8, TM: 8, TN: 8, NUM_THREADS: 256 };
  if (has('TM')) return { BM: 64, BN: 64, BK: 8, TM: 8, NUM_THREADS: 512 };
  return { ...square, BM: 32, BN: 32, BK: 32 };
}
