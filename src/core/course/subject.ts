/** Source text of the kernels of a chapter, without the lines for tools. */
import type { LoopNest } from '../nests/nest';
import { nestLines } from '../nests/nestLines';
import { unifiedText } from '../text/hunks';
import { nestKernel } from '../nests/kernel';
import type { Chapter, Subject } from './chapter';
import { specFacts } from './specFacts';

const hasParallelLoops = (nest: LoopNest): boolean => nest.some(({ level }) => level !== 'thread');

/** Longest difference that a chapter shows. */
const MAX_DIFF_LINES = 60;

/** Returns the code of a subject: CUDA, or the loops of a nest without parallel loops. */
export function codeOf(subject: Subject): string {
  if ('spec' in subject) return body(specFacts(subject.spec).kernel.source);
  return hasParallelLoops(subject.nest)
    ? body(nestKernel(subject.nest, subject.problem, 'cuda').source)
    : nestLines(subject.nest).join('\n');
}

export const languageOf = (subject: Subject): 'cuda' | 'text' =>
  'spec' in subject || hasParallelLoops(subject.nest) ? 'cuda' : 'text';

/** Removes the head comment, the annotation and the host code. */
function body(source: string): string {
  const lines = source.split('\n');
  const first = lines.findIndex(line => line !== '' && !line.startsWith('//'));
  const end = lines.findIndex(line => /^\/\/ (@gemm|Spec key)|^#ifndef __CUDACC_RTC__/.test(line));
  return lines
    .slice(first, end === -1 ? undefined : end)
    .join('\n')
    .trim();
}

/**
 * Returns the changed lines between the kernels of a chapter in the unified format; null if there
 * is no earlier kernel, if the languages differ, or if most lines differ.
 */
export function changeOf({ before, after }: Chapter): string | null {
  if (before === undefined || languageOf(before) !== languageOf(after)) return null;
  const text = unifiedText(codeOf(before), codeOf(after));
  const count = text.split('\n').length;
  return text === '' || count > MAX_DIFF_LINES ? null : text;
}

/** Returns the lines to show of the later kernel. */
export function shownCode({ after, excerpt }: Chapter): string {
  const code = codeOf(after);
  if (excerpt === undefined) return code;
  const lines = code.split('\n');
  const [from, to] = excerpt;
  const first = lines.findIndex(line => line.includes(from));
  const last = lines.findIndex((line, i) => i >= first && line.includes(to));
  if (first === -1 || last === -1) throw new Error(`The kernel has no line "${from}" to "${to}".`);
  return lines.slice(first, last + 1).join('\n');
}
