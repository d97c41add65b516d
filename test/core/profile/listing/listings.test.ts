/**
 * Reading PTX and SASS: instructions, loops, source lines; truncated texts and texts that are not
 * listings.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { factsOf, type ListingFacts } from '../../../../src/core/profile/listing/facts';
import { plainListing } from '../../../../src/core/profile/listing/plainListing';
import { readPtx } from '../../../../src/core/profile/listing/ptx';
import { readSass } from '../../../../src/core/profile/listing/sass';

const PTX = `//
.version 9.0
.target sm_90
.visible .entry other(
	.param .u64 other_param_0
);
.visible .entry _Z4gemmPf(
	.param .u64 _Z4gemmPf_param_0
)
.maxntid 256, 1, 1
{
	.reg .pred 	%p<6>;
	.loc	1 3 0
	ld.param.u64 	%rd1, [_Z4gemmPf_param_0];
	@%p1 bra 	$L__BB0_4;

$L__BB0_1:
	.loc	1 5 3
	cp.async.cg.shared.global [%r28], [%rd20], 16, 16;
	cp.async.commit_group;
	bar.sync 	0;
	@%p2 bra 	$L__BB0_3;
	.loc	2 70 9, function_name $L__info_string0, inlined_at 1 6 5
	.loc	3 290 5, function_name $L__info_string1, inlined_at 2 70 9
	ld.global.nc.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd2];
	st.shared.v4.f32 	[%r1], {%f1, %f2, %f3, %f4};

$L__BB0_3:
	.loc	1 8 3
	ld.shared.v4.f32 	{%f5, %f6, %f7, %f8}, [%r2+16];
	ld.shared.f32 	%f9, [%r2];
	fma.rn.f32 	%f10, %f5, %f9, %f10;
	fma.rn.f32 	%f11, %f6, %f9, %f11;
	{fma.rn.f16x2 %r10,%r11,%r12,%r13;
}
	cvt.f32.f16 	%f12, %rs1;
	mul.f32 	%f13, %f12, %f12;
	setp.lt.s32 	%p3, %r4, %r5;
	@%p3 bra 	$L__BB0_1;
	bra.uni 	$L__BB0_4;

$L__BB0_4:
	{
	.reg .pred P1;
	LAB_WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 P1, [%r6], %r7;
	@P1 bra DONE;
	bra LAB_WAIT;
	DONE:
	}
	st.global.f32 	[%rd29], %f10;
	ret;
}
	.file	1 "/tmp/build/kernel.cu"
	.file	2 "/usr/include/pipeline.h"
	.file	3 "/usr/include/helpers.h"
	.section	.debug_str
{
$L__info_string0:
.b8 95,90,0
}
`;

const SASS = `	code for sm_90
		Function : _Z4gemmPf
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                      /* 0x00000a00ff017b82 */
                                                                             /* 0x000fe20000000800 */
        /*0010*/              @!P0 BRA 0x90 ;
        /*0020*/                   LDGSTS.E.BYPASS.128 [R3], desc[UR8][R4.64] ;
        /*0030*/                   LDS.128 R8, [R2+0x10] ;
        /*0040*/                   LDS R12, [R2] ;
        /*0050*/                   FFMA R20, R8, R12.reuse, R20 ;
        /*0060*/                   FFMA R21, R9, R12, R21 ;
        /*0070*/                   HFMA2.MMA R22, R9, R12, R22 ;
        /*0080*/               @P1 BRA 0x20 ;
        /*0090*/                   STG.E desc[UR8][R4.64], R20 ;
        /*00a0*/                   EXIT ;
        /*00b0*/                   BRA 0xb0;
        /*00c0*/                   NOP;
`;

const NVDISASM = `.text._Z4gemmPf:
	//## File "/usr/include/helpers.h", line 290 inlined at "/tmp/b/kernel.cu", line 6
	//## File "/tmp/b/kernel.cu", line 6
        /*0000*/                   S2R R0, SR_TID.X ;
.L_x_1:
	//## File "/tmp/b/kernel.cu", line 8
        /*0010*/                   LDS.64 R8, [R0] ;
        /*0020*/                   FFMA R2, R8, R9, R2 ;
        /*0030*/               @P0 BRA \`(.L_x_1) ;
        /*0040*/                   EXIT ;
.L_x_2:
        /*0050*/                   BRA \`(.L_x_2);
`;

