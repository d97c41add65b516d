/** Edits of the epilogue in the form: paths with indices, and order of the operations. */
import assert from 'node:assert/strict';
import type { EpilogueOps } from '../../src/core/spec/epilogue';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import { applyChanges, valueAt, type Changes } from '../../webview/edit';
import { added, EPILOGUE, moved, newOp, OP_NAMES, opHelp } from '../../webview/epilogueEdits';

const specWith = (epilogue?: EpilogueOps): GemmSpec => ({
  problem: { m: 64, n: 96, k: 32, ...(epilogue === undefined ? {} : { epilogue }) },
});
const after = (spec: GemmSpec, changes: Changes) => {
  const decoded = applyChanges(spec, resolve(spec), changes);
  return decoded.ok ? decoded.spec.problem : decoded.errors;
};
const FUSED: EpilogueOps = [{ op: 'bias', along: 'n' }, { op: 'gelu' }, { op: 'residual' }];

describe('edits of an epilogue', () => {
  it('read and set a field of an operation by its index', () => {
    const spec = specWith(FUSED);
    assert.equal(valueAt(spec, `${EPILOGUE}.0.along`), 'n');
    assert.equal(valueAt(spec, `${EPILOGUE}.3.op`), undefined);
    assert.equal(valueAt(spec, `${EPILOGUE}.length.op`), undefined);
    const { epilogue } = after(spec, { [`${EPILOGUE}.2.ld`]: 128 }) as GemmSpec['problem'];
    assert.deepEqual(epilogue, [FUSED[0], FUSED[1], { op: 'residual', ld: 128 }]);
    assert.deepEqual(FUSED[2], { op: 'residual' });
  });

  it('remove a field, an operation, and the last operation with the list', () => {
    const spec = specWith([{ op: 'scale', along: 'm' }, { op: 'silu' }]);
    assert.deepEqual(after(spec, { [`${EPILOGUE}.0.along`]: undefined }), {
      ...spec.problem,
      epilogue: [{ op: 'scale' }, { op: 'silu' }],
    });
    assert.deepEqual(after(spec, { [`${EPILOGUE}.0`]: undefined }), {
      ...spec.problem,
      epilogue: [{ op: 'silu' }],
    });
    const only = specWith([{ op: 'silu' }]);
    assert.deepEqual(after(only, { [`${EPILOGUE}.0`]: undefined }), specWith().problem);
  });

  it('replace an operation, without the fields of the former one', () => {
    for (const op of OP_NAMES) {
      const problem = after(specWith(FUSED), { [`${EPILOGUE}.0`]: newOp(op) });
      assert.deepEqual(valueAt({ problem }, `${EPILOGUE}.0`), newOp(op));
      assert.ok(opHelp(op).length <= 60);
    }
  });

  it('report a field that the operation does not have, at its path', () => {
    assert.deepEqual(after(specWith(FUSED), { [`${EPILOGUE}.1.ld`]: 8 }), [
      {
        path: `${EPILOGUE}.1.ld`,
        message: 'Unknown field ld. Known: op.',
        rule: 'strict_object',
      },
    ]);
  });

  it('add an operation at the end, and a gate at the start', () => {
    assert.deepEqual(added(FUSED, { op: 'silu' }), [...FUSED, { op: 'silu' }]);
    assert.deepEqual(added(FUSED, newOp('gate')), [{ op: 'gate' }, ...FUSED]);
  });

  it('move an operation by one place, and none past an end', () => {
    assert.deepEqual(moved(['a', 'b', 'c'], 1, -1), ['b', 'a', 'c']);
    assert.deepEqual(moved(['a', 'b', 'c'], 1, 1), ['a', 'c', 'b']);
    assert.deepEqual(moved(['a', 'b'], 0, -1), ['a', 'b']);
    assert.deepEqual(moved(['a', 'b'], 1, 1), ['a', 'b']);
    assert.deepEqual(moved([], 0, 1), []);
  });
});
