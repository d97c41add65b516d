/** The run history as text: runs, deletions, and lines that are neither, in any order. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  decodeLine,
  deletionLine,
  restoredLine,
  runLine,
} from '../../../src/core/measure/historyLine';
import { historyOf, measurement, oldLine as line } from '../../helpers/history';
import { nextOrder } from '../../../src/core/measure/runOrder';
import { runs } from '../../helpers/depth';

const keys = async (text: string): Promise<readonly string[]> =>
  (await historyOf([{ name: 'f.jsonl', text }])).runs.map(run => run.measurement.specKey);

describe('the run history', () => {
  it('orders runs by their time, those without one first', async () => {
    const later = line('later', '2026-02-01T00:00:00.000Z');
    const sooner = line('sooner', '2026-01-01T00:00:00.000Z');
    const text = `${later}\n${line('old')}\n${sooner}\n`;
    assert.deepEqual(await keys(text), ['old', 'sooner', 'later']);
  });

  it('takes the same line twice as one run, in one file or two, with either line end', async () => {
    const text = `${line('a')}\n${line('a')}\r\n`;
    const { runs } = await historyOf([
      { name: 'one.jsonl', text },
      { name: 'two.jsonl', text },
    ]);
    assert.deepEqual(
      runs.map(({ files }) => files),
      [['one.jsonl', 'two.jsonl']],
    );
  });

  it('tells two equal measurements apart by their ids', async () => {
    const [one, two] = [runLine('1', measurement('a')), runLine('2', measurement('a'))];
    assert.deepEqual(await keys(`${one}\n${two}\n${one}\n`), ['a', 'a']);
    assert.deepEqual(await keys(`${one}\n${deletionLine('2')}\n${two}\n`), ['a']);
  });

  it('keeps one line per id in any order, and names the line with other contents', async () => {
    const [one, two] = [measurement('a'), measurement('b')].map(run => runLine('1', run));
    const spaced = JSON.stringify(JSON.parse(one ?? ''), null, 1).replaceAll('\n', '');
    for (const order of [
      [one, two, spaced],
      [two, spaced, one],
    ]) {
      const { runs, damaged } = await historyOf([{ name: 'f', text: order.join('\n') }]);
      assert.deepEqual(
        runs.map(run => run.measurement.specKey),
        ['a'],
      );
      const number = order.indexOf(two) + 1;
      assert.deepEqual(damaged, [{ file: 'f', number, unfinished: false, reason: 'same-id' }]);
    }
  });

  it('names conflict markers, and uses the lines around them', async () => {
    const marked = ['<<<<<<< HEAD', line('a'), '||||||| base', '=======', line('b'), '>>>>>>> x'];
    for (const end of ['\n', '\r\n']) {
      const { runs, damaged } = await historyOf([{ name: 'f', text: marked.join(end) + end }]);
      assert.equal(runs.length, 2);
      assert.deepEqual(
        damaged.map(({ number, reason }) => [number, reason]),
        [1, 3, 4, 6].map(number => [number, 'conflict-marker']),
      );
    }
  });

  it('orders a run after the runs that its machine had, whatever its clock shows', async () => {
    const past = measurement('late clock', '2001-01-01T00:00:00.000Z');
    const known = [measurement('a', '2026-01-01T00:00:00.000Z'), measurement('b')];
    const order = nextOrder(known, Date.parse('2001-01-01T00:00:00.000Z'));
    assert.equal(order, Date.parse('2026-01-01T00:00:00.001Z'));
    const lines = [{ ...past, origin: { order } }, ...known].map((run, i) => runLine(`r${i}`, run));
    for (const text of [lines.join('\n'), lines.toReversed().join('\n')]) {
      assert.deepEqual(await keys(text), ['b', 'a', 'late clock']);
    }
    const now = Date.parse('2026-06-01T00:00:00.000Z');
    assert.equal(nextOrder(known, now), now, 'the clock, as long as it is ahead');
    assert.equal(nextOrder([{ origin: { order: Number.MAX_SAFE_INTEGER } }], 0), 2 ** 53 - 1);
  });

  it('tells a line that is still being written from a damaged one', async () => {
    const text = `${line('a')}\n[]\n${line('b').slice(0, 40)}`;
    const { runs, damaged } = await historyOf([{ name: 'f', text }]);
    assert.equal(runs.length, 1);
    assert.deepEqual(damaged, [
      { file: 'f', number: 2, unfinished: false },
      { file: 'f', number: 3, unfinished: true },
    ]);
    const whole = await historyOf([{ name: 'f', text: line('b') }]);
    assert.deepEqual([whole.runs.length, whole.damaged.length], [1, 0]);
  });

  it('deletes a line without an id by its text, wherever it is repeated', async () => {
    const [run] = (await historyOf([{ name: 'f', text: line('a') }])).runs;
    assert.match(run?.id ?? '', /^line-[0-9a-f]{32}$/);
    const deletion = deletionLine(run?.id ?? '');
    assert.deepEqual(await keys(`${line('a')}\r\n${line('b')}\n${line('a')}\n${deletion}`), ['b']);
    const otherFile = await historyOf([
      { name: 'f', text: `${line('a')}\n${line('b')}` },
      { name: 'g', text: deletion },
    ]);
    assert.deepEqual(
      otherFile.runs.map(({ measurement }) => measurement.specKey),
      ['b'],
    );
  });

  it('brings a deleted run back as a run of its own, with all of its fields', async () => {
    const foreign = JSON.stringify({ ...measurement('a'), later: { version: 1 } });
    for (const before of [foreign, runLine('old', measurement('a'))]) {
      const [run] = (await historyOf([{ name: 'f', text: before }])).runs;
      assert.ok(run);
      const restored = restoredLine('new', run);
      assert.deepEqual(JSON.parse(restored), { ...JSON.parse(before), id: 'new' });
      const text = [before, deletionLine(run.id), restored, deletionLine(run.id)].join('\n');
      const { runs } = await historyOf([{ name: 'f', text }]);
      assert.deepEqual(
        runs.map(({ id }) => id),
        ['new'],
      );
    }
  });

  it('takes a field id of another kind as a part of a line without an id', () => {
    for (const id of [5, '', 'a b', 'x'.repeat(65), null, {}]) {
      const [record] = decodeLine(JSON.stringify({ ...measurement('a'), id })).records;
      assert.match(record?.id ?? '', /^line-/, JSON.stringify(id));
      const deletion = decodeLine(JSON.stringify({ deleted: id }));
      assert.deepEqual(deletion, { records: [], damaged: true }, JSON.stringify(id));
    }
    assert.equal(decodeLine(runLine('x'.repeat(64), measurement('a'))).records[0]?.id.length, 64);
  });
});

const hex = fc.integer({ min: 0, max: 9 }).map(String);
const key = fc.constantFrom('a', 'b', 'c');
/** Lines that windows append: runs with and without ids, and deletions of both. */
const ownLine = fc.oneof(
  fc.tuple(hex, key).map(([id, name]) => runLine(`run-${id}`, measurement(`${name}${id}`))),
  key.map(name => line(name)),
  hex.map(id => deletionLine(`run-${id}`)),
  key.map(name => deletionLine(decodeLine(line(name)).records[0]?.id ?? '')),
);
const noise = fc.constantFrom(
  '',
  '  ',
  '<<<<<<< HEAD',
  '=======',
  '>>>>>>> other',
  '||||||| base',
  '{"torn',
  '[]',
  '\t',
);
const lines = fc.array(ownLine, { maxLength: 12 });

