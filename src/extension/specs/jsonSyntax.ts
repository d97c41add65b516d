/** Where a text stops being JSON: engines say it in words of their own, often without a place. */

const TOKEN =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\]:,]/y;
const SPACE = /[ \t\r\n]*/y;

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'done';

/** Offset of the first token that cannot stand there, or of the end that came too early. */
export function syntaxErrorAt(text: string): number | undefined {
  /** Closing brackets of the containers that are open. */
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
    if (at === text.length) return expected === 'done' ? undefined : at;
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    const next: Expected | undefined =
      token === undefined ? undefined : after(token, expected, open);
    if (token === undefined || next === undefined) return at;
    expected = next;
    at += token.length;
  }
}

/** What may follow this token, or undefined where it may not stand itself. */
function after(token: string, expected: Expected, open: string[]): Expected | undefined {
  const mayEnd = expected.endsWith('or end');
  if (token === '}' || token === ']') {
    if (!mayEnd || open.pop() !== token) return undefined;
    return open.length === 0 ? 'done' : 'comma or end';
  }
  if (token === ',') {
    if (expected !== 'comma or end') return undefined;
    return open.at(-1) === '}' ? 'key' : 'value';
  }
  if (token === ':') return expected === 'colon' ? 'value' : undefined;
  if (expected === 'key' || expected === 'key or end') {
    return token.startsWith('"') ? 'colon' : undefined;
  }
  if (expected !== 'value' && expected !== 'value or end') return undefined;
  if (token === '{' || token === '[') {
    open.push(token === '{' ? '}' : ']');
    return token === '{' ? 'key or end' : 'value or end';
  }
  return open.length === 0 ? 'done' : 'comma or end';
}
