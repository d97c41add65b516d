/** Removes line information from listings and returns it separately. */
import type { Listing } from './instruction';
import { readPtx } from './ptx';
import { readSass } from './sass';

export interface PlainListing {
  readonly text: string;
  /** Source lines (zero-based) of each listing line, innermost first; empty if unknown. */
  readonly sources: readonly (readonly number[])[];
}

/**
 * `file` is a suffix of the source path. Source lines of other files, such as CUDA headers, are
 * omitted.
 */
export function plainListing(
  text: string,
  language: Listing['language'],
  file: string,
): PlainListing {
  const listings = language === 'ptx' ? readPtx(text) : readSass(text);
  const from = new Map<number, readonly number[]>();
  for (const { line, from: places } of listings.flatMap(({ instructions }) => instructions)) {
    const own = places.filter(place => place.file.replaceAll('\\', '/').endsWith(`/${file}`));
    from.set(line, [...new Set(own.map(place => place.line - 1))]);
  }
  const kept: { readonly text: string; readonly sources: readonly number[] }[] = [];
  let inSection = false;
  for (const [at, line] of text.split('\n').entries()) {
    const isInformation =
      language === 'ptx' ? /^\s*\.(loc|file|section)\s/.test(line) : /^\s*\/\/##/.test(line);
    if (language === 'ptx' && /^\s*\.section\s/.test(line)) inSection = true;
    if (!isInformation && !inSection) kept.push({ text: line, sources: from.get(at) ?? [] });
    if (inSection && line.trim() === '}') inSection = false;
  }
  return {
    text: kept.map(({ text: line }) => line).join('\n'),
    sources: kept.map(({ sources }) => sources),
  };
}

/** Prepends header lines, for which no source lines are known. */
export const withHead = (head: string, { text, sources }: PlainListing): PlainListing => ({
  text: head + text,
  sources: [
    ...head
      .split('\n')
      .slice(1)
      .map(() => []),
    ...sources,
  ],
});
