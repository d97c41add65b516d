/** Progress of a reader, stored in `.gemm/course.json` of the workspace. */
import * as v from 'valibot';

export const PROGRESS_FOLDER = '.gemm';
export const PROGRESS_FILE = 'course.json';

/** Largest file that is read, in bytes. Larger files are neither used nor replaced. */
export const MAX_PROGRESS_BYTES = 4_000_000;

/** Name pattern of the copies of damaged files, for messages. */
export const DAMAGED_COPIES = `${PROGRESS_FOLDER}/course.damaged-N.json`;

const MAX_CHARACTERS = 1_000_000;

const schema = v.looseObject({
  version: v.literal(1),
  /** Ids of passed tasks. */
  tasks: v.array(v.string()),
  /** First answer per chapter: index of the option, and whether it was correct. */
  predictions: v.record(
    v.string(),
    v.looseObject({ answer: v.pipe(v.number(), v.safeInteger()), correct: v.boolean() }),
  ),
});

export type Progress = v.InferOutput<typeof schema>;

export const NO_PROGRESS: Progress = { version: 1, tasks: [], predictions: {} };

export type DecodedProgress =
  | { readonly ok: true; readonly progress: Progress }
  /** `reason` is a complete sentence. */
  | { readonly ok: false; readonly reason: string };

/** Decodes the file; `undefined` is a missing file. Unknown fields are kept. */
export function decodeProgress(text: string | undefined): DecodedProgress {
  if (text === undefined || text.trim() === '') return { ok: true, progress: NO_PROGRESS };
  if (text.length > MAX_CHARACTERS)
    return { ok: false, reason: `The file exceeds ${MAX_CHARACTERS} characters.` };
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { ok: false, reason: 'The file is not JSON.' };
  }
  const result = v.safeParse(schema, value);
  if (result.success) return { ok: true, progress: result.output };
  const [issue] = result.issues;
  return { ok: false, reason: `${v.getDotPath(issue) ?? 'The file'}: ${issue.message}` };
}

export const progressText = (progress: Progress): string =>
  `${JSON.stringify(progress, null, 2)}\n`;

export const withTask = (progress: Progress, id: string): Progress =>
  progress.tasks.includes(id) ? progress : { ...progress, tasks: [...progress.tasks, id] };

/** Keeps the first answer of each chapter. */
export const withPrediction = (
  progress: Progress,
  chapter: string,
  answer: number,
  correct: boolean,
): Progress =>
  Object.hasOwn(progress.predictions, chapter)
    ? progress
    : { ...progress, predictions: { ...progress.predictions, [chapter]: { answer, correct } } };

/** Returns a name for the copy of a damaged file that no other file has. */
export function damagedCopyName(taken: (name: string) => boolean): string {
  for (let i = 1; ; i++) {
    const name = `course.damaged-${i}.json`;
    if (!taken(name)) return name;
  }
}
