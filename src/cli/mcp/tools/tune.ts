/** Tool that searches for the fastest schedule of a problem on a GPU of this machine. */
import path from 'node:path';
import * as v from 'valibot';
import { shippedTables } from '../../../core/defaults/dispatch/shipped';
import { resolve, withDispatched } from '../../../core/defaults/resolve';
import { OBJECTIVES } from '../../../core/search/tune/events';
import { adoptedText, rowOfTune } from '../../../core/search/tune/adopted';
import { seedsOf } from '../../../core/search/tune/seeds';
import { defaultSpace } from '../../../core/search/tune/space';
import { toSpec } from '../../../core/spec/toSpec';
import { lexical } from '../../../host/confined';
import { adoptRow } from '../../../host/dispatch';
import { cachedTunes, journalName } from '../../../host/tune/place';
import { runTune, TUNABLE } from '../../../host/tune/run';
import { EXIT, Failure, interrupted, invalidInput, missingPrerequisite } from '../../result';
import { backendFor } from '../../tune/backend';
import { progressLines } from '../../tune/progress';
import { summaryText } from '../../tune/text';
import { writeWinner } from '../../tune/winner';
import { outArgument, specArguments } from '../arguments';
import { backendIn, dawnIn, searchIn, WHERE } from '../settings';
import { rowsFor, specOf } from '../subject';
import { tool } from '../tool';

const count = (description: string, most: number) =>
  v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.maxValue(most),
      v.description(description),
    ),
  );

const timed = v.object({
  specKey: v.string(),
  medianMs: v.number(),
  tflops: v.number(),
  errorPercent: v.number(),
  predictedTflops: v.nullable(v.number()),
});

const DEFAULT_SECONDS = 120;
const OTHERS = 5;

export const tuneKernel = tool({
  name: 'tune_kernel',
  title: 'Tune a schedule',
  description:
    'Searches for the fastest schedule of a problem on a GPU: verifies and times candidates in the order of their predicted rates. Measurements are kept, so a repeated call resumes. Returns the spec of the winner and the schedules that are tied with it.',
  effects: 'runs',
  input: v.strictObject({
    ...specArguments,
    backend: v.optional(
      v.pipe(v.picklist(['cuda', 'webgpu']), v.description('Default: cuda if available.')),
    ),
    schedules: count(
      'Maximum number of schedules; default: 5 % of the legal ones, at most 200.',
      10_000,
    ),
    seconds: count(`Approximate time limit; default ${DEFAULT_SECONDS}.`, 36_000),
    objective: v.optional(v.picklist(OBJECTIVES), 'time'),
    out: outArgument,
    adopt: v.optional(
      v.pipe(
        v.boolean(),
        v.description('Make the winner the default for specs in the root folder; default: false.'),
      ),
      false,
    ),
  }),
  output: v.object({
    ended: v.string(),
    spec: v.nullable(
      v.pipe(v.record(v.string(), v.unknown()), v.description('Complete spec of the winner.')),
    ),
    winner: v.nullable(timed),
    ties: v.array(timed),
    others: v.array(timed),
    measured: v.number(),
    legal: v.number(),
    failed: v.number(),
    notes: v.array(v.string()),
    written: v.array(v.string()),
  }),
  run: async (args, call) => {
    const { schedules, seconds = DEFAULT_SECONDS, objective, out, adopt, ...given } = args;
    const { backend: wanted, ...named } = given;
    const { settings, note, abort } = call;
    const { root } = settings;
    const folder = out === undefined ? undefined : path.relative(root, lexical(root, out));
    const { written: spec, tables } = await specOf(named, call);
    const full = tables === undefined ? spec : withDispatched(spec, tables);
    const backend = await backendFor(wanted, full, call, id => backendIn(settings, id));
    if (objective === 'energy' && backend !== 'cuda')
      throw invalidInput('objective energy requires backend cuda. Fix: use objective time.');
    const target = TUNABLE[backend];
    const resolved = { ...resolve({ ...full, targets: [target] }), targets: [target] };
    const ended = await runTune(
      {
        spec: resolved,
        backend,
        space: defaultSpace(resolved, target),
        journal: path.join(cachedTunes(), journalName(resolved, backend)),
        gpus: [settings.gpu ?? 0],
        where: WHERE,
        dawn: dawnIn(settings),
        cuda: { search: searchIn(settings) },
        seeds: seedsOf(resolved, target),
        adapterTables: tables ?? shippedTables(),
        ...(schedules === undefined ? {} : { schedules }),
        milliseconds: 1000 * seconds,
        objective,
      },
      { abort, say: progressLines(note), progress: note, onMeasurement: () => undefined },
    );
    if (!ended.ok) {
      if (ended.outcome === 'cancelled') throw interrupted();
      throw missingPrerequisite(ended.message);
    }
    const { summary } = ended;
    if (summary.ended === 'cancelled') throw new Failure(EXIT.interrupted, 'Interrupted.');
    const { winner, ties, others, space, measuredCount, failures, notes } = summary;
    const files =
      folder === undefined || winner === null
        ? []
        : await writeWinner(root, resolved, target, winner, folder);
    const remarks = [...notes];
    const row = adopt ? rowOfTune(summary, path.basename(summary.journal ?? '')) : null;
    if (row !== null) {
      // Rejects a file of rows that is a link which leads out of the root.
      await rowsFor(root, root);
      const adopted = await adoptRow(root, row, { signal: abort });
      if ('failed' in adopted) throw invalidInput(`The winner was not adopted: ${adopted.failed}`);
      files.push(adopted.written);
      remarks.push(adoptedText(summary));
    }
    const time = ({
      specKey,
      medianMs,
      tflops,
      errorPercent,
      predictedTflops,
    }: (typeof ties)[0]) => ({
      specKey,
      medianMs,
      tflops,
      errorPercent,
      predictedTflops,
    });
    const written = files.map(file => path.relative(root, file));
    return {
      value: {
        ended: summary.ended,
        spec: winner === null ? null : { ...toSpec({ ...resolved, schedule: winner.schedule }) },
        winner: winner === null ? null : time(winner),
        ties: ties.map(time),
        others: others.slice(0, OTHERS).map(time),
        measured: measuredCount,
        legal: space.legal,
        failed: failures.length,
        notes: remarks,
        written,
      },
      text: summaryText(summary, written),
    };
  },
});
