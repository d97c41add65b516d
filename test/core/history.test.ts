/** The run history as text: every line is a run, or is said to be none; removing touches nothing else. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeHistory } from '../../src/core/measure/history';
import { addLines, removeLines, restoreLines } from '../../src/core/measure/historyEdit';
import { NOT_VERIFIED, type Measurement } from '../../src/core/measure/measurement';

const measurement = (specKey: string, at?: string): Measurement => ({
  ...{ specKey, kernelKey: 'abc', resolved: null, backend: 'simulate' },
  device: { name: 'd', adapter: 'a', driver: 'v', where: 'cli' },
  outcome: 'correct',
  verification: { ...NOT_VERIFIED, reference: 'f64', samples: 1 },
  ...(at === undefined ? {} : { at }),
});
const line = (key: string, at?: string): string => JSON.stringify(measurement(key, at));
const keys = (text: string): readonly string[] =>
  decodeHistory([{ name: 'f.jsonl', text }]).runs.map(run => run.measurement.specKey);

describe('decodeHistory', () => {
  it('orders runs by their time, those without one first', () => {
    const later = line('later', '2026-02-01T00:00:00.000Z');
    const sooner = line('sooner', '2026-01-01T00:00:00.000Z');
    assert.deepEqual(keys(`${later}\n${line('old')}\n${sooner}\n`), ['old', 'sooner', 'later']);
  });

  it('takes the same line twice as one run, in one file or two, with either line end', () => {
    const text = `${line('a')}\n${line('a')}\r\n`;
    const { runs } = decodeHistory([
      { name: 'one.jsonl', text },
      { name: 'two.jsonl', text },
    ]);
    assert.deepEqual(
      runs.map(({ files }) => files),
      [['one.jsonl', 'two.jsonl']],
    );
  });

  it('tells a line that is still being written from a damaged one', () => {
    const text = `${line('a')}\n[]\n${line('b').slice(0, 40)}`;
    const { runs, damaged } = decodeHistory([{ name: 'f', text }]);
    assert.equal(runs.length, 1);
    assert.deepEqual(damaged, [
      { file: 'f', number: 2, unfinished: false },
      { file: 'f', number: 3, unfinished: true },
    ]);
    const whole = decodeHistory([{ name: 'f', text: line('b') }]);
    assert.deepEqual([whole.runs.length, whole.damaged.length], [1, 0]);
  });

  it('does not decode again what it knows', () => {
    const known = measurement('known');
    const { runs } = decodeHistory([{ name: 'f', text: 'x\n' }], new Map([['x', known]]));
    assert.equal(runs[0]?.measurement, known);
  });
});

/** A line of a file: any bytes but the line end, among them ours. */
const lineBytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }).map(bytes => bytes.filter(byte => byte !== 10 && byte !== 13)),
  fc.constantFrom('a', 'b', 'ü', '{"torn').map(text => new TextEncoder().encode(text)),
);
const end = fc.constantFrom('\n', '\r\n').map(text => new TextEncoder().encode(text));
const file = fc
  .tuple(fc.array(fc.tuple(lineBytes, end), { maxLength: 12 }), lineBytes)
  .map(([lines, last]) => Buffer.concat([...lines.flat(), last]));
const ours = fc.subarray(['a', 'b', 'ü', 'not there']);

describe('changing a file of the history', () => {
  it('removes these lines and keeps every other byte', () => {
    fc.assert(
      fc.property(file, ours, (bytes, lines) => {
        const expected = bytes
          .toString('latin1')
          .split(/(?<=\n)/)
          .filter(text => {
            const bare = Buffer.from(text.replace(/\r?\n$/, ''), 'latin1');
            return !lines.some(wanted => bare.equals(Buffer.from(wanted)));
          })
          .join('');
        assert.equal(Buffer.from(removeLines(bytes, lines)).toString('latin1'), expected);
      }),
    );
  });

  it('adds lines of their own, whatever was there', () => {
    fc.assert(
      fc.property(file, ours, (bytes, lines) => {
        const after = Buffer.from(addLines(bytes, lines));
        assert.ok(after.subarray(0, bytes.length).equals(bytes));
        const tail = lines.map(text => `${text}\n`).join('');
        assert.ok(after.toString().endsWith(tail));
        if (lines.length === 0) assert.equal(after.length, bytes.length);
        else
          assert.ok(['', '\n'].includes(after.subarray(bytes.length).toString().replace(tail, '')));
      }),
    );
  });

  it('takes a removal back exactly, and around what came since', () => {
    fc.assert(
      fc.property(file, ours, lineBytes, (bytes, lines, since) => {
        const after = removeLines(bytes, lines);
        const undo = restoreLines(bytes, after, lines);
        assert.deepEqual(Buffer.from(undo(after)), bytes);
        const grown = Buffer.concat([after, Buffer.from('\nnew'), since, Buffer.from('\n')]);
        const restored = Buffer.from(undo(grown));
        assert.ok(restored.subarray(0, grown.length).equals(grown));
        const there = restored.toString('latin1').split(/\r?\n/);
        for (const text of lines) {
          assert.ok(there.includes(Buffer.from(text).toString('latin1')), text);
        }
      }),
    );
  });
});
