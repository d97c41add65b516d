/**
 * Puts the files that a kernel includes by a path beside itself in their place: nvcc sees the text in a
 * folder of its own, and what it compiles is cached by that text. Other includes stay for nvcc to find.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { readRegular } from '../host/userFile';

/** The name of the text itself in nvcc's messages. */
const SELF = 'kernel.cu';
const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*"([^"\r\n]+)"/;
const ONCE = /^[ \t]*#[ \t]*pragma[ \t]+once\b/;
const MAX_DEPTH = 16;
const MAX_CHARACTERS = 4_000_000;

interface Progress {
  /** Files with `#pragma once` that are in the text already. */
  readonly once: Set<string>;
  characters: number;
}

/** The text of `file` with its local includes in place; lines keep their numbers for nvcc. */
export const inlineIncludes = (text: string, file: string): Promise<string> =>
  inline(text, { file, name: SELF, stack: [] }, { once: new Set(), characters: 0 });

interface Place {
  readonly file: string;
  readonly name: string;
  /** Files whose text this one is in. */
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

/** Nothing for a file that is there already; null for one that is not beside the kernel, or is too large. */
async function readLocal(file: string, place: Place, progress: Progress): Promise<string | null> {
  if (progress.once.has(file) || place.stack.includes(file)) return '';
  const room = Math.max(0, MAX_CHARACTERS - progress.characters);
  const found = await readRegular(file, room).catch(() => null);
  progress.characters += found?.length ?? 0;
  return found?.toString('utf8') ?? null;
}

/** Comments as blanks; string literals stay, since an include is one. */
const withoutComments = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, found =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, ' '),
  );
