/** Where in the text of a JSON document the value of a path stands, for diagnostics. */

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Span of the value at `path` (`schedule.block.m`); of the nearest existing parent's name where there
 * is no such value, and of nothing at the very start for the document as a whole. For valid JSON.
 */
export function locate(text: string, path: string): TextSpan {
  const wanted = path === '' ? [] : path.split('.');
  let best: TextSpan & { readonly depth: number } = { start: 0, end: 0, depth: 0 };
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;
  /** Keys and indices from the document down to where the scan is. */
  const at: string[] = [];
  /** For each open container: the next index of an array, or null in an object. */
  const open: (number | null)[] = [];
  let key: (TextSpan & { readonly name: string }) | null = null;

  const consider = (span: TextSpan, isValue: boolean): void => {
    const matches = at.length <= wanted.length && at.every((name, i) => name === wanted[i]);
    const complete = at.length === wanted.length;
    if (matches && at.length > best.depth) {
      best = { ...(complete && isValue ? span : (key ?? span)), depth: at.length };
    }
  };

  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token] = match;
    const span = { start: match.index, end: match.index + token.length };
    const inObject = open.at(-1) === null;
    if (token === '}' || token === ']') {
      open.pop();
      at.pop();
    } else if (token === ',') {
      const index = open.at(-1);
      at.pop();
      if (typeof index === 'number') {
        open[open.length - 1] = index + 1;
        at.push(String(index + 1));
      }
      key = null;
    } else if (token === ':') {
      // The value follows.
    } else if (inObject && key === null) {
      key = { ...span, name: nameOf(token) };
      at.push(key.name);
    } else {
      const opens = token === '{' || token === '[';
      consider(span, !opens);
      if (opens) {
        open.push(token === '[' ? 0 : null);
        if (token === '[') at.push('0');
      }
      key = null;
    }
  }
  return { start: best.start, end: best.end };
}

function nameOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
