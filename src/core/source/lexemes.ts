/**
 * Finds kernel declarations (`__global__` in CUDA, `@compute` in WGSL) in a single pass. Skips
 * comments and, in CUDA, literals, macro bodies and lines under false `#if` conditions.
 */
import type { Target } from '../spec/schema';

export interface KernelDeclaration {
  readonly target: Target;
  /** Character offsets of `__global__` or `@compute`; the end is exclusive. */
  readonly start: number;
  readonly end: number;
}

const CUDA =
  /\/[/*]|"|'|^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else|endif|define)\b|(?<![\w$])__global__(?![\w$])/gm;
const WGSL = /\/[/*]|@[ \t]*compute\b/g;

/** Never throws. */
export function declarationsOf(text: string, target: Target): readonly KernelDeclaration[] {
  const tokens = new RegExp(target === 'cuda' ? CUDA : WGSL);
  const conditions = new Conditions();
  const declarations: KernelDeclaration[] = [];
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token] = match;
    const end = match.index + token.length;
    const past =
      target === 'cuda'
        ? afterCudaToken(text, match.index, token, conditions)
        : afterComment(text, match.index, token, true);
    if (past !== undefined) tokens.lastIndex = Math.max(past, end);
    else if (!conditions.areDead()) declarations.push({ target, start: match.index, end });
  }
  return declarations;
}

/**
 * Returns the offset after a comment, literal or directive, or undefined if the token is a mark.
 */
function afterCudaToken(
  text: string,
  at: number,
  token: string,
  conditions: Conditions,
): number | undefined {
  if (token === '"') return afterString(text, at);
  if (token === "'") return afterCharacter(text, at);
  const [, directive] = /^[ \t]*#[ \t]*(\w+)$/.exec(token) ?? [];
  if (directive === undefined) return afterComment(text, at, token, false);
  const end = afterLine(text, at + token.length);
  conditions.meet(directive, text.slice(at + token.length, end));
  return directive === 'define' ? end : at + token.length;
}

/**
 * Stack of open `#if` conditions. Only `0`, `1`, `false` and `true` are evaluated; both branches of
 * other conditions are scanned.
 */
class Conditions {
  private readonly open: ('live' | 'dead' | 'unknown')[] = [];

  areDead(): boolean {
    return this.open.includes('dead');
  }

  meet(directive: string, rest: string): void {
    const top = this.open.length - 1;
    if (directive === 'if') this.open.push(literal(rest));
    else if (directive === 'ifdef' || directive === 'ifndef') this.open.push('unknown');
    else if (directive === 'endif') this.open.pop();
    else if (top >= 0 && (directive === 'else' || directive === 'elif')) {
      const before = this.open[top];
      const after = directive === 'elif' ? literal(rest) : 'live';
      this.open[top] = before === 'live' ? 'dead' : before === 'dead' ? after : 'unknown';
    }
  }
}

function literal(condition: string): 'live' | 'dead' | 'unknown' {
  const [word] = /^\s*(?:0|1|false|true)\s*(?:$|\/)/.exec(condition) ?? [];
  if (word === undefined) return 'unknown';
  return /0|false/.test(word) ? 'dead' : 'live';
}

function afterComment(
  text: string,
  at: number,
  token: string,
  nested: boolean,
): number | undefined {
  if (token === '//') return nested ? lineEnd(text, at) : afterLine(text, at);
  if (token !== '/*') return undefined;
  if (!nested) {
    const end = text.indexOf('*/', at + 2);
    return end < 0 ? text.length : end + 2;
  }
  // WGSL, 3.5: block comments nest.
  const ends = /\/\*|\*\//g;
  ends.lastIndex = at + 2;
  for (let depth = 1; depth > 0;) {
    const match = ends.exec(text);
    if (match === null) return text.length;
    depth += match[0] === '/*' ? 1 : -1;
  }
  return ends.lastIndex;
}

/** Returns the end of a logical line. A backslash at the end of a line continues it. */
function afterLine(text: string, at: number): number {
  let end = lineEnd(text, at);
  while (end < text.length && /\\\r?$/.test(text.slice(Math.max(0, end - 2), end))) {
    end = lineEnd(text, end + 1);
  }
  return end;
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

/**
 * Returns the end of a string literal. A raw string ends at its delimiter; other strings end at the
 * latest at the end of the logical line.
 */
function afterString(text: string, at: number): number {
  const raw = /(?:^|\W)(?:u8|[uUL])?R$/.test(text.slice(Math.max(0, at - 4), at));
  const delimiter = raw ? /^"([^\s()\\]{0,16})\(/.exec(text.slice(at, at + 20))?.[1] : undefined;
  if (delimiter !== undefined) {
    const close = `)${delimiter}"`;
    const end = text.indexOf(close, at);
    return end < 0 ? text.length : end + close.length;
  }
  return afterQuoted(text, at, /"(?:[^"\\\n]|\\\r?[\s\S])*"?/y);
}

/**
 * Returns the end of a character literal, or of an apostrophe between word characters, which is a
 * digit separator.
 */
const afterCharacter = (text: string, at: number): number =>
  /\w/.test(text[at - 1] ?? ' ') && /\w/.test(text[at + 1] ?? ' ')
    ? at + 1
    : afterQuoted(text, at, /'(?:[^'\\\n]|\\.)*'?/y);

function afterQuoted(text: string, at: number, quoted: RegExp): number {
  quoted.lastIndex = at;
  return at + (quoted.exec(text)?.[0].length ?? 1);
}
