/**
 * Expands `#include "..."` directives that name a file relative to the including file, because nvcc
 * compiles a copy of the source in a different folder. nvcc resolves all other includes.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { readRegular } from '../host/userFile';

/** File name of the kernel source in nvcc's messages. */
const SELF = 'kernel.cu';
const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*"([^"\r\n]+)"/;
const ONCE = /^[ \t]*#[ \t]*pragma[ \t]+once\b/;
const MAX_DEPTH = 16;
const MAX_CHARACTERS = 4_000_000;

interface Progress {
  readonly once: Set<string>;
  characters: number;
  readonly mayRead: (file: string) => boolean;
}

/**
 * Returns the source of `file` with local includes expanded. `#line` directives preserve the
 * original line numbers in nvcc's messages. `mayRead` gets the real path of an included file, and
 * excludes files that are left to nvcc.
 */
export const inlineIncludes = (
  text: string,
  file: string,
  mayRead: (file: string) => boolean = () => true,
): Promise<string> =>
  inline(text, { file, name: SELF, stack: [] }, { once: new Set(), characters: 0, mayRead });

interface Place {
  readonly file: string;
  readonly name: string;
  /** Paths of the included files in the current include chain, outermost first. */
  readonly stack: readonly string[];
}

async function inline(text: string, place: Place, progress: Progress): Promise<string> {
  const lines = text.split('\n');
  const code = withoutComments(text).split('\n');
  for (const [i, line] of code.entries()) {
    if (place.stack.length > 0 && ONCE.test(line)) {
      progress.once.add(place.file);
      lines[i] = '';
    }
    const wanted = INCLUDE.exec(line)?.[1];
    if (wanted === undefined) continue;
    const file = await realpath(path.resolve(path.dirname(place.file), wanted)).catch(() => null);
    const isRead = file !== null && progress.mayRead(file);
    const found = isRead ? await readLocal(file, place, progress) : null;
    if (file === null || found === null) continue;
    const name = path.basename(wanted).replaceAll('\\', '');
    const stack = [...place.stack, file];
    const body =
      stack.length > MAX_DEPTH ? '' : await inline(found, { file, name, stack }, progress);
    lines[i] = `#line 1 "${name}"\n${body}\n#line ${i + 2} "${place.name}"`;
  }
  return lines.join('\n');
}

/**
 * Returns the source of an included file; empty if it must not be included again, and null if it
 * cannot be read or exceeds the remaining size limit.
 */
async function readLocal(file: string, place: Place, progress: Progress): Promise<string | null> {
  if (progress.once.has(file) || place.stack.includes(file)) return '';
  const charactersLeft = Math.max(0, MAX_CHARACTERS - progress.characters);
  const found = await readRegular(file, charactersLeft).catch(() => null);
  progress.characters += found?.length ?? 0;
  return found?.toString('utf8') ?? null;
}

/**
 * Replaces comments with spaces. String literals are kept, because they contain the include paths.
 */
const withoutComments = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, found =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, ' '),
  );
