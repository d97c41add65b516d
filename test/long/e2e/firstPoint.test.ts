/** From the palette to a measured point by keyboard, on a machine without CUDA. */
import assert from 'node:assert/strict';
import { walkToFirstPoint } from '../../../scripts/demo/firstPoint';
import { webviewFrame } from '../../../scripts/vscodeHost';
import { openVscode } from '../../e2e/session';

describe('the first measured point', () => {
  const session = openVscode({
    prepare: () => Promise.resolve({ CUDA_PATH: '', CUDA_HOME: '' }),
  });

  it('takes at most 12 keys after the command is chosen', async () => {
    const { page, picture } = session();
    const { keys, result } = await walkToFirstPoint(page);
    await picture('first point');
    assert.match(result, /Correct, [\d.]+ [GT]FLOP\/s/);
    assert.ok(keys.length <= 12, keys.join(' '));
    const frame = await webviewFrame(page, '#results');
    assert.match(await frame.locator('#results').innerText(), /[\d.]+ [GT]FLOP\/s/);
  });
});
