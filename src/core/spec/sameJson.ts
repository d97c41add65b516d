/** Returns whether two JSON values are equal, ignoring the order of fields. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isContainer(one) || !isContainer(other)) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [ours, theirs] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    ours.length === theirs.size &&
    ours.every(([key, value]) => theirs.has(key) && sameJson(value, theirs.get(key)))
  );
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;
