/** Formats the accuracy of the `wgmma` time model, from a record of its fit, as Markdown. */
import * as v from 'valibot';
import { NEAR } from '../model/warpGroupJudge';

const judgedSchema = v.object({
  races: v.number(),
  kernels: v.number(),
  error: v.number(),
  errorOfAll: v.number(),
  spearman: v.number(),
  spearmanOfAll: v.number(),
  near: v.number(),
  nearOfTurns: v.number(),
  racesOfTurns: v.number(),
});
const modelSchema = v.object({
  command: v.string(),
  files: v.array(v.string()),
  heldOut: v.array(v.string()),
  fittedTo: judgedSchema,
  judgedOn: judgedSchema,
});
type Judged = v.InferOutput<typeof judgedSchema>;

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** @param record file name of the record */
export function warpGroupModel(given: unknown, record: string, table: Table): string {
  const { command, files, heldOut, fittedTo, judgedOn } = v.parse(modelSchema, given);
  const row = (name: string, judged: Judged): readonly string[] => [
    name,
    String(judged.races),
    String(judged.kernels),
    `${percent(judged.error)} (${percent(judged.errorOfAll)})`,
    `${judged.spearman.toFixed(2)} (${judged.spearmanOfAll.toFixed(2)})`,
    `${judged.nearOfTurns} of ${judged.racesOfTurns} (${judged.near} of ${judged.races})`,
  ];
  const near = ((NEAR - 1) * 100).toFixed(0);
  return [
    table(
      [
        '`wgmma`',
        'benchmarks',
        'kernels',
        'time error (median)',
        'rank correlation per benchmark (median)',
        `predicted best within ${near} % of the fastest`,
      ],
      [row('fitted to', fittedTo), row('held out', judgedOn)],
    ),
    '',
    'Values are for kernels that were timed in all interleaved rounds. Values in parentheses also include kernels that were timed only once, because they were at least 7 % slower than the fastest kernel. ' +
      `Held out, in all types and layouts: ${heldOut.join('; ')}. Raw: ${files.map(file => `\`bench/${file}\``).join(', ')}, \`bench/${record}\`; \`${command}\`.`,
  ].join('\n');
}
