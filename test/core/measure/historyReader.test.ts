/**
 * Reading histories within limits: in slices, each file once, and skipped files with their reason.
 */
import assert from 'node:assert/strict';
import {
  MAX_DAMAGED_CHARACTERS,
  MAX_DAMAGED_LINES,
  type ListedFile,
} from '../../../src/core/measure/historyFile';
import { deletionLine, MAX_LINE_CHARACTERS, runLine } from '../../../src/core/measure/historyLine';
import {
  createHistoryReader,
  HISTORY_LIMITS,
  type FolderHistory,
  type HistoryReader,
} from '../../../src/core/measure/historyReader';
import { createYield, SLICE_MS } from '../../../src/core/measure/timeSlices';
import { historyOf, listed, measurement, NO_TURNS } from '../../helpers/history';

const MANY = 16_000_000;
const run = (index: number): string => runLine(`r${index}`, measurement('k'));
const runs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${run(index)}\n`).join('');
const one = (text: string): Promise<FolderHistory> => historyOf([{ name: 'f.jsonl', text }]);

/** Each look at the clock takes as long; counts how often it is looked at between two pauses. */
function slowClock(lookMs: number) {
  let time = 0;
  let looks = 0;
  const slices: number[] = [];
  return {
    slices,
    turns: {
      now: () => {
        looks++;
        time += lookMs;
        return time;
      },
      pause: () => {
        slices.push(looks);
        looks = 0;
        return Promise.resolve();
      },
    },
  };
}

describe('work in slices', () => {
  it('continues until a slice is over, then yields', async () => {
    let time = 0;
    let pauses = 0;
    const rest = createYield({
      now: () => time,
      pause: () => {
        pauses++;
        return Promise.resolve();
      },
    });
    time = SLICE_MS - 1;
    assert.equal(rest(), undefined);
    time = SLICE_MS;
    await rest();
    assert.equal(pauses, 1);
    assert.equal(rest(), undefined, 'the next slice has begun');
  });

  it('decodes a few lines per slice', async () => {
    const { slices, turns } = slowClock(1);
    const { runs: found } = await historyOf([{ name: 'f.jsonl', text: runs(500) }], { turns });
    assert.equal(found.length, 500);
    assert.ok(slices.length >= 1000 / (SLICE_MS + 1), `${slices.length} slices`);
    assert.ok(Math.max(...slices) <= SLICE_MS + 1, `${Math.max(...slices)} lines in a slice`);
  });

  it('yields between damaged lines and between chunks without lines', async () => {
    const files = [
      { name: 'damaged.jsonl', text: '{"specKey"}\n'.repeat(500) },
      { name: 'blank.jsonl', text: '\n'.repeat(50_000) },
      { name: 'long.jsonl', text: 'x'.repeat(50_000) },
    ];
    const { slices, turns } = slowClock(1);
    await historyOf(files, { turns, chunk: 100 });
    assert.ok(slices.length >= (500 + 500 + 500) / (SLICE_MS + 1), `${slices.length} slices`);
    assert.ok(Math.max(...slices) <= SLICE_MS + 1);
  });
});

describe('a file that is not a history', () => {
  const hostile: Readonly<Record<string, string>> = {
    'lines of garbage': 'x\n'.repeat(MANY / 2),
    'lines that look like runs': '{"specKey":"x"}\n'.repeat(MANY / 16),
    'one line': 'x'.repeat(MANY),
    'one line of valid JSON': `{"specKey":"${'x'.repeat(MANY)}"}\n`,
    'deeply nested JSON': `{"specKey":${'['.repeat(MANY)}`,
    'nested lines': `{"specKey":${'['.repeat(MAX_LINE_CHARACTERS - 20)}}\n`.repeat(120),
  };
  for (const [name, text] of Object.entries(hostile)) {
    it(`is abandoned after a few lines: ${name}`, async () => {
      let read = 0;
      const file: ListedFile = {
        name: 'f.jsonl',
        bytes: text.length,
        changedMs: 0,
        stamp: '',
        async *chunks() {
          for (let at = 0; at < text.length; at += 2 ** 18) {
            read++;
            yield await Promise.resolve(text.slice(at, at + 2 ** 18));
          }
        },
      };
      const reader = createHistoryReader(NO_TURNS);
      const folder = { files: [file, listed('good.jsonl', runs(3))], unread: [] };
      const found = (await reader.read(new Map([['', folder]]))).get('');
      assert.equal(found?.runs.length, 3);
      assert.deepEqual(found.damaged.length + found.unread.length, 1);
      const endless = name.startsWith('one line') || name === 'deeply nested JSON';
      assert.ok(endless || read <= 6, `${read} chunks were read`);
    });
  }

  it('holds 16 MB of blank lines without keeping any of them', async () => {
    const { runs: found, damaged, unread } = await one(`${run(1)}${'\n'.repeat(MANY)}${run(2)}`);
    assert.deepEqual([found.length, damaged.length, unread.length], [2, 0, 0]);
  });

  it('is read exactly up to the limit of damaged lines and characters', async () => {
    const damaged = 'x\n'.repeat(MAX_DAMAGED_LINES);
    assert.equal((await one(`${run(1)}\n${damaged}`)).runs.length, 1);
    const past = await one(`${run(1)}\n${damaged}x`);
    assert.equal(past.runs.length, 0);
    assert.match(
      past.unread[0]?.why ?? '',
      /not read: too many damaged lines \(1001 up to line 1002\)\. Fix: delete/,
    );
    const long = 'x'.repeat(MAX_DAMAGED_CHARACTERS);
    assert.equal((await one(`${run(1)}\n${long}\n`)).runs.length, 1);
    assert.equal((await one(`${run(1)}\n${long}x\n`)).runs.length, 0);
  });

  it('shows no run whose deletion is past the limit', async () => {
    const text = `${run(1)}\n${'x\n'.repeat(MAX_DAMAGED_LINES + 1)}${deletionLine('r1')}\n`;
    assert.equal((await one(text)).runs.length, 0);
  });

  it('decodes a line up to its limit', async () => {
    const empty = runLine('x', {
      ...measurement('k'),
      device: { ...measurement('k').device, name: '' },
    });
    const padded = (characters: number): string =>
      `${empty.slice(0, -1)}${' '.repeat(characters - empty.length)}}`;
    assert.equal((await one(padded(MAX_LINE_CHARACTERS))).runs.length, 1);
    assert.equal((await one(padded(MAX_LINE_CHARACTERS + 1))).damaged.length, 1);
  });
});

describe('limits over all files', () => {
  const small = { bytes: 3000, lines: 6 };
  const read = (files: readonly ListedFile[], reader: HistoryReader) =>
    reader.read(new Map([['w', { files, unread: [] }]])).then(found => found.get('w'));

  it('skips the oldest files, and names them', async () => {
    const reader = createHistoryReader(NO_TURNS, { ...small, lines: 100 });
    const text = runs(4);
    assert.ok(2 * text.length < small.bytes && 3 * text.length > small.bytes);
    const files = ['a', 'b', 'c'].map((name, at) => listed(name, text + ' '.repeat(at), 99, at));
    const found = await read(files, reader);
    assert.deepEqual(found?.runs[0]?.files, ['b', 'c']);
    assert.deepEqual(
      found.unread.map(({ name, why }) => [name, why.replace(/[\d.]+ MiB/g, 'N MiB')]),
      [
        [
          'a',
          'not read: newer files and this file (N MiB) exceed the limit of N MiB for .gemm/runs. Fix: move old files out of .gemm/runs.',
        ],
      ],
    );
  });

  it('counts lines of every folder, deletions and damaged ones included', async () => {
    const reader = createHistoryReader(NO_TURNS, { ...small, bytes: 1e6 });
    const first = `${run(1)}\n${deletionLine('none')}\nx\n`;
    const folders = (rest: string) =>
      new Map([
        ['v', { files: [listed('a', first, 99, 2)], unread: [] }],
        ['w', { files: [listed('b', rest, 99, 1)], unread: [] }],
      ]);
    assert.equal((await reader.read(folders(runs(3)))).get('w')?.runs.length, 3);
    const past = (await reader.read(folders(runs(4)))).get('w');
    assert.equal(past?.runs.length, 0);
    assert.match(past.unread[0]?.why ?? '', /line 4 exceeds the limit of 3 lines/);
    const fewer = await reader.read(
      new Map([['w', { files: [listed('b', runs(4), 99, 1)], unread: [] }]]),
    );
    assert.equal(fewer.get('w')?.runs.length, 4, 'what fits again is read again');
  });

  it('are those of the product', () => {
    assert.deepEqual(HISTORY_LIMITS, { bytes: 67_108_864, lines: 100_000 });
  });

  it('rereads a file only if its stamp has changed, including damaged and abandoned ones', async () => {
    const asked: string[] = [];
    const counted = (file: ListedFile): ListedFile => ({
      ...file,
      chunks: () => {
        asked.push(file.name);
        return file.chunks();
      },
    });
    const reader = createHistoryReader(NO_TURNS);
    const garbage = counted(listed('garbage', 'x\n'.repeat(5000)));
    const damaged = counted(listed('damaged', `${run(1)}\nx\n`));
    const growing = (count: number) => counted(listed('growing', runs(count)));
    await read([garbage, damaged, growing(1)], reader);
    const first = await read([garbage, damaged, growing(2)], reader);
    const second = await read([garbage, damaged, growing(2)], reader);
    assert.deepEqual(asked.slice(3), ['growing']);
    assert.deepEqual([first?.damaged.length, first?.unread.length], [1, 1]);
    assert.deepEqual(second, first);
    assert.equal(second?.runs[0]?.measurement, first?.runs[0]?.measurement);
  });

  it('reports a file that cannot be read, and tries it again', async () => {
    let fails = true;
    const file: ListedFile = {
      ...listed('f', ''),
      async *chunks() {
        if (fails) throw new Error('EIO');
        yield await Promise.resolve(run(1));
      },
    };
    const reader = createHistoryReader(NO_TURNS);
    assert.deepEqual((await read([file], reader))?.unread, [{ name: 'f', why: 'not read: EIO' }]);
    fails = false;
    assert.equal((await read([file], reader))?.runs.length, 1);
  });
});
