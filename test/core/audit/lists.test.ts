/** Readers of JSON and of plain lists, and files of every format that are damaged or cut short. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { uniqueShapes } from '../../../src/core/audit/shapes';
import { readShapes } from '../../../src/core/audit/shapes/read';
import { HEADER, listOf, messageOf, NVBENCH, row, TUNABLE } from '../../helpers/shapeLists';

describe('the reader of JSON lists', () => {
  it('reads the axes and the time of nvbench', () => {
    const { format, entries, issues } = listOf(JSON.stringify(NVBENCH));
    assert.equal(format, 'nvbench');
    assert.deepEqual(entries[0]?.problem, {
      m: 64,
      n: 128,
      k: 256,
      a: { dtype: 'bf16' },
      b: { dtype: 'bf16' },
      c: {},
    });
    assert.equal(entries[0].time?.milliseconds, 0.0125);
    assert.equal(issues[0]?.place, 'benchmarks[0].states[1]');
    assert.match(issues[0].message, /Elements/);
  });

  it('reads lists of shapes, problems and specs', () => {
    const list = [
      { m: 64, n: 96, k: 128, dtype: 'float16', layoutB: 'col', count: 7 },
      { problem: { m: 8, n: 8, k: 8, a: { dtype: 'bf16' } }, weight: 2.5, name: 'last' },
    ];
    for (const text of [JSON.stringify(list), JSON.stringify({ shapes: list })]) {
      const { entries } = listOf(text);
      assert.deepEqual(
        entries.map(({ weight }) => weight),
        [7, 2.5],
      );
      assert.deepEqual(entries[0]?.problem.b, { dtype: 'f16', layout: 'col' });
      assert.equal(entries[1]?.name, 'last');
    }
    assert.equal(listOf('{"problem":{"m":4,"n":4,"k":4}}').entries.length, 1);
  });

  it('names the line and the field of an error', () => {
    const text = '[\n  {"m": 4, "n": 4, "k": 4},\n  {"m": 4, "n": "x", "k": 4},\n  7\n]\n';
    const { entries, issues } = listOf(text);
    assert.equal(entries.length, 1);
    assert.deepEqual(
      issues.map(({ place }) => place),
      ['line 3', 'line 4'],
    );
    assert.match(issues[0]?.message ?? '', /problem\.n: Expected/);
  });

  it('finds the lines of the first errors only, because a lookup parses the whole text', () => {
    const { issues } = listOf(JSON.stringify(Array.from({ length: 3000 }, () => ({ m: 4 }))));
    assert.equal(issues.length, 3000);
    assert.deepEqual([issues[19]?.place, issues[20]?.place], ['line 1', '[20]']);
  });

  it('names the line at which a text ends early or is not JSON', () => {
    assert.match(messageOf('[\n{"m": 4,\n'), /Line 3: the JSON text ends early/);
    assert.match(messageOf('[\n{"m" 4}]\n'), /Line 2: the text is not JSON/);
    assert.match(messageOf('{"a": 1}'), /Expected a list of shapes/);
  });
});

describe('the reader of plain lists', () => {
  it('reads columns by their names, in any order', () => {
    const text = 'count,N,M,K,dtype,layout_b,name\n3,96,64,128,bf16,col,"gate, up"\n';
    assert.deepEqual(listOf(text).entries[0], {
      problem: {
        m: 64,
        n: 96,
        k: 128,
        a: { dtype: 'bf16' },
        b: { dtype: 'bf16', layout: 'col' },
        c: {},
      },
      weight: 3,
      place: 'line 2',
      name: 'gate, up',
      omitted: [],
    });
  });

  it('reads lines without a header', () => {
    const { entries } = listOf('# m, n, k\n64, 96, 128\n64,96,128,f16,row,col,row,2,5\n');
    assert.equal(entries[0]?.problem.m, 64);
    assert.deepEqual([entries[1]?.problem.batch, entries[1]?.weight], [2, 5]);
  });

  it('names unused columns, and a last line without a line break', () => {
    const { notes } = listOf('m,n,k,weigth\n4,4,4,1\n8,8,8,1');
    assert.match(notes[0] ?? '', /"weigth" is not used\. Did you mean "weight"/);
    assert.match(notes[1] ?? '', /line 3/);
  });

  it('names the line and the column of an error, and keeps the other lines', () => {
    const text =
      'm,n,k,dtype,weight,layoutA\n4,4,4,f32,1,row\n4,4,4,f7,1,row\n4,4,4,f32,-1,row\n4,4,4,f32,1,diagonal\n4,4\nx,4,4,f32,1,row\n';
    const { entries, issues } = listOf(text);
    assert.equal(entries.length, 1);
    assert.deepEqual(
      issues.map(({ place }) => place),
      ['line 3', 'line 4', 'line 5', 'line 6', 'line 7'],
    );
    assert.match(issues[0]?.message ?? '', /dtype, got "f7"/);
  });

  it('adds the weights of equal shapes', () => {
    const { entries, format } = listOf('m,n,k,count\n4,4,4,3\n8,8,8,1\n4,4,4,2\n');
    const shapes = uniqueShapes(entries, format);
    assert.deepEqual(
      shapes.map(({ weight, places }) => [weight, places]),
      [
        [5, ['line 2', 'line 4']],
        [1, ['line 3']],
      ],
    );
  });

  it('explains which formats exist', () => {
    assert.match(messageOf('hello\nworld\n'), /line 1 is "hello".*header m,n,k/);
    assert.match(messageOf(''), /no shapes/);
  });
});

describe('any file', () => {
  const files = {
    tunableop: TUNABLE,
    cutlass: `${HEADER}\n${row()}\n${row({ m: '64' })}\n`,
    nvbench: JSON.stringify(NVBENCH, null, 1),
    csv: 'm,n,k,dtype,count\n64,96,128,bf16,3\n4096,4096,4096,f32,1\n',
    json: JSON.stringify([{ m: 64, n: 96, k: 128 }], null, 1),
  };
  for (const [name, text] of Object.entries(files))
    it(`of ${name} that is cut at any byte has a stated reason or no wrong shape`, () => {
      const whole = listOf(text).entries.map(({ problem }) => JSON.stringify(problem));
      for (let end = 0; end < text.length; end++) {
        const read = readShapes(text.slice(0, end));
        if (!read.ok) {
          assert.match(read.message, /Fix: /);
          continue;
        }
        const { entries, issues, notes } = read.list;
        const isOpen = !text.slice(0, end).endsWith('\n');
        if (name !== 'csv')
          for (const { problem } of entries) assert.ok(whole.includes(JSON.stringify(problem)));
        if (isOpen && entries.length > 0 && end < text.length - 1)
          assert.ok(issues.length + notes.length > 0, `cut at ${end}`);
      }
    });

  it('of arbitrary text never throws', () => {
    const fragments = fc.constantFrom(
      ...Object.values(files).flatMap(text => text.split(/(?=,|\n)/)),
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fragments).map(parts => parts.join('')),
    );
    fc.assert(
      fc.property(texts, text => {
        const read = readShapes(text);
        if (!read.ok) assert.ok(read.message.length > 0);
        else for (const { message } of read.list.issues) assert.ok(message.length > 0);
      }),
    );
  });
});
