/** Lines of a kernel and its listing, listings made comparable, and facts kept of them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { inspect, type Inspection } from '../../../src/core/profile/listing/inspect';
import { mainLoopLine } from '../../../src/core/profile/listing/mainLoopLine';
import { normalised } from '../../../src/core/profile/listing/normalize';
import { hashText } from '../../../src/core/text/hash';
import {
  createInspections,
  inspectedMessages,
  loopText,
} from '../../../src/extension/listings/inspections';
import { decodeToWebview } from '../../../src/protocol';
import { linesFrom, linesInto } from '../../../src/extension/listings/linkedLines';

const SOURCES = [[], [3], [3, 1], [], [5]];

describe('Lines of a listing', () => {
  it('map to source lines and back', () => {
    assert.deepEqual(linesInto(SOURCES, [[3, 3]]), [1, 2]);
    assert.deepEqual(
      linesInto(SOURCES, [
        [0, 2],
        [5, 9],
      ]),
      [2, 4],
    );
    assert.deepEqual(linesInto(SOURCES, [[4, 4]]), []);
    assert.deepEqual(linesFrom(SOURCES, [[1, 2]]), [1, 3]);
    assert.deepEqual(linesFrom(SOURCES, [[0, 0]]), []);
    assert.deepEqual(linesFrom(SOURCES, [[90, 99]]), []);
  });

  it('map back to the selection', () => {
    const sources = fc.array(fc.uniqueArray(fc.nat(9), { maxLength: 3 }), { maxLength: 30 });
    fc.assert(
      fc.property(sources, fc.nat(9), (of, line) => {
        for (const listed of linesInto(of, [[line, line]])) {
          assert.ok(linesFrom(of, [[listed, listed]]).includes(line));
        }
      }),
    );
  });
});

describe('A listing', () => {
  const loop = (label: string, kind: string) =>
    `${label}:\nadd.s32 %r1, %r1, 1;\n${kind} %f6, %f2, %f3, %f6;\nsetp.lt.s32 %p1, %r1, %r3;\n@%p1 bra ${label};\n`;
  const kernel = (name: string, body: string) =>
    `.visible .entry ${name}(\n.param .u64 a\n)\n{\nmov.u32 %r1, 0;\n${body}ret;\n}\n`;

  it('starts at the label of the main loop, not at another loop', () => {
    const copies = kernel('copies', loop('$L1', 'mov.f32'));
    const text = `.target sm_90\n${copies}${kernel('gemm', loop('$L2', 'mov.f32') + loop('$L3', 'fma.rn.f32'))}`;
    const lines = text.split('\n');
    assert.equal(lines[mainLoopLine(text, 'ptx') ?? -1], '$L3:');
    assert.equal(mainLoopLine(copies, 'ptx'), undefined);
    assert.equal(mainLoopLine('', 'sass'), undefined);
  });
});

describe('Listings to compare', () => {
  it('normalize PTX registers, labels and kernel names', () => {
    const one =
      '$L__BB0_3:\n\tld.param.u32 \t%r14, [gemm_a_param_2];\n\tfma.rn.f32 \t%f14, %f13, %f12, %f29;\n\t@%p3 bra \t$L__BB0_3;\n';
    const other =
      '$L__BB1_7:\n\tld.param.u32 \t%r2, [gemm_b_param_2];\n\tfma.rn.f32 \t%f1, %f2, %f3, %f4;\n\t@%p1 bra \t$L__BB1_7;\n';
    assert.equal(normalised(one, 'ptx'), normalised(other, 'ptx'));
    assert.notEqual(normalised(one, 'ptx'), normalised(one.replace('fma.rn', 'mul.rn'), 'ptx'));
    const two = one.replace('bra \t$L__BB0_3', 'bra \t$L__BB0_4');
    assert.notEqual(normalised(one, 'ptx'), normalised(two, 'ptx'), 'another place to go to');
  });

  it('normalize SASS addresses, encodings and registers', () => {
    const one =
      '        /*0010*/                   FFMA R0, R1, R2.reuse, R0 ;   /* 0x00000a00ff017b82 */\n                                                  /* 0x000fe20000000800 */\n.L_x_4:\n        /*0020*/              @P0 BRA `(.L_x_4) ;\n';
    const other =
      '        /*0150*/                   FFMA R9, R8, R7, R9 ;\n.L_x_1:\n        /*0160*/              @P3 BRA `(.L_x_1) ;\n';
    assert.equal(normalised(one, 'sass'), normalised(other, 'sass'));
    assert.match(normalised(one, 'sass'), /FFMA R, R, R, R ;/);
  });
});

