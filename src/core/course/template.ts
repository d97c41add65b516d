/** Compares the text of a task file with its template, and extracts the answers of the holes. */
import { lineAt } from './outcome';

export type Extracted =
  /** `lines` are the lines of the holes, counted from 1. */
  | { readonly ok: true; readonly answers: readonly string[]; readonly lines: readonly number[] }
  /** `line` counts from 1; `expected` is the line of the template, undefined after its end. */
  | { readonly ok: false; readonly line: number; readonly expected: string | undefined };

/** Removes what editors change: line endings, trailing blanks and the byte order mark. */
export const plainLines = (text: string): readonly string[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map(line => line.trimEnd());

const plainText = (text: string): string => plainLines(text).join('\n').trimEnd();

/** Extracts the text at each hole. All other text must be as in the template. */
export function extractAnswers(text: string, template: string, hole: string): Extracted {
  const given = plainText(text);
  // Blanks around a hole belong to the answer, so that a line with an empty answer can be deleted.
  const all = plainText(template).split(hole);
  const parts = all.map((part, i) => {
    const start = i === 0 ? part : part.trimStart();
    return i === all.length - 1 ? start : start.trimEnd();
  });
  const answers: string[] = [];
  const lines: number[] = [];
  let at = parts[0]?.length ?? 0;
  if (!given.startsWith(parts[0] ?? '')) return differing(text, template, hole);
  for (let i = 1; i < parts.length; i++) {
    const part = parts[i] ?? '';
    const isLast = i === parts.length - 1;
    const end = isLast ? given.length - part.length : given.indexOf(part, at);
    if (end < at || (isLast && !given.endsWith(part))) return differing(text, template, hole);
    const answer = given.slice(at, end);
    answers.push(answer.trim());
    const blanks = answer.trim() === '' ? answer.indexOf('\n') + 1 : answer.search(/\S/);
    lines.push(lineAt(given, at + blanks));
    at = end + part.length;
  }
  return { ok: true, answers, lines };
}

/** Finds the first line that differs outside of the holes. */
function differing(text: string, template: string, hole: string): Extracted {
  const [given, wanted] = [plainLines(text), plainLines(template)];
  const line = wanted.findIndex((expected, i) => {
    const [start = '', ...rest] = expected.split(hole);
    const got = given[i] ?? '';
    return rest.length === 0 ? got !== expected : !got.startsWith(start);
  });
  return line === -1
    ? { ok: false, line: wanted.length + 1, expected: undefined }
    : { ok: false, line: line + 1, expected: wanted[line] };
}

/** Replaces the holes of a template with answers. */
export const filledTemplate = (
  template: string,
  hole: string,
  answers: readonly string[],
): string => {
  let index = 0;
  return template.replaceAll(hole, () => answers[index++] ?? hole);
};