const live = async (texts: readonly string[]): Promise<readonly string[]> => {
  const files = texts.map((text, index) => ({ name: `${index}.jsonl`, text }));
  return (await historyOf(files, { chunk: 100 })).runs.map(run => run.line).sort();
};
/** By definition: one line of each id that no line deletes, the first one in alphabetical order. */
const expected = (all: readonly string[]): readonly string[] => {
  const records = all.flatMap(text => decodeLine(text).records);
  const deleted = new Set(records.filter(({ kind }) => kind === 'deletion').map(({ id }) => id));
  const runs = records.filter(record => record.kind === 'run' && !deleted.has(record.id));
  const byId = new Map<string, string>();
  for (const { id, kind, ...rest } of runs) {
    const { line: text } = rest as { line: string };
    if (kind === 'run' && !((byId.get(id) ?? text) < text)) byId.set(id, text);
  }
  return [...byId.values()].sort();
};

describe('two histories merged', () => {
  it('give the same runs in any order, with repeats, noise and either line end', async () => {
    const arrangement = fc
      .tuple(lines, lines, fc.array(noise, { maxLength: 6 }))
      .chain(([one, other, marks]) => {
        const union = [...one, ...other];
        const repeats = union.length === 0 ? fc.constant([]) : fc.subarray(union);
        return repeats
          .chain(again =>
            fc.shuffledSubarray([...union, ...again, ...marks], {
              minLength: union.length + again.length + marks.length,
            }),
          )
          .chain(merged =>
            fc.record({
              union: fc.constant(union),
              merged: fc.constant(merged),
              end: fc.constantFrom('\n', '\r\n'),
              closed: fc.boolean(),
              mark: fc.constantFrom('', '\uFEFF'),
            }),
          );
      });
    await fc.assert(
      fc.asyncProperty(arrangement, async ({ union, merged, end, closed, mark }) => {
        const text = `${mark}${merged.join(end)}${closed ? end : ''}`;
        assert.deepEqual(await live([text]), expected(union));
      }),
      { ...runs(300) },
    );
  });

  it('give the same runs when a last line without its newline is joined with the next', async () => {
    await fc.assert(
      fc.asyncProperty(lines, lines, fc.boolean(), async (one, other, torn) => {
        const cut = torn ? line('torn').slice(0, 60) : '';
        const text = [one.join('\n'), cut, other.join('\n')].join('');
        assert.deepEqual(await live([text]), expected([...one, ...other]));
      }),
      { ...runs(300) },
    );
  });

  it('give the same runs in one file or several', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lines, { maxLength: 4 }), async files => {
        const texts = files.map(file => file.join('\n'));
        assert.deepEqual(await live(texts), expected(files.flat()));
        assert.deepEqual(await live([texts.join('\n')]), expected(files.flat()));
      }),
      { ...runs(200) },
    );
  });
});
