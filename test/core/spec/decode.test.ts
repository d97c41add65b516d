import assert from 'node:assert/strict';
import fc from 'fast-check';
import { check } from '../../../src/core/defaults/check';
import { applyOverrides, decodeSpec, parseSpec } from '../../../src/core/spec/decode';
import { resolve } from '../../../src/core/defaults/resolve';
import { specKey } from '../../../src/core/plan/specKey';
import { toSpec } from '../../../src/core/spec/toSpec';
import { specs } from '../../helpers/specs';
import { runs } from '../../helpers/depth';

const errorsOf = (input: unknown) => {
  const decoded = decodeSpec(input);
  return decoded.ok ? [] : decoded.errors;
};
const P = { m: 8, n: 8, k: 8 };

describe('decode', () => {
  const bad: readonly (readonly [string, unknown, string, RegExp])[] = [
    ['unknown field', { problem: { ...P, q: 1 } }, 'problem.q', /Unknown field/],
    [
      'unknown nested field',
      { problem: { ...P, a: { stride: 1 } } },
      'problem.a.stride',
      /Unknown field/,
    ],
    ['missing size', { problem: { m: 8, n: 8 } }, 'problem.k', /required/],
    ['missing problem', {}, 'problem', /required/],
    ['zero', { problem: { ...P, m: 0 } }, 'problem.m', />=1, got 0/],
    ['negative', { problem: { ...P, n: -4 } }, 'problem.n', />=1, got -4/],
    ['fractional', { problem: { ...P, k: 1.5 } }, 'problem.k', /integer, got 1.5/],
    ['huge', { problem: { ...P, m: 1e300 } }, 'problem.m', /an integer/],
    ['beyond 32 bits', { problem: { ...P, m: 2 ** 31 } }, 'problem.m', /<=2147483647/],
    ['string', { problem: { ...P, m: '8' } }, 'problem.m', /number, got "8"/],
    ['dtype', { problem: { ...P, a: { dtype: 'f31' } } }, 'problem.a.dtype', /"f32"/],
    [
      'algorithm',
      { problem: P, schedule: { algorithm: 'magic' } },
      'schedule.algorithm',
      /"naive"/,
    ],
    [
      'vector',
      { problem: P, schedule: { algorithm: 'naive', vector: 3 } },
      'schedule.vector',
      /got 3/,
    ],
    ['version', { version: 2, problem: P }, 'version', /got 2/],
    [
      'device',
      { problem: P, device: 'gtx-9999' },
      'device',
      /Unknown device "gtx-9999". Known: .*h200/,
    ],
    ['targets', { problem: P, targets: ['metal'] }, 'targets.0', /"cuda"/],
    ['no targets', { problem: P, targets: [] }, 'targets', />=1/],
    ['alpha', { problem: { ...P, alpha: Infinity } }, 'problem.alpha', /finite/i],
    ['array', [], '', /Object/],
    ['null', null, '', /Object/],
  ];
  for (const [name, input, path, message] of bad) {
    it(`names the path of: ${name}`, () => {
      const [first] = errorsOf(input);
      assert.equal(first?.path, path);
      assert.match(first.message, message);
    });
  }

  it('suggests the nearest name, or lists the known ones', () => {
    const said = (input: object) =>
      errorsOf({ problem: P, ...input }).map(({ message }) => message);
    const a = (operand: object) => ({ problem: { ...P, a: operand } });
    const meant: readonly (readonly [object, string])[] = [
      [{ schedule: { stagse: 3 } }, 'Unknown field stagse: did you mean stages?'],
      [{ shedule: {} }, 'Unknown field shedule: did you mean schedule?'],
      [a({ Dtype: 'f16' }), 'Unknown field Dtype: did you mean dtype?'],
      [{ schedule: { block: { m: 8, depth: 8 } } }, 'Unknown field depth. Known: m, n, k.'],
      [{ schedule: { algorithm: 'wgma' } }, 'Unknown value "wgma". Did you mean "wgmma"?'],
      [a({ dtype: 'fp16' }), 'Unknown value "fp16". Did you mean "f16"?'],
      [a({ layout: 'diagonal' }), 'Expected ("row" | "col"), got "diagonal".'],
      [{ targets: ['cuda', 'wgls'] }, 'Unknown value "wgls". Did you mean "wgsl"?'],
      [{ device: 'rtx4o90' }, 'Unknown device "rtx4o90": did you mean rtx-4090?'],
    ];
    for (const [input, message] of meant) assert.deepEqual(said(input), [message]);
    const long = 'x'.repeat(100_000);
    assert.match(said({ [long]: 1 })[0] ?? '', /Known: .*problem/);
  });

  it('reports an operation of an epilogue that does not exist, with the nearest name', () => {
    const of = (op: unknown) =>
      errorsOf({ problem: { ...P, epilogue: [{ op: 'relu' }, op] } }).map(
        ({ path, message }) => `${path}: ${message}`,
      );
    const at = 'problem.epilogue.1';
    assert.match(of({ op: 'gate', act: 'tanh' })[0] ?? '', /^problem\.epilogue\.1\.act: .*"tanh"/);
    assert.deepEqual(of({ op: 'gate', dtype: 'f16' }), [
      `${at}.dtype: Unknown field dtype. Known: op, act, layout, ld.`,
    ]);
    assert.deepEqual(of({ op: 'residul' }), [
      `${at}.op: Unknown value "residul". Did you mean "residual"?`,
    ]);
    assert.deepEqual(of({ op: 'silu', along: 'n' }), [
      `${at}.along: Unknown field along. Known: op.`,
    ]);
    assert.deepEqual(
      of({ op: 'bias', alon: 'n' }).at(-1),
      [`${at}.alon: Unknown field alon: did you mean along?`][0],
    );
    assert.deepEqual(of({ op: 'bias' }), [`${at}.along: This field is required.`]);
    assert.match(of({ op: 'quantize' })[0] ?? '', /op: Expected \("bias" \| .*got "quantize"/);
    assert.match(of({})[0] ?? '', /op: This field is required: one of \("bias" \| /);
    assert.match(of(7)[0] ?? '', /problem\.epilogue\.1: Expected Object, got 7/);
    assert.match(
      of({ op: 'bias', along: 'k' })[0] ?? '',
      /along: Expected \("m" \| "n"\), got "k"/,
    );
  });

  it('accepts the same device names as --device, and reports substitutes', () => {
    const meant = { h100: 'h100-sxm', sm_90a: 'h200', gh200: 'h200', '4090': 'rtx-4090' };
    for (const [device, id] of Object.entries({ ...meant, 'H100 SXM5': 'h100-sxm' })) {
      const decoded = decodeSpec({ problem: P, device });
      assert.ok(decoded.ok, device);
      assert.equal(decoded.spec.device, id);
      assert.equal(resolve(decoded.spec).device, id);
      assert.match(decoded.standIn ?? '', /device table/, device);
    }
    const own = decodeSpec({ problem: P, device: 'h200' });
    assert.deepEqual(own, { ok: true, spec: { problem: P, device: 'h200' } });
  });

  it('reports the position of a syntax error', () => {
    const decoded = parseSpec('{\n  "problem": {,}\n}');
    assert.ok(!decoded.ok);
    assert.match(decoded.errors[0]?.message ?? '', /^Not JSON: .*line 2/);
  });

  it('never throws on any JSON value or text', () => {
    fc.assert(fc.property(fc.jsonValue(), value => typeof decodeSpec(value).ok === 'boolean'));
    fc.assert(fc.property(fc.string(), text => typeof parseSpec(text).ok === 'boolean'));
  });

  it('overrides fields without touching prototypes', () => {
    const overridden = applyOverrides({ problem: P }, [
      'problem.m=512',
      'schedule.algorithm=naive',
      'problem.a.layout=col',
    ]);
    assert.ok(overridden.ok);
    assert.deepEqual(overridden.value, {
      problem: { ...P, m: 512, a: { layout: 'col' } },
      schedule: { algorithm: 'naive' },
    });
    for (const text of ['__proto__.x=1', 'constructor.prototype.x=1', 'problem', '=1', 'a..b=1']) {
      assert.equal(applyOverrides({}, [text]).ok, false, text);
    }
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  });

  it('overrides and appends entries of a list, and rejects a gap', () => {
    const epilogueAfter = (...assignments: readonly string[]) => {
      const found = applyOverrides({ problem: P }, assignments);
      return found.ok ? (found.value as { problem: object }).problem : found.errors[0];
    };
    const [first, second] = ['problem.epilogue.0.op=relu', 'problem.epilogue.1.op=scale'];
    assert.deepEqual(epilogueAfter(first), { ...P, epilogue: [{ op: 'relu' }] });
    assert.deepEqual(epilogueAfter(first, second, 'problem.epilogue.1.along=m'), {
      ...P,
      epilogue: [{ op: 'relu' }, { op: 'scale', along: 'm' }],
    });
    assert.deepEqual(epilogueAfter('problem.epilogue=[{"op":"gelu"}]', first), {
      ...P,
      epilogue: [{ op: 'relu' }],
    });
    assert.deepEqual(epilogueAfter(second), {
      path: 'problem.epilogue',
      message: 'The list has 0 entries. Use problem.epilogue.0 to add an entry.',
    });
    assert.equal(applyOverrides({ problem: P }, ['problem.epilogue.999999999.op=relu']).ok, false);
  });
});

describe('resolve', () => {
  it('fills a schedule field by field, the algorithm included', () => {
    const schedule = (given: object) => {
      const decoded = decodeSpec({ problem: { m: 512, n: 512, k: 512 }, schedule: given });
      assert.ok(decoded.ok, JSON.stringify(decoded));
      return resolve(decoded.spec).schedule;
    };
    const tile = {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 8 },
      thread: { m: 8, n: 8 },
    };
    assert.deepEqual(schedule({ algorithm: 'thread-tile-2d' }), tile);
    assert.deepEqual(schedule({ algorithm: 'thread-tile-2d', thread: { m: 4 } }), {
      ...tile,
      thread: { m: 4, n: 8 },
    });
    assert.deepEqual(schedule({ block: { m: 32 } }), {
      algorithm: 'thread-tile-2d',
      block: { m: 32, n: 64, k: 8 },
      thread: { m: 4, n: 4 },
    });
    assert.deepEqual(schedule({}), schedule({ block: { m: 64 } }));
  });

  it('fills in every default', () => {
    const resolved = resolve({ problem: { m: 3, n: 5, k: 7, b: { layout: 'col' } } });
    assert.deepEqual(resolved.problem.a, { dtype: 'f32', layout: 'row', ld: 7, batchStride: 21 });
    assert.deepEqual(resolved.problem.b, { dtype: 'f32', layout: 'col', ld: 7, batchStride: 35 });
    assert.equal(resolved.device, 'h200');
    assert.deepEqual(resolved.targets, ['cuda', 'wgsl']);
    assert.equal(check({ problem: P }).ok, true);
  });

  it('is undone by toSpec, and names specs apart', () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(specs, spec => {
        const resolved = resolve(spec);
        const decoded = decodeSpec(
          JSON.parse(JSON.stringify(toSpec({ ...resolved, targets: ['cuda'] }))),
        );
        assert.ok(decoded.ok, JSON.stringify(decoded));
        assert.deepEqual(resolve(decoded.spec), { ...resolved, targets: ['cuda'] });
        const key = specKey(resolved);
        assert.match(key, /^[A-Za-z0-9_.-]{1,72}$/);
        const { problem, schedule } = resolved;
        const identity = JSON.stringify([problem, schedule]);
        assert.equal(seen.get(key) ?? identity, identity, key);
        seen.set(key, identity);
      }),
      { ...runs(2000) },
    );
  });
});