function only(facts: readonly ListingFacts[]): ListingFacts {
  const [first] = facts;
  assert.ok(first !== undefined && facts.length === 1);
  return first;
}

describe('PTX', () => {
  it('is counted by instruction class, with the main loop separate', () => {
    const { entry, mix, loop, loops, limits } = only(readPtx(PTX).map(of => factsOf(of)));
    assert.equal(entry, 'gemm');
    assert.deepEqual(limits, []);
    assert.equal(loops, 2, 'the wait of inline assembly is one too');
    assert.deepEqual(mix.counts, {
      fma: 3,
      arithmetic: 1,
      integer: 2,
      conversion: 1,
      'shared-load': 2,
      'shared-store': 1,
      'global-load': 1,
      'global-store': 1,
      'async-copy': 1,
      barrier: 3,
      branch: 7,
    });
    assert.ok(loop !== null);
    assert.equal(loop.multiplyAdds, 4, 'a packed one counts for two');
    assert.deepEqual(loop.fmaPerSharedLoad, { value: 1.5, unit: 'FMA/load', from: 'compiler' });
    assert.deepEqual(loop.sharedBytesPerFma, { value: 5, unit: 'B/FMA', from: 'compiler' });
    assert.deepEqual(loop.globalBytesPerFma, { value: 8, unit: 'B/FMA', from: 'compiler' });
    assert.equal(loop.conditional, 2, 'what a branch in the loop jumps over');
    assert.deepEqual(loop.mix.accesses, [
      { kind: 'shared-load', widthBytes: 16, count: 1 },
      { kind: 'shared-load', widthBytes: 4, count: 1 },
      { kind: 'shared-store', widthBytes: 16, count: 1 },
      { kind: 'global-load', widthBytes: 16, count: 1 },
      { kind: 'async-copy', widthBytes: 16, count: 1 },
    ]);
  });

  it('is read without line information, which maps lines to the source', () => {
    const { text, sources } = plainListing(PTX, 'ptx', 'kernel.cu');
    assert.doesNotMatch(text, /\.loc|\.file|\.section|info_string/);
    const lines = text.split('\n');
    assert.equal(sources.length, lines.length);
    const from = (part: string): readonly number[] | undefined =>
      sources[lines.findIndex(line => line.includes(part))];
    assert.deepEqual(from('ld.param'), [2]);
    assert.deepEqual(
      from('ld.global.nc'),
      [5],
      'an inlined helper of another file: where it was called',
    );
    assert.deepEqual(from('fma.rn.f32'), [7]);
    assert.deepEqual(from('$L__BB0_3:'), []);
    assert.equal(factsOf(readPtx(text)[0]!).loop?.multiplyAdds, 4, 'the same kernel');
  });

  it('reports truncation, and counts the rest', () => {
    for (let cut = PTX.indexOf('ld.param'); cut < PTX.indexOf('ret;'); cut += 7) {
      const facts = only(readPtx(PTX.slice(0, cut)).map(of => factsOf(of)));
      assert.match(facts.limits.join(' '), /truncated/);
    }
  });

  it('has no main loop without FMAs', () => {
    const { loop, limits } = only(
      readPtx(PTX.replaceAll('fma.rn', 'add.rn')).map(of => factsOf(of)),
    );
    assert.equal(loop, null);
    assert.match(limits.join(' '), /No loop contains FMAs/);
  });
});

