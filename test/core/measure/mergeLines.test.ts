/** Journals of tasks that are merged: in any order, with repeated lines, cut at any byte. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  lineKey,
  readTaskJournal,
  TUNE_PROTOCOL,
  type JournalLine,
} from '../../../src/core/search/tune/journal';
import { mergeLines } from '../../../src/core/measure/mergeLines';
import { runs } from '../../helpers/depth';
import { timed } from '../../helpers/measurements';

const identity = { problem: 'p', target: 'cuda', backend: 'cuda' } as const;

const lineOf = (kernel: number, gpu: number, gflops: number): JournalLine => ({
  tune: 1,
  protocol: TUNE_PROTOCOL,
  ...identity,
  gpu: `GPU-${gpu}`,
  driver: 'd',
  compiler: 'c',
  effort: 'quick',
  measurement: { ...timed({ gflops }), kernelKey: `k${kernel}` },
});

const lines = fc.array(
  fc
    .record({
      kernel: fc.nat({ max: 9 }),
      gpu: fc.nat({ max: 2 }),
      gflops: fc.constantFrom(100, 200, 300),
    })
    .map(({ kernel, gpu, gflops }) => lineOf(kernel, gpu, gflops)),
  { maxLength: 20 },
);
const textOf = (list: readonly JournalLine[]): string =>
  list.map(line => `${JSON.stringify(line)}\n`).join('');
const read = async (text: string): Promise<readonly JournalLine[]> =>
  (await readTaskJournal(text, identity, () => undefined)).lines;
const keysOf = (list: readonly JournalLine[]): readonly string[] =>
  [...new Set(list.map(lineKey))].sort();

describe('merged journals', () => {
  it('have each measurement once, in whatever order and however often the lines come', () => {
    fc.assert(
      fc.property(lines, fc.infiniteStream(fc.nat()), (list, order) => {
        const merged = mergeLines(list, lineKey);
        assert.deepEqual(merged.map(lineKey), keysOf(list));
        const [...mixed] = list
          .flatMap(line => [line, line])
          .map(line => ({ line, at: Number(order.next().value) }))
          .sort((one, other) => one.at - other.at)
          .map(({ line }) => line);
        assert.deepEqual(mergeLines(mixed, lineKey), merged);
        assert.deepEqual(mergeLines([...merged, ...list], lineKey), merged);
        for (const line of merged) assert.ok(list.includes(line));
      }),
      runs(1000),
    );
  });

  it('lose nothing but the line that a kill cut short, at any byte of any journal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lines, { maxLength: 4 }), fc.nat(), async (journals, seed) => {
        const texts = journals.map((list, index) => {
          const bytes = Buffer.from(textOf(list));
          const at = (seed * (index + 7)) % (bytes.length + 1);
          const cut = bytes.subarray(0, at);
          return { cut: cut.toString('utf8'), whole: list.slice(0, newlinesIn(cut)) };
        });
        const merged = mergeLines(
          (await Promise.all(texts.map(({ cut }) => read(cut)))).flat(),
          lineKey,
        );
        assert.deepEqual(merged.map(lineKey), keysOf(texts.flatMap(({ whole }) => whole)));
      }),
      runs(300),
    );
  });

  it('continue after a line that was cut short', async () => {
    const [one, other] = [lineOf(1, 0, 100), lineOf(2, 0, 200)];
    const cut = textOf([one]).slice(0, -20);
    assert.deepEqual((await read(`${cut}\n${textOf([other])}`)).map(lineKey), [lineKey(other)]);
  });

  it('exclude lines of another problem', async () => {
    const foreign = { ...lineOf(1, 0, 100), problem: 'other' };
    assert.deepEqual(await read(textOf([foreign, lineOf(2, 0, 100)])).then(keysOf), [
      lineKey(lineOf(2, 0, 100)),
    ]);
  });
});

const newlinesIn = (bytes: Uint8Array): number => bytes.filter(byte => byte === 10).length;
