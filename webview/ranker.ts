/**
 * Ranking of schedules with the time model, in a worker that is terminated after the result or on
 * cancellation.
 */
import * as v from 'valibot';
import type { Ranking, Unranked } from '../src/core/search/rank/rank';
import { ALGORITHMS, specSchema, type GemmSpec } from '../src/core/spec/schema';
import { performInWorker, type RankTask } from './pageWorker';

const finite = v.pipe(v.number(), v.finite());
const ranked = v.object({
  schedule: v.strictObject({
    ...specSchema.entries.schedule.wrapped.entries,
    algorithm: v.picklist(ALGORITHMS),
  }),
  milliseconds: finite,
  tflops: finite,
  blocksPerSm: finite,
});

const reportSchema = v.variant('type', [
  v.object({ type: v.literal('walked'), walked: v.number() }),
  v.object({
    type: v.literal('ranked'),
    ranking: v.union([
      v.object({
        best: v.pipe(v.array(ranked), v.readonly()),
        planned: v.number(),
        scored: v.number(),
      }),
      v.object({ why: v.picklist(['device', 'element-type']) }),
    ]),
  }),
  v.object({ type: v.literal('failed'), message: v.string() }),
]);
export type RankReport = v.InferOutput<typeof reportSchema>;

export interface RankOptions {
  readonly most: number;
  readonly abort: AbortSignal;
  readonly onWalked: (walked: number) => void;
}

/**
 * Ranks the schedules. Rejects if the worker cannot be started, the ranking fails or the signal is
 * aborted.
 */
export async function rankInWorker(
  spec: GemmSpec,
  { most: maxResults, abort, onWalked }: RankOptions,
): Promise<Ranking | Unranked> {
  const task: RankTask = { type: 'rank', spec, most: maxResults };
  return await performInWorker<Ranking | Unranked>(task, {
    name: 'the ranking worker',
    abort,
    receive: (data, { resolve, reject }) => {
      const report = v.parse(reportSchema, data);
      if (report.type === 'ranked') resolve(report.ranking);
      else if (report.type === 'failed') reject(new Error(report.message));
      else onWalked(report.walked);
    },
  });
}
