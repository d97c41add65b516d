/**
 * Expands includes that a kernel names by a path relative to itself. nvcc compiles the text in a
 * separate folder, and its output is cached by that text. All other includes are left to nvcc.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { readRegular } from '../host/userFile';

/** Name of the kernel text in nvcc's messages. */
const SELF = 'kernel.cu';
const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*"([^"\r\n]+)"/;
const ONCE = /^[ \t]*#[ \t]*pragma[ \t]+once\b/;
const MAX_DEPTH = 16;
const MAX_CHARACTERS = 4_000_000;

interface Progress {
  /** Files with `#pragma once` that are already included. */
  readonly once: Set<string>;
  characters: number;
}

/**
 * Returns the text of `file` with local includes expanded; `#line` keeps the line numbers for nvcc.
 */
export const inlineIncludes = (text: string, file: string): Promise<string> =>
  inline(text, { file, name: SELF, stack: [] }, { once: new Set(), characters: 0 });

interface Place {
  readonly file: string;
  readonly name: string;
  /** Files that include this file. */
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
    const found = file === null ? null : await readLocal(file, place, progress);
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
 * Returns an empty text for a file that is already included, and null for a file that is not next
 * to the kernel or too large.
 */
async function readLocal(file: string, place: Place, progress: Progress): Promise<string | null> {
  if (progress.once.has(file) || place.stack.includes(file)) return '';
  const charactersLeft = Math.max(0, MAX_CHARACTERS - progress.characters);
  const found = await readRegular(file, charactersLeft).catch(() => null);
  progress.characters += found?.length ?? 0;
  return found?.toString('utf8') ?? null;
}

/**
 * Replaces comments by blanks. String literals are kept, because include paths are string literals.
 */
const withoutComments = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, found =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, ' '),
  );
