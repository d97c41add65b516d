/** Settings of the manifest. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { SETTING_DEFAULTS } from '../../../src/extension/ids';

describe('settings', () => {
  it('are all read by the code', () => {
    const folder = 'src/extension';
    const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts') && name !== 'ids.ts')
      .map(name => readFileSync(path.join(folder, name), 'utf8'))
      .join('\n');
    for (const name of Object.keys(SETTING_DEFAULTS)) {
      assert.match(code, new RegExp(`(read|text|seconds)\\('${name.replace('.', '\\.')}'`), name);
    }
  });
});
