/** Kernel names: mangled symbols, and the names that profiling tools print. */

/**
 * Extracts the plain function name from an Itanium C++ symbol: `_Z6matmulPfi` gives `matmul`,
 * `_ZN2ns1fILi4EEEvv` gives `f`. Other names are returned unchanged.
 */
export function demangle(symbol: string): string {
  let rest = /^_Z(?:N[rVK]*)?L?(.*)$/s.exec(symbol)?.[1];
  let name: string | undefined;
  while (rest !== undefined) {
    const [digits] = /^\d{1,4}/.exec(rest) ?? [];
    if (digits === undefined) break;
    const end = digits.length + Number(digits);
    if (Number(digits) === 0 || end > rest.length) break;
    name = rest.slice(digits.length, end);
    if (!symbol.startsWith('_ZN')) break;
    rest = rest.slice(end);
  }
  return name ?? symbol;
}

/**
 * Extracts the function name from a name printed by Nsight Compute: `void ns::f<(int)4>(float *,
 * int)` gives `f`.
 */
export function functionName(printed: string): string {
  const text = printed.trim().replaceAll('(anonymous namespace)::', '');
  if (text.startsWith('_Z')) return demangle(text);
  let plain = '';
  let depth = 0;
  for (const character of text) {
    if (character === '<') depth++;
    else if (character === '>') depth--;
    else if (depth === 0 && character === '(') break;
    else if (depth === 0) plain += character;
  }
  return plain.trim().split(/\s+/).at(-1)?.split('::').at(-1) ?? text;
}

/**
 * Extracts the qualified name with template arguments from an Itanium C++ symbol, without blanks:
 * `_ZN2ns1fILi4EfEEvv` gives `ns::f<4,float>`. Other names are returned unchanged. Returns
 * undefined for unsupported kinds of arguments, such as pointers.
 */
export function qualifiedName(symbol: string): string | undefined {
  const mangled = /^_Z(.*)$/s.exec(symbol)?.[1];
  if (mangled === undefined) return symbol;
  const nested = /^N[rVK]*(.*)$/s.exec(mangled)?.[1];
  const parts: string[] = [];
  let rest = nested ?? mangled;
  for (;;) {
    const named = readSource(rest.replace(/^L(?=\d)/, ''));
    if (named === undefined) return parts.length === 0 ? undefined : parts.join('::');
    const list = named.rest.startsWith('I') ? readArguments(named.rest.slice(1)) : undefined;
    if (list === undefined && named.rest.startsWith('I')) return undefined;
    parts.push(named.text + (list === undefined ? '' : `<${list.text}>`));
    ({ rest } = list ?? named);
    if (nested === undefined) return parts.join('::');
  }
}

interface Read {
  readonly text: string;
  readonly rest: string;
}

function readSource(mangled: string): Read | undefined {
  const [digits] = /^\d{1,4}/.exec(mangled) ?? [];
  const end = (digits?.length ?? 0) + Number(digits);
  if (digits === undefined || digits === '0' || end > mangled.length) return undefined;
  return { text: mangled.slice(digits.length, end), rest: mangled.slice(end) };
}

/**
 * Reads template arguments up to the list's closing E, or returns undefined for an unsupported
 * argument.
 */
function readArguments(mangled: string): Read | undefined {
  const texts: string[] = [];
  let rest = mangled;
  while (!rest.startsWith('E')) {
    const one = readArgument(rest);
    if (one === undefined) return undefined;
    texts.push(one.text);
    ({ rest } = one);
  }
  return { text: texts.join(','), rest: rest.slice(1) };
}

/** Builtin types by mangled letter (Itanium C++ ABI, 5.1.5.2). */
const BUILTIN: Readonly<Record<string, string>> = {
  f: 'float',
  d: 'double',
  i: 'int',
  j: 'unsigned',
  a: 'signedchar',
  c: 'char',
  h: 'unsignedchar',
  s: 'short',
  t: 'unsignedshort',
  b: 'bool',
  l: 'long',
  x: 'longlong',
};

function readArgument(mangled: string): Read | undefined {
  const [literal, type, sign = '', digits] = /^L([a-z])(n?)(\d{1,20})E/.exec(mangled) ?? [];
  if (literal !== undefined && digits !== undefined) {
    const value = `${sign && '-'}${digits}`;
    const text = type === 'b' ? String(digits !== '0') : value;
    return { text, rest: mangled.slice(literal.length) };
  }
  const text = BUILTIN[mangled.charAt(0)];
  return text === undefined ? readSource(mangled) : { text, rest: mangled.slice(1) };
}

/** Normalizes a name for comparison: removes blanks, integer suffixes and leading colons. */
const compared = (name: string): string =>
  name
    .replace(/\s+/g, '')
    .replace(/^::/, '')
    .replace(/(?<=[<,]-?\d+)[uUlL]+(?=[,>])/g, '');

/**
 * Finds the symbol of the kernel that a launch calls `entry`: a plain, qualified or instantiated
 * name (`ns::sgemm<128, 8>`). If several symbols have the same function name, the qualified name
 * must match. Returns undefined if no symbol or more than one symbol matches.
 */
export function findSymbol(entry: string, symbols: readonly string[]): string | undefined {
  const wanted = compared(entry);
  const plain = functionName(entry);
  const alike = symbols.filter(symbol => demangle(symbol) === plain);
  if (alike.length <= 1) return alike[0];
  const exact = alike.filter(symbol => qualifiedName(symbol) === wanted);
  return exact.length === 1 ? exact[0] : undefined;
}

/** Finds the symbol of a kernel, whose annotation can also contain the symbol itself. */
export const symbolOf = (entry: string, symbols: readonly string[]): string | undefined =>
  symbols.includes(entry) ? entry : findSymbol(entry, symbols);
