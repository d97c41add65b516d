/**
 * Compares Nsight Compute counters with the values of the analysis: access totals, memory traffic
 * and resources.
 */
import { t } from '@vscode/l10n';
import type { Analysis } from '../../report/analysis';
import { findDevice } from '../../hardware/devices';
import type { NcuKernel } from './report';
import { QUANTITIES, type Quantity, type QuantityId } from './quantities';
import { figure, type Figure } from '../../text/figure';

export interface NcuRow {
  readonly id: QuantityId;
  readonly name: string;
  /** Value of the analysis; null if unknown, for example for accesses of a hand-written kernel. */
  readonly ours: Figure | null;
  /** Counter value; null if the report lacks the counter. */
  readonly counted: Figure | null;
  /**
   * Error of the model relative to the counter in percent; null if the values are not compared, or
   * if only the counter is 0.
   */
  readonly differencePercent: number | null;
  /** `equal` if the difference is within the printed precision of the counter. */
  readonly verdict: 'equal' | 'differs' | 'not compared';
  /** Reason for the difference, or for omitting the comparison; empty if the values are equal. */
  readonly why: string;
}

export interface NcuComparison {
  readonly rows: readonly NcuRow[];
  readonly limits: readonly string[];
}

export interface ComparedAnalysis {
  readonly analysis: Analysis;
  /** L2 and DRAM bytes predicted by the cache model; undefined for a kernel without a spec. */
  readonly levels?: Readonly<Partial<Record<'l2' | 'dram', Figure>>> | undefined;
  /** True if the kernel uses asynchronous copies, which have separate counters. */
  readonly isAsynchronous: boolean;
  /** Median time of the latest timed run in milliseconds; undefined without a timed run. */
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
              'The report is for compute capability {0} and the analysis for {1}, so GPU-dependent values are not compared.',
              kernel.computeCapability ?? '',
              name,
            ),
          ]
        : []),
      ...(rows.every(({ counted }) => counted === null)
        ? [t('The report lacks all counters of this comparison. Fix: profile with ncu --set full.')]
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
  const expected = quantity.ours(compared);
  const modeled =
    expected === null || !Number.isFinite(expected.value)
      ? null
      : figure(expected.value, unit, expected.from);
  const read = quantity.counted(kernel.metrics, compared);
  const row = { id, name: quantity.name(), ours: modeled };
  if ('missing' in read) {
    const why = t('The report lacks {0}.', read.missing);
    return { ...row, counted: null, differencePercent: null, verdict: 'not compared', why };
  }
  const counted = figure(read.value, unit, 'measured');
  const none = { ...row, counted, differencePercent: null, verdict: 'not compared' } as const;
  if (isOther && quantity.dependsOnGpu === true) return { ...none, why: t('Different GPU.') };
  if (modeled === null) return { ...none, why: quantity.unknown?.() ?? unknownSites() };
  const off = Math.abs(modeled.value - counted.value);
  const isEqual = off <= read.halfStep + 1e-9 * Math.abs(counted.value);
  const differencePercent =
    counted.value === 0
      ? modeled.value === 0
        ? 0
        : null
      : (modeled.value / counted.value - 1) * 100;
  return {
    ...row,
    counted,
    differencePercent,
    verdict: isEqual ? 'equal' : 'differs',
    why: isEqual ? '' : quantity.why(),
  };
}

const unknownSites = (): string => t('The analysis has no value of this quantity for this kernel.');
