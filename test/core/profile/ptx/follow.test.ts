/**
 * What a warp asks of memory, from PTX: branches that part lanes, data that decides nothing, and
 * limits.
 */
import assert from 'node:assert/strict';
import { readPtx } from '../../../../src/core/profile/listing/ptx';
import {
  traceWarps,
  sampleBlocks,
  type FollowOptions,
} from '../../../../src/core/profile/ptx/traceWarps';
import { resolve } from '../../../../src/core/defaults/resolve';

const { problem } = resolve({ version: 1, problem: { m: 64, n: 64, k: 8 } });
const ONE = { x: 1, y: 1, z: 1 };

/**
 * A kernel f(A, k) whose body is given; \`%rd1\` holds A, \`%r1\` the lane, \`%rd2\` A and 4 bytes
 * a lane.
 */
const kernel = (body: string): string => `.version 9.0
.target sm_90
.address_size 64
.visible .entry f(
	.param .u64 f_param_0,
	.param .u32 f_param_1
)
{
	.reg .pred %p<9>;
	.shared .align 4 .b8 tile[4096];
	ld.param.u64 %rd9, [f_param_0];
	cvta.to.global.u64 %rd1, %rd9;
	ld.param.u32 %r9, [f_param_1];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd2, %rd1, %rd3;
${body}
	ret;
}
`;

function traceOf(
  body: string,
  { threads = 32, ...options }: FollowOptions & { threads?: number } = {},
) {
  const text = kernel(body);
  const [listing] = readPtx(text);
  assert.ok(listing);
  const launch = {
    entry: 'f',
    grid: ONE,
    block: { x: threads, y: 1, z: 1 },
    dynamicSharedBytes: 0,
    arguments: ['a', 'k'] as const,
  };
  const trace = traceWarps({ text, listing, launch, problem }, options);
  const requests = trace.traced.map(({ space, access, target, tally }) => {
    const shapes = tally.all().map(({ lanes, times, addresses }) => ({
      lanes,
      times,
      taking: [...addresses].flatMap((address, lane) => (Number.isNaN(address) ? [] : [lane])),
    }));
    return { what: `${space} ${access.op} ${target ?? '?'}`, bytes: access.bytes, shapes };
  });
  return { ...trace, requests };
}

const counts = ({ requests }: ReturnType<typeof traceOf>) =>
  requests.map(({ what, shapes }) => [what, shapes.map(({ lanes, times }) => [lanes, times])]);

