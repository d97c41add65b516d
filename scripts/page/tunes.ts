/** Sample tuning messages, built from consistent event sequences. */
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import type {
  TuneEvent,
  TuneResult,
  TuneSummary,
  TuneTime,
} from '../../src/core/search/tune/events';
import { shownTune, tuneSubject, type TuneContextFields } from '../../src/core/search/tune/shown';
import { after, NOT_STARTED } from '../../src/core/search/tune/state';
import type { ToWebview } from '../../src/protocol';

type TuneMessage = Extract<ToWebview, { type: 'tune' }>;

const COUNT = 16;
export const TUNED_SPEC: GemmSpec = { problem: { m: 1024, n: 1024, k: 1024 }, targets: ['cuda'] };
const resolved = resolve(TUNED_SPEC);
const keyOf = (i: number): string => `gemm-f32-pipelined-1024x1024x1024-rrr-${32 + 8 * i}x64x16`;
const time = (tflops: number, errorPercent: number): TuneTime => ({
  medianMs: 2.147 / tflops,
  tflops,
  errorPercent,
  timerPercent: errorPercent / 2,
  gpu: 'NVIDIA H200',
});
/**
 * Returns the rate of schedule `i` in TFLOP/s. The fifth and sixth schedules are the fastest, with
 * nearly equal rates.
 */
const rateOf = (i: number): number => 20 - (i === 5 ? 0.05 : Math.abs(4 - i));

const place = { backend: 'cuda', target: 'cuda', device: 'h200', gpus: ['NVIDIA H200'] } as const;
const space = { members: 400, walked: 400, legal: 320 };

/**
 * Returns the events after which the last two of `COUNT` schedules are not yet measured and the
 * preceding schedule has failed.
 */
function begun(errorPercent: number, isPredicted: boolean): readonly TuneEvent[] {
  const { problem, schedule } = resolved;
  const order = { by: isPredicted ? 'model' : 'reuse', text: 'by the time model' } as const;
  const failed = COUNT - 3;
  return [
    { type: 'started', problem, place, order, kept: 0 },
    { type: 'counted', space, budget: { schedules: COUNT } },
    { type: 'round', effort: 'quick', candidates: COUNT },
    ...Array.from({ length: COUNT }, (_, i): TuneEvent => {
      const predictedTflops = isPredicted ? 21 - 0.6 * i : null;
      const candidate = { specKey: keyOf(i), schedule, predictedTflops, from: 'rank' } as const;
      return { type: 'tried', candidate };
    }),
    ...Array.from({ length: failed }, (_, i): TuneEvent => {
      const measured = time(rateOf(i), errorPercent);
      return { type: 'measured', specKey: keyOf(i), effort: 'quick', time: measured, kept: false };
    }),
    { type: 'failed', specKey: keyOf(failed), outcome: 'timeout', why: 'It took 5 s.' },
    { type: 'dropped', specKey: keyOf(12), effort: 'quick' },
    { type: 'clock', elapsedMs: 12_000, leftMs: 4000 },
  ];
}

const resultOf = (i: number, errorPercent: number): TuneResult => ({
  ...time(rateOf(i), errorPercent),
  specKey: keyOf(i),
  kernelKey: `${i}`,
  schedule: resolved.schedule,
  effort: 'full',
  predictedTflops: null,
});

const summaryOf = (over: Partial<TuneSummary>): TuneSummary => ({
  type: 'summary',
  problem: resolved.problem,
  place,
  measuredOn: null,
  ended: 'done',
  winner: null,
  ties: [],
  others: [],
  space,
  measuredCount: 14,
  measuredShare: 14 / 320,
  measurements: 20,
  failures: [],
  elapsedMs: 16_000,
  notes: [],
  ...over,
});

const OF = '1024 x 1024 x 1024, f32 on NVIDIA H200';
const told = (events: readonly TuneEvent[], over: Partial<TuneContextFields> = {}): TuneMessage => {
  const subject = tuneSubject(resolved, 'cuda');
  const around = { subject, of: OF, stage: 'running', words: 'Searching', adopted: false } as const;
  return { type: 'tune', tune: shownTune(after(NOT_STARTED, ...events), { ...around, ...over }) };
};
const ended = (
  events: readonly TuneEvent[],
  over: Partial<TuneSummary>,
  around: Partial<TuneContextFields> = {},
): TuneMessage =>
  told([...events, { type: 'finished', summary: summaryOf(over) }], { stage: 'ended', ...around });

const [best, second] = [resultOf(4, 0.5), resultOf(5, 0.5)];
const UNRANKED = 'Not ranked: the timer’s error is 40 %, and 13 schedules differ by less.';
const ADOPTED = 'Adopted: specs with this or a similar shape use this schedule by default.';
const NONE = 'thread-tile-2d: the block does not fit.';

export const TUNES = {
  starting: told([], { stage: 'starting', words: 'Looking for nvcc and the GPU' }),
  refused: told([], { stage: 'refused', words: 'nvcc was not found. Install the CUDA toolkit.' }),
  running: told(begun(0.5, true)),
  unpredicted: told(begun(0.5, false)),
  won: ended(begun(0.1, true), { winner: best, ties: [best] }),
  tied: ended(begun(0.5, true), { winner: best, ties: [best, second] }),
  adopted: ended(
    begun(0.1, true),
    { winner: best, ties: [best] },
    { adopted: true, words: ADOPTED },
  ),
  cancelled: ended(begun(0.5, true), { ended: 'cancelled' }),
  unranked: ended([...begun(40, true), { type: 'note', text: UNRANKED }], {
    ties: Array.from({ length: 13 }, (_, i) => resultOf(i, 40)),
  }),
  none: ended(
    [
      { type: 'counted', space: { ...space, legal: 0 }, budget: { schedules: 8 } },
      { type: 'note', text: NONE },
    ],
    { ended: 'nothing', space: { ...space, legal: 0 } },
  ),
} as const satisfies Readonly<Record<string, TuneMessage>>;
