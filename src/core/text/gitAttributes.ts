/**
 * Merge rules for git, in the file `.gemm/.gitattributes`. With `merge=union`, git keeps the lines
 * of both branches, and `eol=lf` keeps CRLF checkouts from changing each line.
 */

export const ATTRIBUTES_FILE = '.gitattributes';

const RULES: readonly (readonly [pattern: string, attributes: string])[] = [
  [ATTRIBUTES_FILE, 'text eol=lf merge=union'],
  ['dispatch.jsonl', 'text eol=lf merge=union'],
  ['runs/*.jsonl', 'text eol=lf merge=union'],
];

/** Maximum size of an existing attributes file in bytes. A larger file is left unchanged. */
export const MAX_ATTRIBUTES_BYTES = 100_000;

/**
 * Returns the text of the attributes file with all rules. Rules that the file already has for a
 * pattern are kept. Returns undefined if no rule is missing.
 * @param old present text of the file; undefined if it does not exist
 */
export function attributesText(old: string | undefined): string | undefined {
  const patterns = new Set((old ?? '').split('\n').map(line => line.trim().split(/\s+/)[0]));
  const missing = RULES.filter(([pattern]) => !patterns.has(pattern));
  if (missing.length === 0) return undefined;
  const before = old === undefined || old === '' || old.endsWith('\n') ? (old ?? '') : `${old}\n`;
  return before + missing.map(rule => `${rule.join(' ')}\n`).join('');
}
