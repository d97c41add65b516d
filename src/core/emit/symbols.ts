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
