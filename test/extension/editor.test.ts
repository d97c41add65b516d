/** What stands in text editors, without VS Code: places in JSON, completion, fixes, comments, ptxas. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../src/core/emit/emit';
import { parseKernelText } from '../../src/core/emit/kernelFile';
import { namesElsewhere, termOfPath, termOfWord, TERMS } from '../../src/core/glossary';
import { plan } from '../../src/core/plan/planner';
import { check } from '../../src/core/spec/check';
import { decodeSpec, parseSpec } from '../../src/core/spec/decode';
import { duplicateKeys } from '../../src/core/spec/duplicateKeys';
import { resolve } from '../../src/core/spec/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import {
  annotationComment,
  declarationLine,
  readArguments,
  readBlock,
  readGrid,
} from '../../src/extension/editor/annotationComment';
import { annotationProblem } from '../../src/extension/editor/annotationProblems';
import { compilerProblems, lighterSpecs } from '../../src/extension/editor/compilerProblems';
import { createKnowledge } from '../../src/extension/editor/kernelFacts';
import { completionAt } from '../../src/extension/editor/specCompletion';
import type { Measurement } from '../../src/core/measure/measurement';
import { wgslDiagnostics } from '../../src/extension/editor/wgslMessages';
import { placeAt } from '../../src/extension/jsonPlace';
import { specProblems } from '../../src/extension/specProblems';
import { specs } from '../helpers/specs';

const applied = (text: string, edits: readonly { start: number; end: number; text: string }[]) =>
  edits
    .toSorted((left, right) => right.start - left.start)
    .reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);

/** The offset of `|`, and the text without it. */
function marked(text: string): [string, number] {
  return [text.replace('|', ''), text.indexOf('|')];
}

describe('places in JSON', () => {
  for (const [text, path, kind] of [
    ['{"a": |}', 'a', 'value'],
    ['{"a": 1|2}', 'a', 'value'],
    ['{"a|": 12}', 'a', 'key'],
    ['{|}', '', 'key'],
    ['{"a": {"b": 1, |}}', 'a', 'key'],
    ['{"a": {"b": 1, "c": |', 'a.c', 'value'],
    ['{"a": [1, |]}', 'a.1', 'value'],
    ['{"a": [1, {"b": "x|', 'a.1.b', 'value'],
    ['{"a":|\n "b": 2}', 'a', 'value'],
  ] as const) {
    it(`of ${text}`, () => {
      const place = placeAt(...marked(text));
      assert.deepEqual([place?.path.join('.'), place?.kind], [path, kind]);
    });
  }

  it('are every value of any JSON, and no text makes trouble', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.integer()), record => {
        const text = JSON.stringify(record, null, 1);
        for (const key of Object.keys(record)) {
          const at = text.indexOf(`"${key}":`) + key.length + 4;
          assert.deepEqual(placeAt(text, at)?.path, [key]);
        }
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[{}[\]:,"\\a0 \n]{0,30}$/), fc.nat(30), (text, at) => {
        const place = placeAt(text, at);
        if (place !== undefined)
          assert.ok(place.start <= place.end && place.end <= Math.max(at, text.length));
      }),
    );
  });
});

