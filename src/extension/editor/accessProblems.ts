/** Memory-access problems by source line: PTX accesses that cost more than the ideal access. */
import type { SourceLocation } from '../../core/memory/access';
import type { KernelText } from '../../core/source/kernelFile';
import { globalNote, sharedNote } from '../../core/profile/ptx/notes';
import type { CompiledFacts } from '../toolchain/facts';

export interface AccessProblem {
  /** Zero-based line number. */
  readonly line: number;
  readonly message: string;
}

export function accessProblems(
  { kernels, text }: KernelText,
  facts: readonly CompiledFacts[],
): readonly AccessProblem[] {
  const lines = text.split('\n').length;
  return facts.flatMap(({ entry, accesses }) => {
    if (accesses === undefined) return [];
    const above = kernels.find(kernel => kernel.entry === entry)?.line ?? 0;
    const lineOf = (place: SourceLocation | undefined): number =>
      place === undefined || place.line === null || place.line > lines ? above : place.line - 1;
    const noted = [
      ...accesses.global.map(access => ({ source: access.source, notes: globalNote(access) })),
      ...accesses.shared.map(access => ({ source: access.source, notes: sharedNote(access) })),
    ];
    return noted.flatMap(({ source, notes }) =>
      notes.map(({ text: message }) => ({ line: lineOf(source), message })),
    );
  });
}
