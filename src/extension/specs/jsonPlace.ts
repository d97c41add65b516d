/** Where in a JSON text a position stands: on which key or value, even while the text is being typed. Pure. */

export interface JsonPlace {
  /** From the document down: keys and indices. Of a key that is being typed, its object's. */
  readonly path: readonly string[];
  readonly kind: 'key' | 'value';
  /** Span of the key or value that the position touches; empty where nothing stands yet. */
  readonly start: number;
  readonly end: number;
}

interface Open {
  readonly isObject: boolean;
  index: number;
  key: string | undefined;
  /** In an object: whether the next string is a key. */
  expectsKey: boolean;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** The place at `offset`; undefined outside of everything. Never throws. */
export function placeAt(text: string, offset: number): JsonPlace | undefined {
  const open: Open[] = [];
  const path = (): string[] =>
    open.flatMap(({ isObject, index, key }) =>
      isObject ? (key === undefined ? [] : [key]) : [String(index)],
    );
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const [start, end] = [match.index, match.index + token.length];
    const inside = open.at(-1);
    const isMark = /^[{}[\]:,]$/.test(token);
    if (start > offset || (isMark && start >= offset)) break;
    if (!isMark && end >= offset) {
      const isKey = inside?.isObject === true && inside.expectsKey;
      if (isKey) inside.key = nameOf(token);
      return open.length === 0
        ? undefined
        : { path: path(), kind: isKey ? 'key' : 'value', start, end };
    }
    if (token === '{' || token === '[') {
      open.push({ isObject: token === '{', index: 0, key: undefined, expectsKey: true });
    } else if (token === '}' || token === ']') open.pop();
    else if (inside === undefined) continue;
    else if (token === ',') {
      Object.assign(inside, { index: inside.index + 1, key: undefined, expectsKey: true });
    } else if (token === ':') inside.expectsKey = false;
    else if (inside.isObject && inside.expectsKey) inside.key = nameOf(token);
  }
  const inside = open.at(-1);
  if (inside === undefined) return undefined;
  const isKey = inside.isObject && inside.expectsKey;
  if (isKey) inside.key = undefined;
  return { path: path(), kind: isKey ? 'key' : 'value', start: offset, end: offset };
}

function nameOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.replace(/^"|"$/g, '');
  }
}
