/** What Nsight Compute counted beside what the analysis says: site sums, traffic, resources, and the difference of each. */
import { t } from '@vscode/l10n';
import type { Analysis } from '../../report/analysis';
import { findDevice } from '../../hardware/devices';
import type { NcuKernel } from './report';
import { QUANTITIES, type Quantity, type QuantityId } from './quantities';
import { figure, type Figure } from '../../text/figure';

export interface NcuRow {
  readonly id: QuantityId;
  /** Short name, for tables. */
  readonly name: string;
  /** Null where the analysis does not know it, such as the sites of a hand-written kernel. */
  readonly ours: Figure | null;
  /** Null where the report lacks it. */
  readonly counted: Figure | null;
  /** Of the counter: how far off ours is; null where one is missing, and where the counter is 0 and ours is not. */
  readonly differencePercent: number | null;
  /** As far as the printed digits tell. */
  readonly verdict: 'equal' | 'differs' | 'not compared';
  /** Why they differ, or why they are not compared. */
  readonly why: string;
}

export interface NcuComparison {
  readonly rows: readonly NcuRow[];
  /** What holds for all rows: sentences. */
  readonly limits: readonly string[];
}

export interface ComparedAnalysis {
  readonly analysis: Analysis;
  /** Bytes by the model of the caches; undefined of a text that no spec gives. */
  readonly levels?: Readonly<Partial<Record<'l2' | 'dram', Figure>>> | undefined;
  /** The kernel copies asynchronously: such requests have counters of their own. */
  readonly isAsynchronous: boolean;
  /** Of a run that was timed, where there is one. */
  readonly medianMs?: number | undefined;
}

export function compareWithNcu(kernel: NcuKernel, compared: ComparedAnalysis): NcuComparison {
  const { analysis } = compared;
  const { computeCapability, name = analysis.device } = findDevice(analysis.device) ?? {};
  const isOther =
    kernel.computeCapability !== undefined && kernel.computeCapability !== computeCapability;
  const rows = QUANTITIES.map(quantity => rowOf(quantity, kernel, compared, isOther));
  return {
    rows,
    limits: [
      ...(isOther
        ? [
            t(
              'The report is of compute capability {0}, the analysis of {1}: what depends on the GPU is not compared.',
              kernel.computeCapability ?? '',
              name,
            ),
          ]
        : []),
      ...(rows.every(({ counted }) => counted === null)
        ? [t('The report has none of these counters: profile with ncu --set full.')]
        : []),
    ],
  };
}

function rowOf(
  quantity: Quantity,
  kernel: NcuKernel,
  compared: ComparedAnalysis,
  isOther: boolean,
): NcuRow {
  const { id, unit } = quantity;
  const told = quantity.ours(compared);
  const ours =
    told === null || !Number.isFinite(told.value) ? null : figure(told.value, unit, told.from);
  const read = quantity.counted(kernel.metrics, compared);
  const row = { id, name: quantity.name(), ours };
  if ('missing' in read) {
    const why = t('The report lacks {0}.', read.missing);
    return { ...row, counted: null, differencePercent: null, verdict: 'not compared', why };
  }
  const counted = figure(read.value, unit, 'measured');
  const none = { ...row, counted, differencePercent: null, verdict: 'not compared' } as const;
  if (isOther && quantity.dependsOnGpu === true) return { ...none, why: t('Of another GPU.') };
  if (ours === null) return { ...none, why: quantity.unknown?.() ?? unknownSites() };
  const off = Math.abs(ours.value - counted.value);
  const isEqual = off <= read.halfStep + 1e-9 * Math.abs(counted.value);
  const differencePercent =
    counted.value === 0 ? (ours.value === 0 ? 0 : null) : (ours.value / counted.value - 1) * 100;
  return {
    ...row,
    counted,
    differencePercent,
    verdict: isEqual ? 'equal' : 'differs',
    why: isEqual ? '' : quantity.why(),
  };
}

const unknownSites = (): string => t('Not known of a text that no spec gives.');
