/**
 * The regression gate: both sides of its limit and of the error, other machines, wrong results,
 * damaged files, JUnit.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { gate, gateReport } from '../../../src/core/measure/gate';
import { readGateFile } from '../../../src/core/measure/gateFile';
import { escapeXml, junit } from '../../../src/core/measure/junit';
import type { Measurement } from '../../../src/core/measure/measurement';

const LIMIT = 3;

function timed(
  medianMs: number,
  over: Partial<Measurement> = {},
  iqrMs = 0,
  errorPercent = 0,
): Measurement {
  return {
    specKey: 'k',
    kernelKey: 'x',
    resolved: null,
    backend: 'cuda',
    outcome: 'correct',
    device: { name: 'H200', adapter: '9.0', driver: '1', where: 'cli' },
    verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 9 },
    timing: {
      timer: 'cuda-events',
      quantumNs: 1,
      warmUp: 1,
      samples: 30,
      cache: 'cold',
      medianMs,
      iqrMs,
      minMs: medianMs,
      gflops: 1,
      errorPercent,
      inputs: '',
    },
    ...over,
  };
}
const untimed = (over: Partial<Measurement>): Measurement => {
  const run = { ...timed(1), ...over };
  delete run.timing;
  return run;
};
const verdict = (now: Measurement, ...against: readonly Measurement[]) =>
  gate(now, against, LIMIT).verdict;

describe('the regression gate', () => {
  it('fails just above the limit and passes at it, with exact times', () => {
    const positive = fc.double({ min: 1e-4, max: 1e4, noNaN: true });
    fc.assert(
      fc.property(positive, fc.double({ min: 0, max: 50, noNaN: true }), (before, limit) => {
        const at = (percent: number) =>
          gate(timed(before * (1 + percent / 100)), [timed(before)], limit).verdict;
        assert.equal(at(limit), 'passed');
        assert.equal(at(limit + 1e-5), 'slower');
        assert.equal(at(limit - 1e-5), 'passed');
        assert.equal(at(-5), 'passed');
      }),
    );
  });

  it('ignores slowdowns within the error of both medians', () => {
    const percent = fc.double({ min: 0.1, max: 20, noNaN: true });
    fc.assert(
      fc.property(percent, percent, percent, (mine, theirs, timer) => {
        const error = mine + theirs + 2 * timer;
        const slowed = (by: number) => {
          const medianMs = 1 + by / 100;
          const now = timed(medianMs, {}, (mine / 100) * medianMs, timer);
          return gate(now, [timed(1, {}, theirs / 100, timer)], 0).verdict;
        };
        assert.equal(slowed(error * 0.999), 'passed');
        assert.equal(slowed(error * 1.001), 'slower');
      }),
    );
    assert.match(
      gate(timed(1.1, {}, 0.2), [timed(1)], LIMIT).message,
      /within the measurement error/,
    );
  });

  it('compares with the newest run of the same kernel, backend and device', () => {
    const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    const old = timed(1, { at: at(1) });
    const recent = timed(2, { at: at(2) });
    assert.equal(verdict(timed(1.5), recent, old), 'passed');
    assert.equal(verdict(timed(1.5), recent, timed(1, { at: at(3) })), 'slower');
    assert.equal(verdict(timed(1.5), timed(1), recent), 'passed');
    const elsewhere = timed(1, { device: { ...recent.device, name: 'A100' } });
    const told = gate(timed(9), [elsewhere, timed(1, { backend: 'webgpu' })], LIMIT);
    assert.equal(told.verdict, 'not-compared');
    assert.match(
      told.message,
      /Not compared: this run is from H200 \(cuda\), .* A100 \(cuda\), H200 \(webgpu\)\./,
    );
    assert.equal(verdict(timed(9), timed(1, { specKey: 'other' })), 'not-compared');
  });

  it('fails with incorrect results, and is undecided without measurements', () => {
    for (const outcome of ['incorrect', 'compile-error', 'launch-error', 'timeout'] as const)
      assert.equal(verdict(untimed({ outcome }), timed(1)), 'failed');
    for (const outcome of ['constraint', 'unavailable', 'cancelled', 'correct'] as const)
      assert.equal(verdict(untimed({ outcome }), timed(1)), 'not-measured');
    const report = (...runs: readonly Measurement[]) =>
      gateReport(
        runs.map(run => gate(run, [timed(1)], LIMIT)),
        LIMIT,
      ).ok;
    assert.ok(report(timed(1)));
    assert.ok(report(timed(1), timed(9, { specKey: 'new' })));
    assert.ok(!report(timed(9, { specKey: 'new' })));
    assert.ok(!report(timed(1), timed(2)));
    assert.ok(!report(timed(1), untimed({ outcome: 'unavailable' })));
    assert.ok(!report());
  });

  it('reads a history or a single Measurement, and reports the first invalid line', () => {
    const [one, other] = [JSON.stringify(timed(1)), JSON.stringify(timed(2))];
    const runs = (text: string) => {
      const file = readGateFile(text);
      return file.ok ? file.runs.length : [file.line, file.message];
    };
    assert.equal(runs(`${one}\r\n\n${other}\n`), 2);
    assert.equal(runs(JSON.stringify(timed(1), null, 2)), 1);
    assert.deepEqual(runs(''), [
      1,
      'The file contains no runs. Fix: use a run history or a Measurement as the baseline file.',
    ]);
    assert.deepEqual(runs(`${one}\n${other.slice(0, 90)}`), [
      2,
      'The line is truncated. Fix: restore or delete the line.',
    ]);
    assert.match(String(runs(`${one}\nhello\n${other}\n`)), /^2,Not JSON/);
    const edited = other.replace('"medianMs":2', '"medianMs":-2');
    assert.match(String(runs(`${one}\n${edited}\n`)), /^2,Not a Measurement: timing\.medianMs/);
    assert.match(String(runs('{"a":1}')), /^1,Not a Measurement: specKey/);
    fc.assert(
      fc.property(fc.nat(one.length - 1), cut => {
        const file = readGateFile(`${other}\n${one.slice(0, cut)}`);
        assert.ok(cut === 0 ? file.ok : !file.ok && file.line === 2);
      }),
    );
  });

  it('writes JUnit XML with one test per kernel, for any names', () => {
    const report = gateReport(
      [
        gate(timed(1), [timed(1)], LIMIT),
        gate(timed(2), [timed(1)], LIMIT),
        gate(timed(2, { specKey: 'a<b>&"c"\u0000' }), [], LIMIT),
        gate(untimed({ outcome: 'unavailable', message: 'no GPU' }), [], LIMIT),
      ],
      LIMIT,
    );
    const xml = junit(report);
    assert.match(
      xml,
      /<testsuite name="gemm-explorer bench" tests="4" failures="1" errors="1" skipped="1">/,
    );
    assert.match(xml, /name="a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}"/u);
    assert.match(
      xml,
      /<failure type="slower" message="2\.000 ms, baseline 1\.000 ms: 100 % slower/,
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        assert.doesNotMatch(
          escapeXml(text),
          /[<>"'\n\u{0}-\u{8}\u{d800}-\u{dfff}\u{fffe}\u{ffff}]/u,
        );
      }),
    );
  });
});
