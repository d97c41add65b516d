/** Names that a JSON object gives more than once: `JSON.parse` keeps the last one and says nothing. */

export interface DuplicateKey {
  /** JSON path of the field. */
  readonly path: string;
  /** Span of the later name, with its quotes. */
  readonly start: number;
  readonly end: number;
}

interface Open {
  /** Names met so far; null in an array. */
  readonly names: Set<string> | null;
  /** Name or index of the value at hand. */
  at: string;
  expectsName: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** Of a text that is JSON, in order. */
export function duplicateKeys(text: string): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const open: Open[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const inside = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '', expectsName: true });
    else if (token === '[') open.push({ names: null, at: '0', expectsName: false });
    else if (token === '}' || token === ']') open.pop();
    else if (inside === undefined) continue;
    else if (token === ':') inside.expectsName = false;
    else if (token === ',') {
      if (inside.names === null) inside.at = String(Number(inside.at) + 1);
      else inside.expectsName = true;
    } else if (inside.names !== null && inside.expectsName) {
      const name = String(JSON.parse(token));
      inside.at = name;
      if (inside.names.has(name)) {
        const path = open.map(({ at }) => at).join('.');
        found.push({ path, start: match.index, end: match.index + token.length });
      }
      inside.names.add(name);
    }
  }
  return found;
}
