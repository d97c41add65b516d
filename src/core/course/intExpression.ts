/**
 * Integer expressions of kernels: names, integers, parentheses and the operators of C and WGSL,
 * with the precedence of C. Division truncates, as in both languages.
 */

export type Values = ReadonlyMap<string, number>;

export interface IntExpression {
  readonly names: ReadonlySet<string>;
  /** Returns null for a division by zero. */
  readonly valueOf: (values: Values) => number | null;
}

export type ParsedExpression =
  | { readonly ok: true; readonly expression: IntExpression }
  | { readonly ok: false; readonly message: string };

const MAX_CHARACTERS = 500;
/** Binary operators, the lowest precedence first. */
const BINARY: readonly (readonly string[])[] = [
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];

type Evaluate = (values: Values) => number | null;

class Syntax extends Error {}

/** Parses an expression. `known` are the names that the kernel declares. */
export function parseExpression(text: string, known: readonly string[]): ParsedExpression {
  if (text.length > MAX_CHARACTERS)
    return { ok: false, message: `The expression exceeds ${MAX_CHARACTERS} characters.` };
  try {
    return { ok: true, expression: parse(tokensOf(text), known) };
  } catch (error) {
    if (error instanceof Syntax) return { ok: false, message: error.message };
    throw error;
  }
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const pattern = /\s+|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?|\d+[uU]?(?!\w)|<<|>>|[-+*/%^&|()~])/y;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null)
      throw new Syntax(`Unexpected "${text.charAt(at)}". Write an integer expression.`);
    if (match[1] !== undefined) tokens.push(match[1]);
  }
  return tokens;
}

function parse(tokens: readonly string[], known: readonly string[]): IntExpression {
  let at = 0;
  const names = new Set<string>();

  const primary = (): Evaluate => {
    const token = tokens[at++];
    if (token === undefined) throw new Syntax('The expression ends too early.');
    if (token === '(') {
      const inner = binary(0);
      if (tokens[at++] !== ')') throw new Syntax('A closing parenthesis is missing.');
      return inner;
    }
    if (token === '-' || token === '+' || token === '~') {
      const operand = primary();
      return values => {
        const value = operand(values);
        return value === null ? null : token === '-' ? -value : token === '~' ? ~value : value;
      };
    }
    if (/^\d/.test(token)) {
      const value = Number.parseInt(token, 10);
      return () => value;
    }
    if (!/^[A-Za-z_]/.test(token)) throw new Syntax(`Unexpected "${token}".`);
    if (!known.includes(token))
      throw new Syntax(`"${token}" is not available here. Names: ${known.join(', ')}.`);
    names.add(token);
    return values => values.get(token) ?? null;
  };

  const binary = (level: number): Evaluate => {
    const operators = BINARY[level];
    if (operators === undefined) return primary();
    let left = binary(level + 1);
    for (;;) {
      const operator = tokens[at];
      if (operator === undefined || !operators.includes(operator)) return left;
      at++;
      const [first, second] = [left, binary(level + 1)];
      left = values => {
        const [a, b] = [first(values), second(values)];
        return a === null || b === null ? null : applied(operator, a, b);
      };
    }
  };

  const value = binary(0);
  const rest = tokens[at];
  if (rest !== undefined) throw new Syntax(`Unexpected "${rest}".`);
  return { names, valueOf: value };
}

function applied(operator: string, a: number, b: number): number | null {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0 ? null : Math.trunc(a / b);
    case '%':
      return b === 0 ? null : a % b;
    case '<<':
      return a << b;
    case '>>':
      return a >> b;
    case '&':
      return a & b;
    case '^':
      return a ^ b;
    default:
      return a | b;
  }
}