describe('A warp followed through PTX', () => {
  it('goes round a loop as often as an argument says', () => {
    const trace = traceOf(`	mov.u32 %r2, 0;
$L1:
	ld.global.f32 %f1, [%rd2];
	add.s64 %rd2, %rd2, 128;
	add.s32 %r2, %r2, 1;
	setp.lt.s32 %p1, %r2, %r9;
	@%p1 bra $L1;`);
    assert.deepEqual(counts(trace), [['global load a', [[32, 8]]]]);
    assert.deepEqual([trace.unknown.size, trace.undecided.size, trace.cut], [0, 0, 0]);
  });

  it('parts lanes at a branch and brings them together after it', () => {
    const trace = traceOf(`	setp.lt.u32 %p1, %r1, 12;
	@%p1 bra $L1;
	ld.global.f32 %f1, [%rd2];
	bra.uni $L2;
$L1:
	ld.global.v2.f32 {%f1, %f2}, [%rd2];
$L2:
	st.global.f32 [%rd2], %f1;`);
    assert.deepEqual(
      trace.requests.map(({ what, bytes, shapes }) => [
        what,
        bytes,
        shapes.map(({ taking }) => taking.length),
      ]),
      [
        ['global load a', 8, [12]],
        ['global load a', 4, [20]],
        ['global store a', 4, [32]],
      ],
    );
  });

  it('waits for lanes that go round a loop more often', () => {
    const trace = traceOf(`	mov.u32 %r2, 0;
$L1:
	ld.global.f32 %f1, [%rd2];
	add.s32 %r2, %r2, 8;
	setp.le.u32 %p1, %r2, %r1;
	@%p1 bra $L1;
	st.global.f32 [%rd2], %f1;`);
    assert.deepEqual(counts(trace), [
      [
        'global load a',
        [
          [32, 1],
          [24, 1],
          [16, 1],
          [8, 1],
        ],
      ],
      ['global store a', [[32, 1]]],
    ]);
  });

  it('ends lanes that return, and has no others in the last warp', () => {
    const trace = traceOf(
      `	setp.ge.u32 %p1, %r1, 40;
	@%p1 ret;
	ld.global.f32 %f1, [%rd2];`,
      { threads: 48 },
    );
    assert.deepEqual(counts(trace), [
      [
        'global load a',
        [
          [32, 1],
          [8, 1],
        ],
      ],
    ]);
    const all = traceOf('	ld.global.f32 %f1, [%rd2];', { threads: 48 });
    assert.deepEqual(counts(all), [
      [
        'global load a',
        [
          [32, 1],
          [16, 1],
        ],
      ],
    ]);
  });

  it('guesses no way of a branch that depends on data, and goes on behind it', () => {
    const trace = traceOf(`	ld.global.f32 %f1, [%rd2];
	mov.u32 %r3, 0;
	setp.gt.f32 %p1, %f1, 0f00000000;
	@%p1 bra $L1;
	mov.u32 %r3, 4;
	st.global.f32 [%rd2+256], %f1;
$L1:
	cvt.u64.u32 %rd4, %r3;
	add.s64 %rd5, %rd2, %rd4;
	st.global.f32 [%rd5], %f1;
	st.global.f32 [%rd2], %f1;`);
    assert.deepEqual(counts(trace), [
      ['global load a', [[32, 1]]],
      ['global store a', [[32, 1]]],
    ]);
    const { instructions } = readPtx(kernel('')).at(0) ?? { instructions: [] };
    assert.ok(instructions.length > 0);
    // The branch; the store under it, and that whose address it decides.
    assert.equal(trace.undecided.size, 1);
    assert.equal(trace.unknown.size >= 2, true);
  });

  it('prices no address that comes from memory', () => {
    const trace = traceOf(`	ld.global.u32 %r3, [%rd2];
	mul.wide.u32 %rd4, %r3, 4;
	add.s64 %rd5, %rd1, %rd4;
	ld.global.f32 %f1, [%rd5];
	@%p2 ld.global.f32 %f1, [%rd2];`);
    assert.deepEqual(counts(trace), [['global load a', [[32, 1]]]]);
    assert.equal(trace.unknown.size, 2);
  });

  it('knows generic addresses, arrays, copies past registers and rows of matrices', () => {
    const trace = traceOf(`	mov.u32 %r2, tile;
	cvt.u64.u32 %rd4, %r2;
	cvta.shared.u64 %rd5, %rd4;
	add.s64 %rd6, %rd5, %rd3;
	st.f32 [%rd6], %f1;
	ld.f32 %f2, [%rd2];
	shl.b32 %r3, %r1, 4;
	add.s32 %r4, %r2, %r3;
	mul.wide.u32 %rd7, %r1, 16;
	add.s64 %rd8, %rd1, %rd7;
	cp.async.cg.shared.global [%r4], [%rd8], 16;
	ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r4];`);
    assert.deepEqual(
      trace.requests.map(({ what, bytes, shapes }) => [what, bytes, shapes[0]?.lanes]),
      [
        ['shared store tile', 4, 32],
        ['global load a', 4, 32],
        ['global load a', 16, 32],
        ['shared store tile', 16, 32],
        ['shared load tile', 16, 16],
      ],
    );
  });

  it('stops at a limit, both sides of it, and says so', () => {
    const body = `	mov.u32 %r2, 0;
$L1:
	ld.global.f32 %f1, [%rd2];
	add.s32 %r2, %r2, 1;
	setp.lt.s32 %p1, %r2, 1000;
	@%p1 bra $L1;`;
    const whole = traceOf(body);
    assert.equal(whole.cut, 0);
    const exact = traceOf(body, { mostSteps: whole.steps });
    assert.equal(exact.cut, 0);
    const cut = traceOf(body, { mostSteps: whole.steps - 1 });
    assert.deepEqual([cut.cut, cut.steps], [1, whole.steps - 1]);
    const early = traceOf(body, { mostSteps: 100 });
    assert.equal(early.cut, 1);
    assert.ok((early.requests[0]?.shapes[0]?.times ?? 0) < 30);
  });

  it('ends where a kernel never does', () => {
    const trace = traceOf('$L1:\n	st.global.f32 [%rd2], %f1;\n	bra.uni $L1;', { mostSteps: 5000 });
    assert.equal(trace.cut, 1);
  });

  it('takes blocks away from the last row and column of the grid', () => {
    assert.deepEqual(sampleBlocks(ONE), [{ x: 0, y: 0, z: 0 }]);
    for (const x of [2, 3, 4, 9, 100]) {
      const blocks = sampleBlocks({ x, y: 5, z: 1 });
      assert.ok(
        blocks.every(block => block.x < x - 1 && block.y < 4),
        JSON.stringify(blocks),
      );
    }
  });
});
