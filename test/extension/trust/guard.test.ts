/** The guard of Restricted Mode. */
import assert from 'node:assert/strict';
import { createGuard } from '../../../src/extension/trust/guard';

describe('the trust guard', () => {
  it('acts only in a trusted workspace and names the rejected action', async () => {
    let trusted = false;
    const refused: string[] = [];
    const guard = createGuard(
      () => trusted,
      message => refused.push(message),
    );
    let acted = 0;
    const act = (): Promise<number> => Promise.resolve(++acted);
    assert.equal(await guard('Running', act), undefined);
    assert.equal(acted, 0);
    assert.match(refused[0] ?? '', /^Running requires a trusted workspace/);
    trusted = true;
    assert.equal(await guard('Running', act), 1);
    assert.equal(refused.length, 1);
  });
});
