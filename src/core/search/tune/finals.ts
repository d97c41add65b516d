/** Runs the halving rounds, and the full timing protocol for the finalists on one GPU. */
import type { TuneEffort, TuneEvent } from './events';
import { timesOf, type Entry, type TriedSchedules } from './triedSchedules';
import { halve } from './halving';
import type { Contender } from './round';

/** Number of schedules that the full protocol measures; schedules tied with them are added. */
export const FINALISTS = 4;
/**
 * Fraction of the schedules that are kept after the quick rounds, but at least 2 x `FINALISTS`
 * schedules.
 */
const LONGER = 1 / 8;

export interface Finals {
  /** Highest effort with a completed round. */
  readonly effort: TuneEffort;
  readonly contenders: readonly Contender[];
}

type Report = (event: TuneEvent) => void;

/**
 * Runs the finals. If all finalists fail, repeats the finals with the remaining contenders.
 * @param count number of schedules that the full protocol measures
 */
export async function playFinals(
  field: TriedSchedules,
  report: Report,
  count = FINALISTS,
): Promise<Finals> {
  for (;;) {
    const { finals, finalists } = await playOnce(field, report, count);
    const failed = failuresOf(field, finalists) === finalists.length;
    if (finalists.length === 0 || !failed || field.isOver('full')) return finals;
  }
}

interface Played {
  readonly finals: Finals;
  /** Contenders of the full protocol; empty if it was not run. */
  readonly finalists: readonly Contender[];
}

async function playOnce(field: TriedSchedules, report: Report, most: number): Promise<Played> {
  const all: Finals = { effort: 'quick', contenders: field.entries() };
  if (field.isOver('longer')) return { finals: all, finalists: [] };
  const quick = survivors(field, 'quick', report, most);
  if (quick.length === 0) return { finals: all, finalists: [] };
  let last = { ...all, contenders: quick };
  if (quick.length > most) {
    report({ type: 'round', effort: 'longer', candidates: quick.length });
    await field.play(untimed(field, quick, 'longer'), 'longer');
    if (!isComplete(field, quick, 'longer')) return { finals: last, finalists: [] };
    last = { effort: 'longer', contenders: survivors(field, 'longer', report, most) };
  }
  const finalists = last.contenders;
  report({ type: 'round', effort: 'full', candidates: finalists.length });
  // If the measuring GPU is lost, another GPU measures all finalists again.
  for (let [gpu] = field.gpus(); gpu !== undefined && !field.isOver('full');) {
    await field.play(finalists, 'full', gpu);
    if (field.gpus().includes(gpu)) break;
    [gpu] = field.gpus();
  }
  const complete = isComplete(field, finalists, 'full');
  return { finals: complete ? { effort: 'full', contenders: finalists } : last, finalists };
}

const entriesOf = (field: TriedSchedules, contenders: readonly Contender[]): readonly Entry[] => {
  const keys = new Set(contenders.map(({ candidate }) => candidate.specKey));
  return field.entries().filter(({ candidate }) => keys.has(candidate.specKey));
};

const failuresOf = (field: TriedSchedules, contenders: readonly Contender[]): number =>
  entriesOf(field, contenders).filter(({ failure }) => failure !== undefined).length;

const untimed = (field: TriedSchedules, contenders: readonly Contender[], effort: TuneEffort) =>
  entriesOf(field, contenders).filter(({ times }) => times[effort] === undefined);

/**
 * Tests whether each contender was timed or failed, and at least one was timed. With full effort,
 * the times must be from one GPU.
 */
function isComplete(
  field: TriedSchedules,
  contenders: readonly Contender[],
  effort: TuneEffort,
): boolean {
  const timed = timesOf(entriesOf(field, contenders), effort);
  const gpus = new Set(timed.map(({ time }) => time.gpu));
  return (
    timed.length > 0 &&
    timed.length + failuresOf(field, contenders) === contenders.length &&
    (effort !== 'full' || gpus.size === 1)
  );
}

function survivors(
  field: TriedSchedules,
  effort: TuneEffort,
  report: Report,
  most: number,
): readonly Contender[] {
  const timed = timesOf(field.entries(), effort);
  const count = effort === 'quick' ? Math.max(2 * most, Math.ceil(timed.length * LONGER)) : most;
  const { kept, dropped } = halve(timed, count);
  for (const { candidate } of dropped) {
    report({ type: 'dropped', specKey: candidate.specKey, effort });
  }
  return kept;
}