describe('completion of a tile', () => {
  const text = (field: string) =>
    marked(
      `{"problem": {"m": 256, "n": 256, "k": 256}, "schedule": {"algorithm": "thread-tile-2d", ${field}}}`,
    );
  const values = (field: string) => completionAt(...text(field))?.values.map(({ value }) => value);

  it('offers values with which the whole spec is legal, and says what each gives', () => {
    const found = completionAt(
      ...text('"block": {"m": |, "n": 64, "k": 8}, "thread": {"m": 4, "n": 4}'),
    );
    assert.deepEqual(
      found?.values.map(({ value }) => value),
      [4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256],
    );
    const [tile] = found.values.filter(({ value }) => value === 64);
    assert.match(
      tile?.detail ?? '',
      /^occupancy \d+ % \([a-z, -]+\), 256 threads, 4,096 B shared$/,
    );
    assert.match(found.values.at(-1)?.detail ?? '', /cuda only$/);
  });

  it('works on a value that is there, and before a comma that is not', () => {
    assert.deepEqual(
      values('"block": {"m": 6|4, "n": 64, "k": 8}, "thread": {"m": 16, "n": 4}'),
      [16, 32, 48, 64, 96, 128, 192, 256, 512],
    );
    assert.ok(
      (values('"block": {"m": | "n": 64, "k": 8}, "thread": {"m": 4, "n": 4}') ?? []).length > 5,
    );
  });

  it('offers nothing where no tile is, or where the rest is no spec', () => {
    assert.equal(completionAt(...marked('{"problem": {"m": |}}')), undefined);
    assert.deepEqual(values('"block": {"m": |, "n": "x"}'), []);
  });

  it('offers only what check calls legal', () => {
    fc.assert(
      fc.property(specs, fc.constantFrom('m', 'n', 'k'), (spec, axis) => {
        const whole: GemmSpec = {
          ...spec,
          schedule: { ...spec.schedule, block: { ...spec.schedule?.block, [axis]: 987 } },
        };
        const [json, at] = marked(JSON.stringify(whole).replace('987', '|'));
        for (const { value, targets } of completionAt(json, at)?.values ?? []) {
          const decoded = parseSpec(json.slice(0, at) + String(value) + json.slice(at));
          assert.ok(decoded.ok);
          assert.deepEqual(check(decoded.spec).legal, targets);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('problems of a spec', () => {
  const problem = '"problem": { "m": 64, "n": 64, "k": 64 }';
  const both = { schemaSpeaks: true };
  const alone = { schemaSpeaks: false };

  it('leave to the schema what it says, so that a fact is shown once', () => {
    for (const text of [
      '{',
      `{${problem}, "x": 1}`,
      '{"problem": {"m": 0, "n": 1, "k": 1}}',
      `{${problem}, "device": "none"}`,
      '{"problem": 1, "problem": 2}',
    ]) {
      assert.deepEqual(specProblems(text, both), [], text);
      assert.ok(specProblems(text, alone).length > 0, text);
    }
    const infinite = '{"problem": {"m": 1, "n": 1, "k": 1, "alpha": 1e999}}';
    assert.equal(specProblems(infinite, both).length, 1);
  });

  it('mend what a target cannot do: the nearest legal value, and fields without use', () => {
    const text = `{\n${problem},\n"targets": ["cuda"],\n"schedule": { "algorithm": "naive", "block": { "m": 4096, "n": 16 }, "stages": 2 }\n}`;
    const found = specProblems(text, both);
    assert.ok(found.length >= 2);
    for (const { fix, message } of found) {
      assert.ok(fix, message);
      const mended = parseSpec(applied(text, fix.edits));
      assert.ok(mended.ok);
      assert.ok(
        check(mended.spec).violations.length < check(decoded(text)).violations.length,
        fix.title,
      );
    }
  });

  it('are mended by their fix, whatever the spec', () => {
    fc.assert(
      fc.property(specs, spec => {
        const text = JSON.stringify(spec, null, 2);
        const before = check(spec).violations;
        for (const { fix } of specProblems(text, both)) {
          if (fix === undefined) continue;
          const mended = parseSpec(applied(text, fix.edits));
          assert.ok(mended.ok, fix.title);
          const after = check(mended.spec).violations;
          assert.ok(
            after.length < before.length || JSON.stringify(after) !== JSON.stringify(before),
            fix.title,
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  it('say at its later place that a field is given twice, and refuse it everywhere', () => {
    const text = `{${problem}, "problem": { "m": 1, "n": 1, "k": 1, "m": 2 }}`;
    assert.deepEqual(
      duplicateKeys(text).map(({ path }) => path),
      ['problem', 'problem.m'],
    );
    const read = parseSpec(text);
    assert.ok(!read.ok);
    assert.deepEqual(
      read.errors.map(({ path, rule }) => [path, rule]),
      [
        ['problem', 'duplicate-key'],
        ['problem.m', 'duplicate-key'],
      ],
    );
    const [, second] = specProblems(text, alone);
    assert.equal(text.slice(second?.start, second?.end), '"m"');
    assert.deepEqual(
      duplicateKeys('{"a": {"x": 1}, "b": {"x": "}"}, "c": [{"x": 1}, {"x": 1}]}'),
      [],
    );
  });

  it('find no duplicate in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        assert.deepEqual(duplicateKeys(JSON.stringify(value)), []);
      }),
    );
  });
});

function decoded(text: string): GemmSpec {
  const read = parseSpec(text);
  assert.ok(read.ok);
  return read.spec;
}

describe('a @gemm comment from answers', () => {
  const answers = {
    sizes: { m: 100, n: 60, k: 30 },
    ...({ dtype: 's32', layouts: ['row', 'col', 'row'], block: [16, 16] } as const),
    ...({ grid: ['ceil(n / 16)', 'ceil(m / 16)'], args: ['a', 'b', 'c', 'm', 'k', 'n'] } as const),
  };

  it('describes the kernel below it', () => {
    const text = `${annotationComment(answers)}\n__global__ void k(int* a) {}\n`;
    const file = parseKernelText(text, 'k.cu');
    assert.equal(annotationProblem(file, file.annotations[0]!), undefined);
    const known = createKnowledge({
      factsOf: () => undefined,
      runsOf: () => [],
      device: () => 'h200',
    }).of(file, 'k');
    assert.ok(known.ok);
    assert.deepEqual(known.runnable.grid, { x: 4, y: 7, z: 1 });
    assert.equal(known.runnable.problem.b.layout, 'col');
    assert.equal(known.runnable.problem.a.dtype, 's32');
  });

  it('takes what was typed, or says why not', () => {
    assert.deepEqual(readBlock('16 x 8'), { ok: true, value: [16, 8] });
    assert.deepEqual(readBlock('1024'), { ok: true, value: [1024] });
    for (const wrong of ['', '0', '1025', '1, 2, 3, 4', 'x'])
      assert.equal(readBlock(wrong).ok, false, wrong);
    assert.equal(readGrid('ceil(n / block.x), ceil(m / block.y)').ok, true);
    for (const wrong of ['', 'f(x)', '1, 2, 3, 4']) assert.equal(readGrid(wrong).ok, false, wrong);
    assert.deepEqual(readArguments('a, b, c, [m, n, k]', 4), {
      ok: true,
      value: ['a', 'b', 'c', ['m', 'n', 'k']],
    });
    for (const wrong of ['', 'a, ?', 'a, b'])
      assert.equal(readArguments(wrong, 3).ok, false, wrong);
  });

  it('goes above the whole declaration', () => {
    const lines = [
      'int x;',
      '',
      '// mine',
      'template <int N>',
      'extern "C"',
      '__global__ void k() {}',
    ];
    assert.equal(declarationLine(lines, 5), 3);
    assert.equal(declarationLine(['}', '__global__ void k() {}'], 1), 1);
    assert.equal(declarationLine(['__global__ void k() {}'], 0), 0);
  });

  it('that is wrong is underlined where it is wrong', () => {
    const under = (json: string) => {
      const file = parseKernelText(
        `  // @gemm ${json}\n__global__ void k(int* a) {}\n__global__ void l() {}\n`,
        'k.cu',
      );
      const problem = annotationProblem(file, file.annotations[0]!);
      return [`  // @gemm ${json}`.slice(problem?.start, problem?.end), problem?.instead.join()];
    };
    const rest = '"problem":{"m":1,"n":1,"k":1},"block":[1],"args":["a"]';
    assert.deepEqual(under(`{${rest},"grid":["nope(1)"]}`), ['"nope(1)"', '']);
    assert.deepEqual(under(`{${rest},"grid":[1],"x":2}`), ['2', '']);
    assert.deepEqual(under(`{${rest},"grid":[1],"entry":"other"}`), ['"other"', 'k,l']);
    assert.equal(under('{"problem":}')[0], '}');
  });
});

describe('what ptxas reports', () => {
  const fact = { arch: 'sm_90', sharedBytes: 0, compiler: 'nvcc 13', entry: 'k' };
  const file = (bounds: string) =>
    parseKernelText(`constexpr int T = 256;\n__global__ void ${bounds} k(int a) {}\n`, 'k.cu');
  const said = (bounds: string, registers: number, spills = 0) =>
    compilerProblems(file(bounds), [
      { ...fact, registers, spillStores: spills, spillLoads: spills },
    ]).map(({ severity, message }) => [severity, message] as const);

  it('is a warning where registers spill, with the bytes and the limit', () => {
    const [[severity, message] = []] = said('__launch_bounds__(T, 2)', 128, 48);
    assert.equal(severity, 'warning');
    assert.match(
      message ?? '',
      /48 B of stores and 48 B of loads.*128 registers.*256 threads and 2 blocks an SM leaves 128/,
    );
    assert.equal(said('', 255, 4)[0]?.[0], 'warning');
  });

  it('is worth knowing at the limit, and nothing below it', () => {
    assert.equal(said('__launch_bounds__(T, 2)', 128)[0]?.[0], 'information');
    assert.deepEqual(said('__launch_bounds__(T, 2)', 127), []);
    assert.deepEqual(said('', 255), []);
    assert.deepEqual(
      compilerProblems(file(''), [
        { ...fact, entry: 'gone', registers: 1, spillStores: 9, spillLoads: 9 },
      ]),
      [],
    );
  });

  it('has fixes that the planner calls legal and that change one field', () => {
    const spec = resolve({
      problem: { m: 256, n: 256, k: 256 },
      schedule: {
        algorithm: 'thread-tile-2d',
        block: { m: 128, n: 128, k: 8 },
        thread: { m: 8, n: 8 },
        minBlocksPerSm: 3,
      },
      targets: ['cuda'],
    });
    const found = lighterSpecs(spec);
    assert.deepEqual(
      found.map(({ path, value }) => [path, value]),
      [
        ['schedule.minBlocksPerSm', 2],
        ['schedule.thread.m', 4],
        ['schedule.thread.n', 4],
      ],
    );
    for (const { spec: changed } of found) {
      const read = decodeSpec(changed);
      assert.ok(read.ok);
      assert.ok(check(read.spec).ok);
    }
  });
});

describe('what a run says of WGSL', () => {
  const run = (outcome: 'compile-error' | 'launch-error', message: string) =>
    wgslDiagnostics({ outcome, message } as Measurement);

  it('is a Problem a line of it', () => {
    assert.deepEqual(
      run('compile-error', "3:7 unresolved value 'x'\nmain: no such entry\n12:1 and more"),
      [
        { line: 2, column: 6, severity: 'error', message: "unresolved value 'x'", source: 'WGSL' },
        { line: 11, column: 0, severity: 'error', message: 'and more', source: 'WGSL' },
      ],
    );
    assert.deepEqual(run('launch-error', '3:7 x'), []);
  });
});

describe('the glossary', () => {
  it('explains every tile name of our kernels and of its tutorials', () => {
    for (const name of [
      'BM',
      'BN',
      'BK',
      'WM',
      'WN',
      'TM',
      'TN',
      'As',
      'Bs',
      'THREADS',
      'BLOCK_SIZE_M',
      'MWG',
    ]) {
      assert.ok(termOfWord(name), name);
    }
    assert.equal(termOfWord('bm'), undefined);
    const planned = plan(resolve({ problem: { m: 64, n: 64, k: 64 } }), 'cuda');
    assert.ok(planned.ok);
    const constants = [...emit(planned.plan).source.matchAll(/^constexpr int (\w+)/gm)].map(
      match => match[1],
    );
    for (const name of constants) assert.ok(termOfWord(name ?? ''), name);
  });

  it('explains the keys of a spec, and gives each term once', () => {
    assert.equal(termOfPath('schedule.block.m')?.name, 'BM');
    assert.equal(termOfPath('schedule.padding')?.name, 'padding');
    assert.equal(termOfPath('schedule.raster')?.name, 'raster');
    for (const path of ['schedule', 'schedule.block', 'problem', 'problem.m'])
      assert.equal(termOfPath(path), undefined, path);
    const names = TERMS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    assert.equal(new Set(names).size, names.length);
    for (const term of TERMS) assert.ok(namesElsewhere(term).length > 0, term.name);
  });
});
