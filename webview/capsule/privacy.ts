/**
 * Removes what a shared file must not contain from the texts of runs: absolute paths, the home
 * directory and the user name. Control characters are removed and long texts are shortened.
 */
import type { Measurement } from '../../src/core/measure/measurement';
import type { Privacy } from '../../src/core/report/capsule';
import { visibleText } from '../../src/core/text/plainText';

/** Maximum number of characters of one text of a run. */
export const MAX_TEXT = 600;
/** Shorter user names are too common in other words. */
const MIN_NAME = 3;
/** User names of containers and CI, which identify no person and also occur in other texts. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  'root user admin runner ubuntu debian vscode node app dev test build gpu cuda'.split(' '),
);
/** Files whose name is kept, because a reader needs it to understand a message. */
const SOURCE_FILE = /[^\\/]+\.(?:cuh?|wgsl|ptx|cubin|py|json|hpp|h|cpp|c)$/;
/**
 * An absolute path: a file URI, a Windows or UNC path, or a POSIX path with at least two names. A
 * path with spaces is found only below a root or the home directory.
 */
const ABSOLUTE =
  /file:\/\/[^\s"'`<>|]*|(?<!\w)[A-Za-z]:[\\/][^\s"'`<>|*?:]*|\\\\[^\s\\"'`<>|*?:]+\\[^\s"'`<>|*?:]*|(?<![\w.:/~…-])(?:~|\/[^\s/"'`<>|*?:()[\]{},;]+)(?:\/[^\s/"'`<>|*?:()[\]{},;]+)+\/?/g;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Returns the text with paths below the roots relative to them, and without other paths. */
export function withoutPaths(text: string, { roots, secrets }: Privacy): string {
  let shown = visibleText(text);
  for (const root of byLength(roots))
    shown = shown.replace(new RegExp(`${escaped(root.replace(/[\\/]+$/, ''))}[\\\\/]`, 'gi'), '');
  for (const secret of byLength(secrets)) {
    if (secret.length < MIN_NAME || COMMON_NAMES.has(secret.toLowerCase())) continue;
    const isFolder = /[\\/]/.test(secret);
    shown = shown.replace(
      new RegExp(isFolder ? escaped(secret) : `(?<!\\w)${escaped(secret)}(?!\\w)`, 'gi'),
      isFolder ? '~' : '…',
    );
  }
  return shown.replace(ABSOLUTE, path => {
    const [name] = SOURCE_FILE.exec(path) ?? [];
    return name === undefined ? '…' : `…/${name}`;
  });
}

const byLength = (texts: readonly string[]): readonly string[] =>
  texts.filter(text => text.replace(/[\\/]+$/, '') !== '').toSorted((a, b) => b.length - a.length);

/** Returns the run with every text shortened and without paths; numbers are unchanged. */
export function publicRun(run: Measurement, privacy: Privacy): Measurement {
  const shown = (text: string): string => {
    const clean = withoutPaths(text.slice(0, 4 * MAX_TEXT), privacy);
    return clean.length <= MAX_TEXT ? clean : `${clean.slice(0, MAX_TEXT - 1)}…`;
  };
  const mapped = (value: unknown): unknown => {
    if (typeof value === 'string') return shown(value);
    if (Array.isArray(value)) return value.map(mapped);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, mapped(of)]));
  };
  // The schema, the keys and the hash of a run identify its kernel and contain no paths.
  const { resolved, specKey, kernelKey, sourceHash, ...rest } = run;
  return {
    ...(mapped(rest) as Omit<Measurement, 'resolved' | 'specKey' | 'kernelKey' | 'sourceHash'>),
    resolved,
    specKey,
    kernelKey,
    ...(sourceHash === undefined ? {} : { sourceHash }),
  };
}
