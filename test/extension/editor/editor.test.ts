/** What stands in text editors, without VS Code: completion, fixes, comments, ptxas. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseKernelText } from '../../../src/core/source/kernelFile';
import { check } from '../../../src/core/defaults/check';
import { decodeSpec, parseSpec } from '../../../src/core/spec/decode';
import { duplicateKeys } from '../../../src/core/spec/duplicateKeys';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { compilerProblems, registerSavings } from '../../../src/extension/editor/compilerProblems';
import { completionAt } from '../../../src/extension/editor/specCompletion';
import type { Measurement } from '../../../src/core/measure/measurement';
import { wgslDiagnostics } from '../../../src/extension/toolchain/wgslMessages';
import { specProblems } from '../../../src/extension/specs/specProblems';
import { specs } from '../../helpers/specs';

const applied = (text: string, edits: readonly { start: number; end: number; text: string }[]) =>
  edits
    .toSorted((left, right) => right.start - left.start)
    .reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);

/** The offset of `|`, and the text without it. */
function marked(text: string): [string, number] {
  return [text.replace('|', ''), text.indexOf('|')];
}

describe('completion of a tile', () => {
  const text = (field: string) =>
    marked(
      `{"problem": {"m": 256, "n": 256, "k": 256}, "schedule": {"algorithm": "thread-tile-2d", ${field}}}`,
    );
  const values = (field: string) => completionAt(...text(field))?.values.map(({ value }) => value);

  it('offers values that keep the spec legal, with their effects', () => {
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

  it('works on an existing value and before a missing comma', () => {
    assert.deepEqual(
      values('"block": {"m": 6|4, "n": 64, "k": 8}, "thread": {"m": 16, "n": 4}'),
      [16, 32, 48, 64, 96, 128, 192, 256, 512],
    );
    assert.ok(
      (values('"block": {"m": | "n": 64, "k": 8}, "thread": {"m": 4, "n": 4}') ?? []).length > 5,
    );
  });

  it('offers nothing outside tiles or in an invalid spec', () => {
    assert.equal(completionAt(...marked('{"problem": {"m": |}}')), undefined);
    assert.deepEqual(values('"block": {"m": |, "n": "x"}'), []);
  });

  it('offers only legal values', () => {
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

  it('skip errors that the schema reports', () => {
    for (const text of [
      '{',
      `{${problem}, "x": 1}`,
      '{"problem": {"m": 0, "n": 1, "k": 1}}',
      '{"problem": 1, "problem": 2}',
    ]) {
      assert.deepEqual(specProblems(text, both), [], text);
      assert.ok(specProblems(text, alone).length > 0, text);
    }
    const infinite = '{"problem": {"m": 1, "n": 1, "k": 1, "alpha": 1e999}}';
    assert.equal(specProblems(infinite, both).length, 1);
    assert.equal(specProblems(`{${problem}, "device": "none"}`, both).length, 1);
  });

  it('report the device that replaces an unknown one, with a fix', () => {
    const [found, ...others] = specProblems(`{${problem}, "device": "sm_90a"}`, both);
    assert.deepEqual([found?.severity, found?.field, others], ['information', 'device', []]);
    assert.equal(found?.fix?.title, 'Change device to "h200"');
  });

  it('fix unsupported values and unused fields', () => {
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

  it('report one cause of two targets once, with one fix', () => {
    const text = `{${problem.replace('"k": 64', '"k": 64, "a": { "ld": 10 }')}}`;
    const found = specProblems(text, both);
    assert.deepEqual(
      found.map(({ message, fix }) => [message.split(':')[0], fix?.title]),
      [['cuda, wgsl', 'Change problem.a.ld to 64']],
    );
  });

  it('change one field and keep the layout behind an empty object', () => {
    const text = `{ "problem": { "m": 64, "n": 64, "k": 8, "b": {}, "c": { "ld": 7 } }, "targets": ["cuda"] }`;
    const [found] = specProblems(text, both);
    assert.deepEqual([found?.field, text.slice(found?.start, found?.end)], ['problem.c.ld', '7']);
    assert.equal(applied(text, found?.fix?.edits ?? []), text.replace('7', '64'));
  });

  it('are found in text that nests deeper than the stack', () => {
    const text = `{"problem": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    for (const json of [text, text.slice(0, -2)]) assert.ok(specProblems(json, alone).length > 0);
  });

  it('are removed by their fix for any spec', () => {
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

  it('report duplicate fields at the later position', () => {
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

  it('find no duplicates in JSON.stringify output', () => {
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

describe('ptxas reports', () => {
  const fact = { arch: 'sm_90', sharedBytes: 0, compiler: 'nvcc 13', entry: 'k' };
  const file = (bounds: string) =>
    parseKernelText(`constexpr int T = 256;\n__global__ void ${bounds} k(int a) {}\n`, 'k.cu');
  const said = (bounds: string, registers: number, spills = 0) =>
    compilerProblems(file(bounds), [
      { ...fact, registers, spillStores: spills, spillLoads: spills },
    ]).map(({ severity, message }) => [severity, message] as const);

  it('are warnings if registers spill, with the bytes and the limit', () => {
    const [[severity, message] = []] = said('__launch_bounds__(T, 2)', 128, 48);
    assert.equal(severity, 'warning');
    assert.match(
      message ?? '',
      /48 B of stores and 48 B of loads.*128 registers.*__launch_bounds__\(256, 2\) allows 128/,
    );
    assert.equal(said('', 255, 4)[0]?.[0], 'warning');
  });

  it('are information at the register limit, and absent below it', () => {
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

  it('have legal fixes that change one field', () => {
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
    const found = registerSavings(spec);
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

describe('WGSL messages of a run', () => {
  const run = (outcome: 'compile-error' | 'launch-error', message: string) =>
    wgslDiagnostics({ outcome, message } as Measurement);

  it('become one Problem per line', () => {
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
