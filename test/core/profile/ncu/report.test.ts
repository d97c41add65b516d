/** Nsight Compute reports of several versions and locales, including damaged ones. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isAmbiguous, markOf, readNumber } from '../../../../src/core/profile/ncu/numbers';
import { readNcu, type NcuReport } from '../../../../src/core/profile/ncu/report';
import { baseUnit } from '../../../../src/core/profile/ncu/units';
import { functionName } from '../../../../src/core/source/symbols';
import { cellsOf, COLUMNS, line, page } from './page';

function reportOf(text: string): NcuReport {
  const read = readNcu(text);
  assert.ok(read.ok, JSON.stringify(read));
  return read.report;
}

const valueOf = (text: string, name: string): number | undefined =>
  reportOf(text).kernels[0]?.metrics.get(name)?.value;

describe('An Nsight Compute report', () => {
  it('has the kernel, sizes and metrics of each launch in base units', () => {
    const text = page({
      'dram__bytes_read.sum': ['Mbyte', '134.22', '135.00'],
      'gpu__time_duration.sum': ['usecond', '1,234.50', '1,240.25'],
      launch__registers_per_thread: ['register/thread', '128', '128'],
      launch__shared_mem_per_block_static: ['Kbyte/block', '16.38', '16.38'],
      device__attribute_display_name: ['', 'NVIDIA H200', 'NVIDIA H200'],
    });
    const { kernels, limits } = reportOf(text);
    assert.deepEqual(limits, []);
    assert.equal(kernels.length, 2);
    const [first] = kernels;
    assert.equal(first?.entry, 'gemm');
    assert.deepEqual(
      [first.grid, first.block],
      [
        { x: 32, y: 16, z: 1 },
        { x: 256, y: 1, z: 1 },
      ],
    );
    assert.deepEqual(
      [first.device, first.computeCapability, first.id],
      ['NVIDIA H200', '9.0', '0'],
    );
    assert.deepEqual(first.metrics.get('dram__bytes_read.sum'), {
      value: 134.22e6,
      unit: 'byte',
      halfStep: 5000,
    });
    assert.deepEqual(first.metrics.get('launch__registers_per_thread'), {
      value: 128,
      unit: 'register/thread',
      halfStep: 0,
    });
    assert.equal(kernels[1]?.metrics.get('gpu__time_duration.sum')?.value, 1_240_250);
    assert.equal(first.metrics.get('launch__shared_mem_per_block_static')?.unit, 'byte/block');
  });

  it('is read in the locale that its other numbers show', () => {
    const german = page({ a__x: ['', '1.234'], a__y: ['%', '12,5'] });
    assert.equal(valueOf(german, 'a__x'), 1234);
    const english = page({ a__x: ['', '1.234'], a__y: ['%', '12.5'] });
    assert.equal(valueOf(english, 'a__x'), 1.234);
    const french = page({ a__x: ['', '1\u202f234\u202f567,5'] });
    assert.equal(valueOf(french, 'a__x'), 1234567.5);
  });

  it('omits ambiguous numbers, and reports them', () => {
    const text = page({ a__x: ['', '1,234'], a__y: ['inst', '56'] });
    const { kernels, limits } = reportOf(text);
    assert.equal(kernels[0]?.metrics.has('a__x'), false);
    assert.equal(kernels[0].metrics.get('a__y')?.value, 56);
    assert.match(limits.join(' '), /ambiguous in this report.*a__x.*LC_ALL=C/);
    const both = page({ a__x: ['', '1,234'], a__y: ['', '1.5'], a__z: ['', '0,5'] });
    assert.equal(valueOf(both, 'a__x'), undefined);
    assert.equal(valueOf(both, 'a__y'), 1.5);
    assert.equal(valueOf(both, 'a__z'), 0.5);
  });

  it('has no number for an unavailable metric', () => {
    for (const missing of ['n/a', '(!) n/a', 'nan', 'inf']) {
      const { kernels, limits } = reportOf(page({ a__x: ['', missing], a__y: ['', '1'] }));
      assert.equal(kernels[0]?.metrics.has('a__x'), false, missing);
      assert.match(limits.join(' '), /no number for a__x/);
    }
  });

  it('ignores a truncated line, at any position', () => {
    const text = page({ a__x: ['', '100', '200'], a__y: ['', '300', '400'] }).trimEnd();
    const whole = reportOf(text);
    assert.equal(whole.kernels.length, 2);
    const lastLine = text.lastIndexOf('\n') + 1;
    for (let cut = lastLine + 1; cut < text.length; cut++) {
      const { kernels, limits } = reportOf(text.slice(0, cut));
      assert.equal(kernels.length, 1, text.slice(lastLine, cut));
      assert.match(limits.join(' '), /truncated in line 5/);
    }
    const bare = text.replaceAll('"', '').replaceAll(/\([^)]*\)/g, '');
    assert.match(reportOf(bare).limits.join(' '), /truncated/, 'a bare last cell may lack digits');
    assert.equal(reportOf(`${bare}\n`).kernels.length, 2);
  });

  it('reports a damaged line in the middle', () => {
    const lines = page({ a__x: ['', '1', '2', '3'] }).split('\n');
    lines[4] = lines[4]?.slice(0, 30) ?? '';
    const { kernels, limits } = reportOf(lines.join('\n'));
    assert.deepEqual(
      kernels.map(({ id }) => id),
      ['0', '2'],
    );
    assert.match(limits.join(' '), /Line 5 has \d+ cells instead of 12/);
  });

  it('ignores the numbers of a table without units', () => {
    const lines = page({ a__x: ['Kbyte', '1'] }).split('\n');
    const { kernels, limits } = reportOf(lines.filter((_, i) => i !== 2).join('\n'));
    assert.equal(kernels[0]?.metrics.size, 0);
    assert.match(limits.join(' '), /no row of units/);
  });

  it('may be a list of metrics, one per line, with program output in between', () => {
    const columns = [...COLUMNS, 'Section Name', 'Metric Name', 'Metric Unit', 'Metric Value'];
    const row = (id: string, name: string, unit: string, value: string): string =>
      line([id, ...cellsOf(), 'Command line profiler metrics', name, unit, value]);
    const text = [
      'starting …',
      '==PROF== Profiling "gemm" - 0: 0%....50%....100% - 3 passes',
      line(columns),
      row('0', 'dram__bytes.sum', 'Gbyte', '1.50'),
      row('0', 'Duration', 'us', '3.00'),
      '==PROF== Disconnected from process 4711',
      row('1', 'dram__bytes.sum', 'Kbyte', '2.00'),
      '',
    ].join('\r\n');
    const { kernels, limits } = reportOf(text);
    assert.deepEqual(
      kernels.map(({ metrics }) => metrics.get('dram__bytes.sum')?.value),
      [1.5e9, 2000],
    );
    assert.match(limits.join(' '), /1 numbers have display names/);
  });

  it('may be several concatenated reports with different metrics', () => {
    const text = page({ a__x: ['', '1'] }) + page({ a__y: ['', '2'] });
    const { kernels } = reportOf(text);
    assert.deepEqual(
      kernels.map(({ metrics }) => [...metrics.keys()]),
      [['a__x'], ['a__y']],
    );
  });

  it('is rejected with a reason if it is not a report', () => {
    const whyNot = (text: string): string => {
      const read = readNcu(text);
      assert.ok(!read.ok);
      return `${read.why} ${read.next}`;
    };
    assert.match(whyNot(''), /the column header .* is missing/);
    assert.match(whyNot('NVR\0\u0001\u0002'), /ncu --import/);
    assert.match(whyNot('"\0I\0D\0"\0'), /UTF-16/);
    assert.match(whyNot('m,n,k\n1,2,3\n'), /Not an Nsight Compute report/);
    assert.match(whyNot(`${line(COLUMNS)}\n`), /contains no kernel/);
    const refused =
      '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.';
    assert.match(whyNot(refused), /NVreg_RestrictProfilingToAdminUsers=0.*ERR_NVGPUCTRPERM/);
  });

  it('never throws, and never has a number that is not finite', () => {
    const metric = fc.tuple(fc.constantFrom('', 'Kbyte', '%', 'a/b/c'), fc.string());
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        metric,
        fc.nat(400),
        (noise, [unit, value], cut) => {
          const text = page({ a__x: [unit, value.replaceAll(/["\n\r]/g, '')] });
          for (const input of [noise, `${text.slice(0, cut)}${noise}`, text.slice(cut)]) {
            const read = readNcu(input);
            for (const kernel of read.ok ? read.report.kernels : []) {
              for (const found of kernel.metrics.values()) {
                assert.ok(Number.isFinite(found.value) && found.halfStep >= 0);
              }
            }
          }
        },
      ),
    );
  });
});

describe('Numbers of a locale', () => {
  const written = (value: number, locale: string, digits: number): string =>
    value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });

  it('are read back in every locale', () => {
    const numbers = fc.tuple(fc.nat(999_999_999_999), fc.nat(4));
    fc.assert(
      fc.property(
        numbers,
        fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'de-CH'),
        ([value, digits], locale) => {
          const mark = locale === 'en-US' || locale === 'de-CH' ? '.' : ',';
          const text = written(value / 10 ** digits, locale, digits);
          const read = readNumber(text, mark);
          assert.ok(read !== undefined, text);
          assert.ok(Math.abs(read.value - value / 10 ** digits) <= 1e-9 * value, text);
          assert.equal(read.halfStep, digits === 0 ? 0 : 0.5 * 10 ** -digits, text);
        },
      ),
    );
  });

  it('are rejected if groups do not have three digits', () => {
    for (const text of ['1,23', '12,34,567', '1,2345', '', '-', '1e', '0x10', '1,234.', '.5']) {
      assert.equal(readNumber(text, '.'), undefined, text);
    }
    assert.equal(readNumber('1.5e+06', '.')?.value, 1_500_000);
    assert.equal(readNumber('-3', '.')?.value, -3);
  });

  it('determine their decimal mark if one of them is unambiguous', () => {
    assert.equal(markOf(['1,234', '5']), 'unknown');
    assert.equal(markOf(['1,234', '1,234,567']), '.');
    assert.equal(markOf(['1,234', '0,123']), ',');
    assert.equal(markOf(['0,5', '0.5']), 'both');
    assert.ok(isAmbiguous('1,234') && isAmbiguous('1.234') && !isAmbiguous('1234'));
  });
});

describe('Units of Nsight Compute', () => {
  it('are bytes, nanoseconds and hertz, in fractions too', () => {
    assert.deepEqual(baseUnit('Gbyte/s'), { unit: 'byte/ns', factor: 1 });
    assert.deepEqual(baseUnit('Mbyte'), { unit: 'byte', factor: 1e6 });
    assert.deepEqual(baseUnit('msecond'), { unit: 'ns', factor: 1e6 });
    assert.deepEqual(baseUnit('Ghz'), { unit: 'hz', factor: 1e9 });
    assert.deepEqual(baseUnit('register/thread'), { unit: 'register/thread', factor: 1 });
    assert.deepEqual(baseUnit(''), { unit: '', factor: 1 });
    assert.deepEqual(baseUnit('constructor'), { unit: 'constructor', factor: 1 });
  });
});

describe('The function of a printed kernel name', () => {
  it('has neither its type, namespaces, template arguments nor parameters', () => {
    assert.equal(functionName('gemm(const float *, int)'), 'gemm');
    assert.equal(functionName('void ns::f<(int)4, ns::g<float>>(float *, int)'), 'f');
    assert.equal(functionName('void (anonymous namespace)::k<128>(T1)'), 'k');
    assert.equal(functionName('_Z6matmulPfi'), 'matmul');
    assert.equal(functionName('ampere_sgemm_128x64_nn'), 'ampere_sgemm_128x64_nn');
  });
});
