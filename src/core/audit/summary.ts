/** The summary of an audit: totals, and the shapes ranked by the time that they save. */
import { EQUAL_PERCENT, VERDICTS, type ShapeResult, type Verdict } from './result';
import type { ShapeFormat, ShapeIssue } from './shapes/shape';

export const ENDS = ['done', 'out-of-time', 'cancelled', 'lost', 'predicted'] as const;
export type AuditEnded = (typeof ENDS)[number];

export interface AuditPlace {
  /** File of the list, or `-` for standard input. */
  readonly file: string;
  readonly format: ShapeFormat;
  /** Names of the GPUs; for a prediction, the device. */
  readonly gpus: readonly string[];
  readonly driver: string | null;
  readonly compiler: string | null;
  readonly journal: string | null;
}

export interface RankedShape {
  readonly key: string;
  readonly shape: string;
  readonly verdict: Verdict;
  readonly savedMs: number | null;
  readonly ratio: number | null;
  /** Share of the time that all measured shapes take with the fastest library. */
  readonly share: number | null;
  /** Command that continues with this shape; null if there is nothing to do. */
  readonly next: string | null;
}

/** Times of all calls in milliseconds, over the shapes with a time of both. */
export interface AuditTotals {
  readonly libraryMs: number;
  readonly oursMs: number;
  /** Each shape with the faster of both. */
  readonly fastestMs: number;
  /** Difference of `libraryMs` and `fastestMs` over the shapes with the verdict `replace`. */
  readonly savedMs: number;
}

export interface AuditSummary {
  readonly place: AuditPlace;
  readonly ended: AuditEnded;
  readonly shapes: number;
  readonly entries: number;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** Geometric mean of the ratios, each shape once; null without ratios. */
  readonly meanRatio: number | null;
  readonly totals: AuditTotals;
  readonly ranking: readonly RankedShape[];
  readonly issues: readonly ShapeIssue[];
  readonly issueCount: number;
  readonly notes: readonly string[];
  readonly seconds: number;
  readonly equalPercent: number;
}

export interface SummaryInput {
  readonly place: AuditPlace;
  readonly ended: AuditEnded;
  readonly entries: number;
  readonly results: readonly ShapeResult[];
  readonly issues: readonly ShapeIssue[];
  readonly notes: readonly string[];
  readonly seconds: number;
  /** Command that continues with a shape; null if there is nothing to do. */
  readonly nextOf: (result: ShapeResult) => string | null;
}

/** Maximum number of issues in a summary. */
const MAX_ISSUES = 100;

export function summaryOf(input: SummaryInput): AuditSummary {
  const { results, issues, nextOf, ...rest } = input;
  const compared = results.filter(isCompared);
  const totals = totalsOf(compared);
  const ratios = compared.map(({ ratio }) => Math.log(ratio));
  const sharedMs = results.reduce((sum, result) => sum + (weightMs(result) ?? 0), 0);
  return {
    ...rest,
    shapes: results.length,
    counts: countsOf(results),
    meanRatio:
      ratios.length === 0
        ? null
        : Math.exp(ratios.reduce((sum, one) => sum + one, 0) / ratios.length),
    totals,
    ranking: ranked(results).map(result => {
      const { key, shape, verdict, savedMs, ratio } = result;
      const own = weightMs(result);
      const share = own === null || sharedMs === 0 ? null : own / sharedMs;
      return { key, shape, verdict, savedMs, ratio, share, next: nextOf(result) };
    }),
    issues: issues.slice(0, MAX_ISSUES),
    issueCount: issues.length,
    equalPercent: EQUAL_PERCENT,
  };
}

type Compared = ShapeResult & {
  readonly oursMs: number;
  readonly library: NonNullable<ShapeResult['library']>;
  readonly ratio: number;
};

const isCompared = (result: ShapeResult): result is Compared =>
  result.oursMs !== null && result.library !== null && result.ratio !== null;

/** Returns the time of all calls: with the library, or else with our kernel or its prediction. */
const weightMs = ({ weight, library, oursMs, predictedMs }: ShapeResult): number | null => {
  const milliseconds = library?.milliseconds ?? oursMs ?? predictedMs;
  return milliseconds === null ? null : weight * milliseconds;
};

function totalsOf(compared: readonly Compared[]): AuditTotals {
  const sum = (of: (result: Compared) => number): number =>
    compared.reduce((total, result) => total + result.weight * of(result), 0);
  const gain = ({ library, oursMs, verdict }: Compared): number =>
    verdict === 'replace' ? library.milliseconds - oursMs : 0;
  return {
    libraryMs: sum(({ library }) => library.milliseconds),
    oursMs: sum(({ oursMs }) => oursMs),
    fastestMs: sum(({ library, oursMs }) => Math.min(library.milliseconds, oursMs)),
    savedMs: sum(gain),
  };
}

const countsOf = (results: readonly ShapeResult[]): Readonly<Record<Verdict, number>> =>
  Object.fromEntries(
    VERDICTS.map(verdict => [verdict, results.filter(one => one.verdict === verdict).length]),
  ) as Readonly<Record<Verdict, number>>;

/**
 * Orders shapes by saved time, the largest first. Shapes without a comparison follow, those with
 * the longest time first.
 */
export function ranked(results: readonly ShapeResult[]): readonly ShapeResult[] {
  return results.toSorted((one, other) => {
    if (one.savedMs !== null && other.savedMs !== null) return other.savedMs - one.savedMs;
    if (one.savedMs !== null || other.savedMs !== null) return one.savedMs === null ? 1 : -1;
    return (weightMs(other) ?? -1) - (weightMs(one) ?? -1);
  });
}
