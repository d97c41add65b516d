/**
 * Positive controls: a deliberate command, request, write and process, each of which its observer
 * has to see.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { until } from '../../scripts/host/until';
import { commandUri } from './corpus/entry';
import { clickLive, readNotifications } from './drive/screen';
import { observed, shimNotes } from './observe';
import type { Hostile } from './session';
import { executed, hookNotes } from './watch/processes';
import { changes, snapshot } from './watch/writes';

export function describeControls(hostile: () => Hostile): void {
  it('would have seen a command from a notification', async () => {
    const { screen, observers } = hostile();
    const before = screen.live.length;
    await screen.ask('control', { kind: 'notification', text: `[x](${commandUri('control')})` });
    await readNotifications(screen);
    await until('the control command', () =>
      Promise.resolve(observed(observers).commands.includes('"control"') ? true : undefined),
    );
    assert.equal(screen.live.length, before + 1);
  }).retries(2);

  it('would have seen a request and a link of a hover', async () => {
    const { screen, observers } = hostile();
    const before = screen.live.length;
    const { authority } = observers.listener;
    const text = `![p](https://${authority}/hover.png) [x](http://${authority}/link)`;
    await screen.ask('control', { kind: 'hover', text });
    await screen.ask('hover', { line: 0, character: 2 });
    await screen.page.locator('.monaco-hover:not(.hidden) img').waitFor();
    await until('the request of the hover', () =>
      Promise.resolve(
        observed(observers).requests.some(line => line.startsWith('listener')) ? true : undefined,
      ),
    );
    await clickLive(screen, 'hover');
    assert.ok(screen.live.length > before);
    assert.ok(observed(observers).requests.some(line => line.startsWith('browser')));
  });

  it('would have seen a request of the extension host', async () => {
    const { screen, observers, place } = hostile();
    const url = `http://${observers.listener.authority}/extension-host`;
    await screen.ask('control', { kind: 'request', url });
    assert.ok(observed(observers).requests.some(line => line.includes('/extension-host')));
    assert.ok(hookNotes(place.records).some(({ kind }) => kind === 'connection'));
  });

  it('would have seen writes in the workspace and outside of it', async () => {
    const { screen, place } = hostile();
    for (const file of [join(place.workspace, 'control'), join(place.outside, 'canary')]) {
      const before = await snapshot(place.root, [place.temporary]);
      await screen.ask('control', { kind: 'write', file });
      const after = await snapshot(place.root, [place.temporary]);
      assert.deepEqual(changes(before, after), [file.slice(place.root.length + 1)]);
    }
  });

  it('would have seen a program of PATH and one of the workspace', async () => {
    const { screen, place, observers } = hostile();
    await screen.ask('control', { kind: 'process', program: 'nvcc' });
    assert.ok(shimNotes(place).includes('nvcc control'));
    const program = join(place.workspace, 'bin', 'nvcc');
    await screen.ask('control', { kind: 'process', program });
    const noted = hookNotes(place.records).filter(({ kind }) => kind === 'process');
    assert.ok(noted.some(({ what }) => what.startsWith(program)));
    if (observers.trace === undefined) return;
    assert.ok(executed(observers.trace).some(call => call.program === program));
    assert.ok(observed(observers).foreignPrograms.some(line => line.includes(program)));
  });
}
