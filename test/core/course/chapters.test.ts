/** Chapters of the course, their questions, and the stored progress. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  chapterFileName,
  chapterMarkdown,
  isFinished,
  tasksOf,
} from '../../../src/core/course/chapterMarkdown';
import {
  chapterNamed,
  chapterOfTask,
  courseChapters,
} from '../../../src/core/course/chapters/chapters';
import { GAIN_SHAPE, gainOf, specOfStep } from '../../../src/core/course/gain';
import {
  damagedCopyName,
  decodeProgress,
  NO_PROGRESS,
  progressText,
  withPrediction,
  withTask,
} from '../../../src/core/course/progress';
import { askedSentence } from '../../../src/core/course/chapter';
import { explanationOf, question } from '../../../src/core/course/prediction';
import { quizPrediction } from '../../../src/core/course/quizPrediction';
import { specOf } from '../../../src/core/course/tasks/parts';
import { courseTasks } from '../../../src/core/course/tasks/tasks';
import { resolve } from '../../../src/core/defaults/resolve';
import { measurementSchema, type Measurement } from '../../../src/core/measure/measurement';
import { specKey } from '../../../src/core/plan/specKey';
import { runs } from '../../helpers/depth';

const chapters = courseChapters();
const MOST_SENTENCES = 11;

describe('chapters of the course', () => {
  it('are 14 to 18, with distinct ids, and contain each task once, in order', () => {
    assert.ok(chapters.length >= 14 && chapters.length <= 18);
    assert.equal(new Set(chapters.map(({ id }) => id)).size, chapters.length);
    const listed = chapters.flatMap(({ tasks }) => tasks);
    assert.deepEqual(
      listed,
      courseTasks().map(({ id }) => id),
    );
    assert.ok(chapters.every(chapter => tasksOf(chapter).length > 0));
  });

  it('are found by number, by id and by task', () => {
    assert.equal(chapterNamed('1')?.id, 'loops');
    assert.equal(chapterNamed('coalescing'), chapters[4]);
    assert.equal(chapterNamed('0'), undefined);
    assert.equal(chapterNamed(String(chapters.length + 1)), undefined);
    assert.equal(chapterOfTask('11-barriers')?.id, 'shared');
    assert.equal(chapterOfTask('none'), undefined);
  });

  for (const chapter of chapters) {
    it(`ask a question with exactly one correct option: ${chapter.id}`, () => {
      const { options, correct, derivation } = chapter.prediction();
      assert.equal(new Set(options).size, options.length);
      assert.ok(options.length >= 3 && correct >= 0 && correct < options.length);
      assert.ok(derivation.length >= 2);
    });

    it(`ask in a sentence that fits into a prompt: ${chapter.id}`, () => {
      const asked = askedSentence(chapter.prediction());
      assert.match(asked, /^[A-Z][^?]{15,90}\?$/);
    });

    it(`show code, terms, tasks and the answer only after the prediction: ${chapter.id}`, () => {
      const open = chapterMarkdown(chapter, { progress: NO_PROGRESS });
      assert.match(open, /## Terms\n\n- \*\*/);
      assert.match(open, /```(cpp|diff|text)\n/);
      for (const { title } of tasksOf(chapter)) assert.ok(open.includes(title));
      assert.doesNotMatch(open, /Your answer|undefined|NaN/);
      const answered = withPrediction(NO_PROGRESS, chapter.id, 0, false);
      assert.match(chapterMarkdown(chapter, { progress: answered }), /Your answer: a\. Correct: /);
    });
  }

  it('explain an incorrect answer before the derivation', () => {
    const chapter = chapterNamed('coalescing')!;
    const shown = (answer: number): string =>
      chapterMarkdown(chapter, {
        progress: withPrediction(NO_PROGRESS, chapter.id, answer, false),
      });
    const { correct, options } = chapter.prediction();
    assert.match(
      shown(options.indexOf('128')),
      /\n\nThis is the number of bytes\.\n\n1\. .*\n2\. /,
    );
    assert.match(shown(correct), /Correct: b\.\n\n1\. /);
  });

  it('show names with underscores and brackets as code, so that Markdown keeps them', () => {
    for (const chapter of chapters) {
      const answered = withPrediction(NO_PROGRESS, chapter.id, 0, false);
      const prose = chapterMarkdown(chapter, { progress: answered })
        .replace(/^```[\s\S]*?^```$/gm, '')
        .replace(/`[^`]*`/g, '');
      assert.doesNotMatch(prose, /_|\w\[/, chapter.id);
    }
  });

  it('have short paragraphs', () => {
    for (const { id, why } of chapters) {
      const longest = Math.max(
        ...why
          .join('\n')
          .split('\n\n')
          .map(paragraph => paragraph.trim().split('\n').length),
      );
      assert.ok(longest <= MOST_SENTENCES, `${id}: ${longest} sentences`);
    }
  });

  it('define each term once', () => {
    const terms = chapters.flatMap(chapter => chapter.terms.map(([term]) => term));
    assert.equal(new Set(terms).size, terms.length);
  });

  it('predict a gain for each step, and add the measured gain of the workspace', () => {
    const chapter = chapterNamed('coalescing')!;
    assert.match(
      gainOf(chapter)?.text ?? '',
      /4096 x 4096 x 4096 in f32.*naive \(block 32 x 32\) reaches .*coalesced .* factor of \d+\.\d\d/,
    );
    assert.match(
      gainOf(chapterNamed('waves')!)?.text ?? '',
      /512 x 512 x 16384 .*mma \(block 128 x 128 x 32\) .*splitK 8\) reaches/,
    );
    assert.equal(gainOf(chapter)?.measured, null);
    for (const other of chapters)
      if (other.step !== undefined) assert.ok(gainOf(other) !== null, other.id);
    const { before, after } = chapter.step!;
    const run = (schedule: typeof before, gflops: number): Measurement =>
      ({
        specKey: specKey(resolve(specOfStep(schedule, chapter.step!))),
        timing: { gflops },
        device: { name: 'GPU 1' },
      }) as unknown as Measurement;
    assert.equal(gainOf(chapter, [run(before, 100)])?.measured, null);
    const measured = gainOf(chapter, [
      run(before, 100),
      run(after, 100),
      run(after, 900),
    ])?.measured;
    assert.match(measured ?? '', /100 GFLOP\/s before and 900 GFLOP\/s after, a factor of 9\.00/);
    assert.equal(GAIN_SHAPE.m, 4096);
  });

  it('state the recorded gain on an H200 for each step', () => {
    const recorded = readFileSync('bench/h200-course.jsonl', 'utf8')
      .trim()
      .split('\n')
      .map(line => v.parse(measurementSchema, JSON.parse(line)));
    for (const chapter of chapters) {
      if (chapter.step === undefined) continue;
      const { text, measured } = gainOf(chapter, recorded) ?? assert.fail();
      const rates = (sentence: string | null): string =>
        /(\S+ .?FLOP\/s before and .* a factor of \d+\.\d\d)/.exec(sentence ?? '')?.[1] ?? '';
      assert.notEqual(rates(measured), '', chapter.id);
      assert.ok(text.includes(`On an H200, the benchmarks reach ${rates(measured)}.`), text);
    }
  });

  it('contain the numbers of the tables and of the analysis', () => {
    const shown = (name: string): string =>
      chapterMarkdown(chapterNamed(name)!, { progress: NO_PROGRESS });
    assert.match(shown('occupancy'), /65,536 registers, 2,048 threads, 228 KiB .* 32 block slots/);
    assert.match(
      shown('banks'),
      /4 \* 130 = 520, in bank 520 % 32 = 8\b.*8 bytes per access instead/,
    );
    assert.match(shown('banks'), /1 \^ 16 = 17\b.*needs 2 wavefronts instead of 4\./);
    assert.match(shown('choose'), /66\.9 TFLOP\/s in f32.*5 x 4,800 GB\/s = 24 TFLOP\/s\./);
    assert.match(shown('choose'), /ridge point of an H200 is 13\.9 FLOP\/B.* it is 206 FLOP\/B/);
    assert.match(shown('waves'), /If 132 SMs .* only 28 blocks/);
    assert.match(shown('tensor-cores'), /mma\.sync[^]*In B, it holds column l \/ 4/);
    assert.match(shown('ring'), /a deadlock\./);
    assert.match(shown('ring'), /passes if the current phase has the other parity/);
  });

  it('name the command of the answer, but contain no answer', () => {
    const open = chapterMarkdown(chapters[0]!, { progress: NO_PROGRESS });
    assert.match(open, /gemm-explorer learn answer 1 LETTER/);
    const { options, correct } = chapters[0]!.prediction();
    assert.equal(open.split(options[correct]!).length, 2, 'only as an option');
  });

  it('derive the parities of both passes over the ring', () => {
    const { derivation } = chapterNamed('ring')!.prediction();
    assert.deepEqual(derivation.slice(-2), [
      'Pass 1: phase is 0, the producer waits for parity 1, the consumer for parity 0.',
      'Pass 2: phase is 1, the producer waits for parity 0, the consumer for parity 1.',
    ]);
  });

  it('have file names that sort in the order of the course', () => {
    const names = chapters.map(chapterFileName);
    assert.deepEqual(names, names.toSorted());
  });
});

