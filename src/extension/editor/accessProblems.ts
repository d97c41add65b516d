/**
 * Memory-access problems by source line, with their fixes: PTX accesses that cost more than the
 * ideal access.
 */
import { t } from '@vscode/l10n';
import type { GlobalAccess, SharedAccess, SourceLocation } from '../../core/memory/access';
import { readKernel, type KernelText } from '../../core/source/kernelFile';
import { padSharedArray, swapThreadAxes, type TextEdit } from '../../core/source/kernelFixes';
import { globalNote, MAX_ELEMENTS_PER_THREAD, sharedNote } from '../../core/profile/ptx/notes';
import type { CompiledFacts } from '../toolchain/facts';

export interface AccessProblem {
  readonly entry: string;
  /** Zero-based line number. */
  readonly line: number;
  readonly message: string;
  readonly access: Access;
}

type Access =
  | { readonly space: 'global'; readonly access: GlobalAccess }
  | { readonly space: 'shared'; readonly access: SharedAccess };

export interface AccessFix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
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
    const all: readonly Access[] = [
      ...accesses.global.map(access => ({ space: 'global', access }) as const),
      ...accesses.shared.map(access => ({ space: 'shared', access }) as const),
    ];
    return all.flatMap(one => {
      const notes = one.space === 'global' ? globalNote(one.access) : sharedNote(one.access);
      const line = lineOf(one.access.source);
      return notes.map(({ text: message }) => ({ entry, line, message, access: one }));
    });
  });
}

/**
 * Returns the edit that removes an access problem and keeps the result of the kernel; undefined if
 * there is none.
 */
export function accessFix(
  file: KernelText,
  { entry, access: one }: AccessProblem,
  facts: readonly CompiledFacts[],
): AccessFix | undefined {
  const kernel = file.kernels.find(site => site.entry === entry);
  if (kernel === undefined) return undefined;
  if (one.space === 'shared') {
    const { curingPadding, source } = one.access;
    const [, array] = /^\W*(\w+)\s*\[/.exec(source?.code ?? '') ?? [];
    if (curingPadding === null || array === undefined) return undefined;
    const edits = padSharedArray(file.text, kernel, array, curingPadding);
    return edits && { title: t('Pad the rows of {0} by {1}', array, curingPadding), edits };
  }
  const others = facts.find(fact => fact.entry === entry)?.accesses?.global ?? [];
  const read = readKernel(file, entry);
  if (!read.ok || !isTransposed(one.access) || others.some(isContiguous)) return undefined;
  const edits = swapThreadAxes(file.text, file.kernels, entry, read.runnable.block);
  return edits && { title: t('Swap threadIdx.x and threadIdx.y'), edits };
}

/** Tests whether consecutive lanes access different rows, not consecutive parts of one row. */
const isTransposed = ({ source }: GlobalAccess): boolean =>
  Math.abs(source?.lanesApart ?? 0) > MAX_ELEMENTS_PER_THREAD;

/** Tests whether swapped thread axes would make a coalesced access uncoalesced. */
const isContiguous = ({ source }: GlobalAccess): boolean => Math.abs(source?.lanesApart ?? 0) === 1;