describe('a listing of a kernel with unknown types', () => {
  const loop = (body: string): string => `.visible .entry gemm(.param .u64 p)
{
	ld.param.u32 %r1, [p];
	ld.param.u32 %r2, [p+4];
$L__BB0_1:
${body}
	@%p1 bra $L__BB0_1;
	ret;
}
`;
  const factsIn = (body: string): ListingFacts => only(readPtx(loop(body)).map(of => factsOf(of)));

  it('counts products of loaded integers of 32 or 8 bits', () => {
    const words = factsIn(`	ld.shared.v2.u32 {%r3, %r4}, [%r1];
	ld.shared.u32 %r5, [%r2+64];
	mad.lo.s32 %r9, %r3, %r5, %r9;
	mad.lo.s32 %r9, %r4, %r5, %r9;
	mad.lo.s32 %r1, %r2, %r6, %r7;`);
    assert.equal(words.loop?.multiplyAdds, 2, 'the third computes an address');
    assert.equal(words.loop.fmaPerSharedLoad?.value, 1);
    const bytes = factsIn(`	ld.global.u8 %rs1, [%rd1];
	cvt.s32.s8 %r3, %rs1;
	ld.global.s8 %r4, [%rd2];
	mad.lo.s32 %r9, %r4, %r3, %r9;`);
    assert.equal(bytes.loop?.multiplyAdds, 1);
    assert.match(bytes.limits.join(' '), /IMAD\) of two loaded values are counted as GEMM work/);
  });

  it('counts no products with an index, and only floats if present', () => {
    const address = factsIn(`	ld.global.u32 %r3, [%rd1];
	mad.lo.s32 %r4, %r3, %r2, %r9;
	st.global.u32 [%rd2], %r4;`);
    assert.equal(address.loop, null);
    assert.match(address.limits.join(' '), /No loop contains FMAs/);
    const floats = factsIn(`	ld.shared.u32 %r3, [%r1];
	ld.shared.f32 %f1, [%r2];
	mad.lo.s32 %r4, %r3, %r3, %r9;
	fma.rn.f32 %f2, %f1, %f1, %f2;`);
    assert.equal(floats.loop?.multiplyAdds, 1);
    assert.deepEqual(floats.limits, []);
  });

  it('is read in SASS too, where wide loads write consecutive registers', () => {
    const text = SASS.replaceAll(/FFMA|HFMA2\.MMA/g, 'IMAD');
    const facts = only(readSass(text).map(of => factsOf(of)));
    assert.equal(facts.loop?.multiplyAdds, 3, 'of R8 and R9, which LDS.128 filled');
  });
});

describe('SASS', () => {
  it('is counted from cuobjdump output', () => {
    const { entry, loop, mix } = only(readSass(SASS).map(of => factsOf(of)));
    assert.equal(entry, 'gemm');
    assert.equal(loop?.multiplyAdds, 4);
    assert.equal(loop.fmaPerSharedLoad?.value, 1.5);
    assert.equal(loop.sharedBytesPerFma?.value, 5);
    assert.deepEqual(mix.counts, {
      fma: 3,
      integer: 1,
      'shared-load': 2,
      'global-store': 1,
      'async-copy': 1,
      branch: 4,
      other: 1,
    });
  });

  it('has source lines from nvdisasm, including inlined calls', () => {
    const [listing] = readSass(NVDISASM);
    assert.equal(listing?.instructions[0]?.from.length, 2);
    assert.equal(factsOf(listing).loop?.multiplyAdds, 1);
    const { text, sources } = plainListing(NVDISASM, 'sass', 'kernel.cu');
    assert.doesNotMatch(text, /\/\/##/);
    const lines = text.split('\n');
    assert.deepEqual(sources[lines.findIndex(line => line.includes('S2R'))], [5]);
    assert.deepEqual(sources[lines.findIndex(line => line.includes('FFMA'))], [7]);
  });
});

describe('Texts that are not listings', () => {
  it('never make a reader throw', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.nat(PTX.length),
        fc.nat(SASS.length),
        (noise, one, other) => {
          const text = PTX.slice(one) + noise + PTX.slice(0, one) + SASS.slice(other) + NVDISASM;
          for (const listing of [...readPtx(text), ...readSass(text)]) {
            const { mix, loop } = factsOf(listing);
            assert.ok(mix.total === listing.instructions.length);
            assert.ok(loop === null || (loop.first >= 0 && loop.last >= loop.first));
          }
          const { text: plain, sources } = plainListing(text, 'ptx', 'kernel.cu');
          assert.equal(plain.split('\n').length, Math.max(1, sources.length));
        },
      ),
    );
  });

  it('take time linear in the text', () => {
    const blocks = Array.from(
      { length: 20_000 },
      (_, i) => `$L_${i}:\n\tfma.rn.f32 %f1, %f1, %f1, %f1;\n\t@%p1 bra $L_${i};`,
    );
    const ptx = `.entry k(\n)\n{\n${blocks.join('\n')}\n\tret;\n}\n`;
    assert.equal(only(readPtx(ptx).map(of => factsOf(of))).loops, 20_000);
  });
});