describe('a question', () => {
  it('comes from the generator of the views, with the mistake of each incorrect option', () => {
    const spec = specOf({ algorithm: 'coalesced', block: { m: 4, n: 4 } });
    const asked = quizPrediction(spec, 'requests/sectors/C store store', 'C is 16 x 16.');
    assert.match(asked.question, /^C is 16 x 16\. How many 32-byte sectors/);
    assert.equal(asked.mistakes?.[asked.correct], null);
    asked.options.forEach((_, answer) => {
      const [first] = explanationOf(asked, answer);
      const expected = asked.mistakes?.[answer] ?? `1. ${asked.derivation[0]}`;
      assert.equal(first, expected);
    });
    assert.throws(() => quizPrediction(spec, 'shared/none', ''), /no question "shared\/none"/);
  });

  it('sorts numbers, and rejects equal options', () => {
    assert.deepEqual(question('?', '1,024', ['64', '512'], []).options, ['64', '512', '1,024']);
    assert.throws(() => question('?', 4, [4, 8], []), /two options are equal/);
  });
});

describe('the progress of a reader', () => {
  const [chapter] = chapters;

  it('is read back, and keeps unknown fields and the first answer', () => {
    const text = '{"version":1,"tasks":["01-loop-order"],"predictions":{},"later":[1]}';
    const decoded = decodeProgress(text);
    assert.ok(decoded.ok);
    const once = withPrediction(withTask(decoded.progress, '01-loop-order'), 'loops', 2, false);
    const twice = withPrediction(once, 'loops', 1, true);
    assert.deepEqual(twice.predictions, { loops: { answer: 2, correct: false } });
    assert.deepEqual(decodeProgress(progressText(twice)), { ok: true, progress: twice });
    assert.deepEqual(twice['later'], [1]);
    assert.ok(isFinished(chapter!, twice));
    assert.ok(!isFinished(chapter!, NO_PROGRESS));
  });

  it('is empty without a file, and damage is reported', () => {
    assert.deepEqual(decodeProgress(undefined), { ok: true, progress: NO_PROGRESS });
    for (const text of ['{', '[]', '{"version":2}', '{"version":1,"tasks":3,"predictions":{}}'])
      assert.ok(!decodeProgress(text).ok, text);
    assert.equal(
      damagedCopyName(name => name === 'course.damaged-1.json'),
      'course.damaged-2.json',
    );
  });

  it('is decoded from any text without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        const decoded = decodeProgress(text);
        if (!decoded.ok) assert.ok(decoded.reason.length > 0);
      }),
      runs(1000),
    );
  });
});