describe('Facts of listings', () => {
  const inspection = (language: 'ptx' | 'sass', source: string, arch = 'sm_90'): Inspection => ({
    language,
    arch,
    compiler: 'nvcc 13.0.88',
    sourceHash: hashText(source),
    kernels: [
      {
        language,
        entry: 'gemm',
        mix: { total: 1, counts: {}, accesses: [] },
        loops: 0,
        loop: null,
        limits: [],
        comparison: null,
      },
    ],
  });

  it('are stored per text, kernel and architecture, preferring SASS', () => {
    const known = createInspections();
    assert.equal(known.of('a', 'gemm', 'sm_90'), undefined);
    known.add(inspection('sass', 'a'));
    known.add(inspection('ptx', 'a'));
    assert.equal(known.of('a', 'gemm', 'sm_90')?.language, 'sass');
    assert.equal(known.of('a', 'other', 'sm_90'), undefined);
    assert.equal(known.of('a', 'gemm', 'sm_80'), undefined);
    assert.equal(known.of('b', 'gemm', 'sm_90'), undefined);
  });

  it('describe the main loop and its compiler', () => {
    const [kernel] = inspection('ptx', 'a').kernels;
    assert.ok(kernel);
    const made = { ...inspection('ptx', 'a'), kernel };
    assert.equal(loopText(undefined), undefined);
    assert.equal(loopText(made), undefined, 'no loop that multiplies');
    const loop = {
      mix: kernel.mix,
      first: 0,
      last: 1,
      depth: 1,
      inner: 0,
      conditional: 0,
      multiplyAdds: 64,
      fmaPerSharedLoad: { value: 16, unit: 'FMA/load', from: 'compiler' },
      globalBytesPerFma: { value: 0.0625, unit: 'B/FMA', from: 'compiler' },
    } as const;
    assert.equal(
      loopText({ ...made, kernel: { ...kernel, loop } }),
      '16 FMAs per shared load, 0.0625 global bytes per FMA (PTX, nvcc 13.0.88, sm_90)',
    );
  });

  it('are evicted, oldest first', () => {
    const known = createInspections();
    for (let i = 0; i < 150; i++) known.add(inspection('ptx', String(i)));
    assert.equal(known.of('0', 'gemm', 'sm_90'), undefined);
    assert.ok(known.of('149', 'gemm', 'sm_90'));
  });
});

describe('Listing messages for the page', () => {
  const PTX = `.visible .entry kernel(
.param .u64 a
)
{
ld.global.f32 %f1, [%rd1];
$L1:
ld.shared.v4.f32 {%f2, %f3, %f4, %f5}, [%r1];
fma.rn.f32 %f6, %f2, %f3, %f6;
fma.rn.f32 %f7, %f4, %f5, %f7;
setp.lt.s32 %p1, %r2, %r3;
@%p1 bra $L1;
ret;
}
`;
  const made = inspect({
    source: 'text',
    listing: PTX,
    language: 'ptx',
    compiler: 'nvcc 13.0.88',
    arch: 'sm_90',
  });

  it('decode to instruction classes of kernel and loop, and ratios', () => {
    const [message] = inspectedMessages(made);
    assert.ok(message !== undefined);
    assert.deepEqual(decodeToWebview(JSON.parse(JSON.stringify(message))), { ok: true, message });
    assert.deepEqual(
      message.counts.find(({ kind }) => kind === 'fma'),
      { kind: 'fma', whole: 2, loop: 2 },
    );
    assert.deepEqual(
      message.counts.find(({ kind }) => kind === 'global-load'),
      { kind: 'global-load', whole: 1, loop: 0 },
    );
    assert.equal(message.loop?.fmaPerSharedLoad, 2);
    assert.equal(message.loop.sharedBytesPerFma, 8);
    assert.equal(message.loop.unrolled, null, 'no spec gives this text');
    assert.equal(message.sourceHash, hashText('text'));
  });

  it('report a missing loop and contain only JSON numbers', () => {
    const [message] = inspectedMessages({
      ...made,
      kernels: made.kernels.map(kernel => ({
        ...kernel,
        comparison: {
          unrolled: 1,
          rows: [{ kind: 'fma', compiled: 2, model: NaN, why: '' } as const],
        },
      })),
    });
    assert.deepEqual(message?.loop?.rows, [{ kind: 'fma', compiled: 2, model: null, why: '' }]);
    const [without] = inspectedMessages({
      ...made,
      kernels: made.kernels.map(kernel => ({ ...kernel, loop: null, comparison: null })),
    });
    assert.equal(without?.loop, null);
    assert.ok(without.counts.every(({ loop }) => loop === 0));
  });
});
