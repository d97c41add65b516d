/** Serializable state of a tuning run for the explorer, without schedules and events. */
import * as v from 'valibot';
import { problemKey } from '../../charts/rooflineTrail';
import { EFFORTS } from '../../measure/backend';
import type { ResolvedSpec } from '../../spec/resolved';
import { TARGETS, type GemmSpec, type Target } from '../../spec/schema';
import type { TuneEffort } from './events';
import { tiedWithBest, type TunedCandidate, type TuneState } from './state';

const text = v.pipe(v.string(), v.maxLength(2000));
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const ENDS = ['done', 'cancelled', 'out-of-time', 'lost', 'nothing'] as const;

/**
 * Display states of a candidate. `best`: fastest candidate without ties. `tied`: within the errors
 * of the fastest candidate. `racing`: measured and not dropped.
 */
export const SHOWN_STATES = ['best', 'tied', 'racing', 'slower', 'waiting', 'failed'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

const candidateSchema = v.object({
  specKey: text,
  state: v.picklist(SHOWN_STATES),
  /** Predicted TFLOP/s; null if the time model does not apply. */
  predicted: v.nullable(amount),
  time: v.nullable(
    v.object({
      tflops: amount,
      milliseconds: amount,
      errorPercent: amount,
      effort: v.picklist(EFFORTS),
    }),
  ),
  why: v.optional(text),
});
export type ShownCandidate = v.InferOutput<typeof candidateSchema>;

const subjectSchema = v.object({
  problem: text,
  device: text,
  /** Target language; null until the backend is known. */
  target: v.nullable(v.picklist(TARGETS)),
});
export type TuneSubject = v.InferOutput<typeof subjectSchema>;

export const tuneSchema = v.object({
  subject: subjectSchema,
  /** Description of the problem and the measuring backend. */
  of: text,
  /** Stage of the run; `refused` means that it could not start. */
  stage: v.picklist(['starting', 'running', 'ended', 'refused']),
  /** Current activity, the reason for not starting, or the result of adopting the winner. */
  words: text,
  ended: v.nullable(v.picklist(ENDS)),
  winner: v.nullable(text),
  adopted: v.boolean(),
  /** Number of legal schedules; null until they are counted. */
  legal: v.nullable(count),
  budget: v.nullable(count),
  round: v.nullable(v.picklist(EFFORTS)),
  /** Candidates in order of trial. */
  candidates: v.array(candidateSchema),
  measured: count,
  failed: count,
  left: count,
  elapsedMs: amount,
  leftMs: v.nullable(amount),
  notes: v.array(text),
});
export type ShownTune = v.InferOutput<typeof tuneSchema>;

export const tuneSubject = (
  { problem, device }: Pick<ResolvedSpec, 'problem' | 'device'>,
  target: Target | null,
): TuneSubject => ({ problem: problemKey(problem), device, target });

export const tuneKey = ({ problem, device, target }: TuneSubject): string =>
  JSON.stringify([problem, device, target]);

/**
 * Tests whether a tuning run has the problem and device of this spec, and one of its target
 * languages or no target yet.
 */
export const isTuneOf = (
  { subject }: Pick<ShownTune, 'subject'>,
  resolved: Pick<ResolvedSpec, 'problem' | 'device'>,
  { targets }: Pick<GemmSpec, 'targets'>,
): boolean =>
  tuneKey(subject) === tuneKey(tuneSubject(resolved, subject.target)) &&
  (subject.target === null || targets?.includes(subject.target) !== false);

export const MAX_TUNES = 8;

/**
 * Adds or updates a tuning run, which becomes the last run of the list. It replaces runs of the
 * same subject with an unknown target.
 */
export const withTune = (tunes: readonly ShownTune[], newer: ShownTune): readonly ShownTune[] => {
  const keys = [tuneKey(newer.subject), tuneKey({ ...newer.subject, target: null })];
  const others = tunes.filter(({ subject }) => !keys.includes(tuneKey(subject)));
  return [...others, newer].slice(-MAX_TUNES);
};

export type TuneContextFields = Pick<ShownTune, 'subject' | 'of' | 'stage' | 'words' | 'adopted'>;

export function shownTune(state: TuneState, around: TuneContextFields): ShownTune {
  const { candidates, summary, budget, space, round } = state;
  const tied = new Set(tiesOf(state));
  const isDecided = summary?.ended === 'done' && summary.winner !== null;
  const all = [...candidates.values()];
  const failed = all.filter(({ status }) => status === 'failed').length;
  const measured = all.filter(one => one.time !== undefined && one.status !== 'failed').length;
  const left = Math.max(0, (budget?.schedules ?? 0) - measured - failed);
  return {
    ...around,
    words: truncate(around.words),
    ended: summary?.ended ?? null,
    winner: summary?.winner?.specKey ?? null,
    legal: space?.legal ?? null,
    budget: budget?.schedules ?? null,
    round: summary === null ? (round?.effort ?? null) : null,
    candidates: all.map(one => shownCandidate(one, stateOf(one, tied, isDecided))),
    measured,
    failed,
    left: summary === null ? left : 0,
    elapsedMs: state.elapsedMs,
    leftMs: state.leftMs,
    notes: state.notes.map(truncate),
  };
}

const truncate = (words: string): string => words.slice(0, 2000);

const tiesOf = (state: TuneState): readonly string[] =>
  (state.summary?.ties ?? tiedWithBest(state)).map(({ specKey }) => specKey);

function shownCandidate(one: TunedCandidate, state: ShownState): ShownCandidate {
  const { specKey, predictedTflops, time, effort, why } = one;
  return {
    specKey,
    state,
    predicted: predictedTflops,
    time:
      time === undefined || effort === undefined
        ? null
        : {
            tflops: time.tflops,
            milliseconds: time.medianMs,
            errorPercent: time.errorPercent,
            effort,
          },
    ...(why === undefined ? {} : { why: truncate(why) }),
  };
}

/** Once the run is done and has a winner, no candidate is `racing`. */
function stateOf(
  { specKey, status }: TunedCandidate,
  tied: ReadonlySet<string>,
  isDecided: boolean,
): ShownState {
  if (status === 'failed') return 'failed';
  if (tied.has(specKey)) return tied.size === 1 ? 'best' : 'tied';
  return isDecided && status === 'measured' ? 'slower' : STATE_OF[status];
}

const STATE_OF = {
  tried: 'waiting',
  compiled: 'waiting',
  measured: 'racing',
  dropped: 'slower',
} as const satisfies Partial<Record<TunedCandidate['status'], ShownState>>;

const RANK: Readonly<Record<TuneEffort, number>> = { quick: 0, longer: 1, full: 2 };

/**
 * Returns the measured candidates: the best or tied candidates first, then the others by effort
 * (highest first) and time.
 */
export function fastestFirst(candidates: readonly ShownCandidate[]): readonly ShownCandidate[] {
  const rank = ({ state, time }: ShownCandidate): number =>
    state === 'best' || state === 'tied' ? 3 : RANK[time?.effort ?? 'quick'];
  return candidates
    .filter(({ state, time }) => time !== null && state !== 'failed')
    .toSorted(
      (one, other) =>
        rank(other) - rank(one) || (one.time?.milliseconds ?? 0) - (other.time?.milliseconds ?? 0),
    );
}
