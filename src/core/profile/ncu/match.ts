/** Finds the current kernel in a report by its name and launch configuration. */
import { t } from '@vscode/l10n';
import type { Dim3 } from '../../plan/plan';
import type { NcuKernel, NcuReport } from './report';

export interface Wanted {
  readonly entry: string;
  readonly grid: Dim3;
  readonly block: Dim3;
}

export type NcuMatch =
  | {
      readonly ok: true;
      readonly kernel: NcuKernel;
      readonly others: number;
    }
  | { readonly ok: false; readonly why: string };

const isSame = (one: Dim3 | undefined, other: Dim3): boolean =>
  one?.x === other.x && one.y === other.y && one.z === other.z;

const show = (size: Dim3 | undefined): string =>
  size === undefined ? '?' : `${size.x} x ${size.y} x ${size.z}`;

/**
 * Selects the last matching launch, because caches and clocks have settled by then. A launch with a
 * different grid or block does not match.
 */
export function matchKernel({ kernels }: Pick<NcuReport, 'kernels'>, wanted: Wanted): NcuMatch {
  const named = kernels.filter(({ entry }) => entry === wanted.entry);
  const [first] = named;
  if (first === undefined) {
    return noKernel(wanted, kernels);
  }
  const sameLaunch = named.filter(
    ({ grid, block }) => isSame(grid, wanted.grid) && isSame(block, wanted.block),
  );
  const kernel = sameLaunch.at(-1);
  if (kernel !== undefined) return { ok: true, kernel, others: sameLaunch.length - 1 };
  const why = t(
    'In the report, {0} was launched with grid {1} and block {2}, not {3} and {4}, so its counters are not compared. Fix: profile the kernel with the current problem size and schedule.',
    wanted.entry,
    show(first.grid),
    show(first.block),
    show(wanted.grid),
    show(wanted.block),
  );
  return { ok: false, why };
}

export function noKernel(
  { entry }: Pick<Wanted, 'entry'>,
  others: readonly Pick<NcuKernel, 'entry'>[],
): Extract<NcuMatch, { readonly ok: false }> {
  const names = [...new Set(others.map(other => other.entry))].slice(0, 5).join(', ');
  return { ok: false, why: t('The report has no kernel {0}. Kernels: {1}.', entry, names) };
}
