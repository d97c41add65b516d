/** Suggests the known name with the smallest edit distance to an unknown name. */

/**
 * Returns the nearest known name; undefined if its edit distance exceeds (length + 1) / 3 or the
 * given name is too long.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const name = given.toLowerCase();
  if (name.length > LONGEST) return undefined;
  const most = Math.floor((name.length + 1) / 3);
  const [nearest] = known
    .map(one => ({ one, edits: editsBetween(name, one.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .sort((left, right) => left.edits - right.edits);
  return nearest?.one;
}

/** Maximum number of characters in a name. */
const LONGEST = 60;

/**
 * Returns the optimal string alignment distance: the number of insertions, deletions, replacements
 * and swaps of adjacent characters.
 */
function editsBetween(from: string, to: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, character] of from.split('').entries()) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (character === to[j - 1] ? 0 : 1);
      const isSwap = j > 1 && i > 0 && character === to[j - 2] && from[i - 1] === to[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}

interface Node {
  readonly entries?: Readonly<Record<string, Node>>;
  /** Discriminator of a variant, such as `op`. */
  readonly key?: string;
  readonly literal?: unknown;
  readonly wrapped?: Node;
  readonly item?: Node;
  readonly options?: readonly unknown[];
}

const inside = (node: Node): Node => (node.wrapped === undefined ? node : inside(node.wrapped));

/** Returns the schemas of a variant; empty for other schemas. */
const variantsOf = ({ key, options = [] }: Node): readonly Node[] =>
  key === undefined ? [] : options.filter(option => typeof option === 'object' && option !== null);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Returns the member of a variant that applies to a value, or the node if it is not a variant. */
function chosen(node: Node, value: unknown): Node {
  const { key } = node;
  if (key === undefined || !isObject(value)) return node;
  return variantsOf(node).find(({ entries }) => entries?.[key]?.literal === value[key]) ?? node;
}

/** Returns the values of the discriminator of a variant. */
const literalsOf = (node: Node): readonly string[] =>
  variantsOf(node)
    .map(({ entries }) => entries?.[node.key ?? '']?.literal)
    .filter(literal => typeof literal === 'string');

/**
 * Returns the field names or the string options at a path of a valibot schema; empty if the path
 * has neither. `input` is the decoded value, which selects the members of variants. The path of a
 * discriminator has its values.
 */
export function namesAt(
  schema: object,
  path: readonly string[],
  input?: unknown,
): readonly string[] {
  let [node, value]: [Node, unknown] = [inside(schema), input];
  for (const key of path) {
    const member = chosen(node, value);
    if (member.key === key) return literalsOf(member);
    node = inside(member.item ?? member.entries?.[key] ?? {});
    value = isObject(value) ? value[key] : undefined;
  }
  const { entries, options = [] } = chosen(node, value);
  return entries === undefined
    ? options.filter(option => typeof option === 'string')
    : Object.keys(entries);
}
