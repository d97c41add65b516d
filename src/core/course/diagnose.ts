/**
 * Compares an index expression with the solution for all values of its variables, and names typical
 * mistakes: bytes instead of elements, exchanged names, and missing terms and parentheses.
 */
import { parseExpression, type IntExpression, type Values } from './intExpression';
import type { CodeHole, Ranges } from './task';

const MAX_COMBINATIONS = 20_000;
const ELEMENT_BYTES = 4;

/** Another hole of the same file, whose solution is a typical incorrect answer. */
export interface OtherHole {
  readonly of: string;
  readonly solution: string;
}

type Compared = Omit<Extract<CodeHole, { kind: 'expression' }>, 'kind'> & {
  readonly others?: readonly OtherHole[];
};

/** Returns null if both expressions have equal values, otherwise the mistake and an example. */
export function diagnose(
  answer: string,
  solution: string,
  { of, ranges, isPossible = () => true, advice = {}, others = [] }: Compared,
): { readonly message: string; readonly detail: readonly string[] } | null {
  const known = Object.keys(ranges);
  const parsed = parseExpression(answer, known);
  if (!parsed.ok) {
    const used = Object.keys(advice).find(name => new RegExp(`\\b${name}\\b`).test(answer));
    return {
      message: parsed.message,
      detail: [],
      ...(used === undefined ? {} : { message: advice[used] ?? '', detail: [parsed.message] }),
    };
  }
  const expected = parseExpression(solution, known);
  if (!expected.ok) throw new Error(`${solution}: ${expected.message}`);
  const given = parsed.expression;
  const cases = combinations(ranges).filter(isPossible);
  const wrong = cases.find(values => given.valueOf(values) !== expected.expression.valueOf(values));
  if (wrong === undefined) return null;
  const cause = causeOf({
    given,
    text: solution,
    expected: expected.expression,
    cases,
    ranges,
    others,
  });
  const [got, want] = [given.valueOf(wrong), expected.expression.valueOf(wrong)];
  const used = new Set([...given.names, ...expected.expression.names]);
  const where = [...wrong]
    .filter(([name]) => used.has(name))
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ');
  return {
    message: `The ${of} is incorrect${cause === undefined ? '' : `: ${cause}`}.`,
    detail: [
      `With ${where}, the expression is ${got ?? 'undefined (division by zero)'}; expected ${want ?? 0}.`,
    ],
  };
}

type Cases = readonly Values[];

interface Mistaken {
  readonly given: IntExpression;
  /** Text of the solution. */
  readonly text: string;
  readonly expected: IntExpression;
  readonly cases: Cases;
  readonly ranges: Ranges;
  readonly others: readonly OtherHole[];
}

function causeOf({ given, text, expected, cases, ranges, others }: Mistaken): string | undefined {
  const known = Object.keys(ranges);
  const equals = (of: (values: Values) => number | null): boolean =>
    cases.every(values => given.valueOf(values) === of(values));
  const value = (values: Values): number => expected.valueOf(values) ?? 0;
  const variant = (changed: string): boolean => {
    const parsed = parseExpression(changed, known);
    return changed !== text && parsed.ok && equals(values => parsed.expression.valueOf(values));
  };
  if (cases.some(values => given.valueOf(values) === null)) return 'it divides by zero';
  const missing = [...expected.names].filter(name => !given.names.has(name));
  if (given.names.size === 0)
    return `it is a constant, but it must change with ${listed(missing.filter(name => (ranges[name]?.length ?? 0) > 1))}`;
  if (equals(values => value(values) * ELEMENT_BYTES))
    return 'it counts bytes instead of elements, and an array index counts elements';
  const [first] = cases;
  const offset = first === undefined ? 0 : (given.valueOf(first) ?? 0) - value(first);
  if (offset !== 0 && equals(values => value(values) + offset))
    return `it is ${Math.abs(offset)} too ${offset > 0 ? 'large' : 'small'} in all cases`;
  if (variant(exchanged(text)))
    return 'x and y are exchanged, so that rows and columns are exchanged';
  if (variant(text.replace(/\b(threadIdx|thread)\.([xy])\b/g, swappedAxis)))
    return 'x and y of the thread index are exchanged';
  if (variant(text.replace(/\b(blockIdx|block)\.([xy])\b/g, swappedAxis)))
    return 'x and y of the block index are exchanged';
  for (const name of missing)
    if (equals(values => expected.valueOf(new Map(values).set(name, 0))))
      return `the term with ${name} is missing`;
  for (const name of expected.names)
    for (const { without, what } of withoutFactor(text, name)) if (variant(without)) return what;
  if (variant(withExchangedDivisions(text))) return 'quotient and remainder are exchanged';
  if (variant(text.replace(/[()]/g, ''))) return 'parentheses are missing';
  const other = others.find(({ solution }) => solution !== text && variant(solution));
  if (other !== undefined) return `this is the ${other.of}`;
  for (const name of expected.names)
    for (const used of given.names)
      if (used !== name && renamed(text, name, used).some(variant))
        return `it uses ${used} instead of ${name}`;
  return missing.length === 0 ? undefined : `it does not contain ${listed(missing)}`;
}

const listed = (names: readonly string[]): string => names.join(' and ');

const REMOVED = { '*': 'the factor', '/': 'the division by', '%': 'the remainder %' } as const;

/** Returns the expression without one of its factors or divisors with this name. */
const withoutFactor = (
  text: string,
  name: string,
): readonly { readonly without: string; readonly what: string }[] =>
  [...text.matchAll(new RegExp(`\\s*([*/%])\\s*${wholeName(name)}`, 'g'))].map(match => ({
    without: text.slice(0, match.index) + text.slice(match.index + match[0].length),
    what: `${REMOVED[match[1] as keyof typeof REMOVED]} ${name} is missing`,
  }));

/** Returns the expression with one or all uses of a name replaced. */
const renamed = (text: string, from: string, to: string): readonly string[] => {
  const uses = [...text.matchAll(new RegExp(`(?<![\\w.])${wholeName(from)}`, 'g'))];
  return [
    ...uses.map(({ index }) => text.slice(0, index) + to + text.slice(index + from.length)),
    text.replace(new RegExp(`(?<![\\w.])${wholeName(from)}`, 'g'), to),
  ];
};

/** Exchanges / and % outside of parentheses. */
function withExchangedDivisions(text: string): string {
  let depth = 0;
  return text.replace(/[()/%]/g, sign => {
    if (sign === '(') depth++;
    if (sign === ')') depth--;
    if (depth > 0 || sign === '(' || sign === ')') return sign;
    return sign === '/' ? '%' : '/';
  });
}

const wholeName = (name: string): string => `${name.replaceAll('.', '\\.')}(?![\\w.])`;

const swappedAxis = (_: string, name: string, axis: string): string =>
  `${name}.${axis === 'x' ? 'y' : 'x'}`;

const exchanged = (text: string): string =>
  text.replace(/\b(threadIdx|blockIdx|thread|block)\.([xy])\b/g, swappedAxis);

/** Returns all combinations of values, at most `MAX_COMBINATIONS`. */
function combinations(ranges: Ranges): Cases {
  let cases: Map<string, number>[] = [new Map<string, number>()];
  for (const [name, values] of Object.entries(ranges))
    cases = cases
      .flatMap(known => values.map(value => new Map(known).set(name, value)))
      .slice(0, MAX_COMBINATIONS);
  return cases;
}
