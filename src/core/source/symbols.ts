/** Names of kernels: as compilers mangle them, and as tools print them in full. */

/**
 * The plain function name in an Itanium C++ symbol: `_Z6matmulPfi` is `matmul`, `_ZN2ns1fILi4EEEvv`
 * is `f`. What is no such symbol is its own name.
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

/** The function in a name as Nsight Compute prints it: `void ns::f<(int)4>(float *, int)` is `f`. */
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
 * The qualified name in an Itanium C++ symbol with its template arguments, without blanks: `_ZN2ns1fILi4EfEEvv` is
 * `ns::f<4,float>`. Undefined where an argument is of a kind that is not read here, such as a pointer.
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

/** Up to the list's closing E. */
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

/** Builtin types by their letter (Itanium C++ ABI, 5.1.5.2). */
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

/** The name as it is compared with one that was read: no blanks, no suffixes of integers, no leading colons. */
const compared = (name: string): string =>
  name
    .replace(/\s+/g, '')
    .replace(/^::/, '')
    .replace(/(?<=[<,]-?\d+)[uUlL]+(?=[,>])/g, '');

/**
 * The symbol of the kernel that a launch calls `entry`: a plain, qualified or instantiated name (`ns::sgemm<128, 8>`).
 * Undefined where none or more than one can be meant.
 */
export function findSymbol(entry: string, symbols: readonly string[]): string | undefined {
  const wanted = compared(entry);
  const plain = functionName(entry);
  const alike = symbols.filter(symbol => demangle(symbol) === plain);
  if (alike.length <= 1) return alike[0];
  const exact = alike.filter(symbol => qualifiedName(symbol) === wanted);
  return exact.length === 1 ? exact[0] : undefined;
}
