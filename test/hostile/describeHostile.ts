/** The tests of one mode: the corpus is opened, hovered, run and clicked through in one window. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeControls } from './controls';
import type { HostileFile, Traps } from './corpus/entry';
import { seeded } from './corpus/random';
import { actOnRuns, lookAtRuns } from './drive/runsView';
import { outputFolder, takeTurn } from './drive/turns';
import { act, hasEditor, look } from './drive/visit';
import { observed, shimNotes } from './observe';
import { keep } from './record';
import { openHostile, type Hostile, type Trust } from './session';
import { changes, snapshot, type Snapshot } from './watch/writes';

/**
 * Where files of ours may be written in a trusted workspace: the default output folder is `gemm`, a
 * report has its own.
 */
const WRITABLE = ['.gemm', 'gemm', 'gemm-report'];
const MOST_RUNS = 80;
/** Files after which the record is written anew: a session that is stopped has one too. */
const RECORD_EVERY = 20;
const IS_RECORDED = process.env['GEMM_RECORD'] !== undefined;
/**
 * Number of files that are opened, and of those whose commands run. Every run draws other files of
 * a larger corpus, because each file takes seconds. A recorded corpus takes all files.
 */
const MOST_OPENED = IS_RECORDED ? Infinity : 16;
const MOST_ACTED = IS_RECORDED ? Infinity : 6;

/** Returns up to `most` files in their order. The same seed draws the same files. */
function drawn(files: readonly HostileFile[], most: number, seed: number): readonly HostileFile[] {
  const draw = seeded(seed);
  const left = [...files];
  while (left.length > most) left.splice(draw.below(left.length), 1);
  return left;
}

export function describeHostile(
  trust: Trust,
  filesOf: (traps: Traps) => readonly HostileFile[],
  timeoutMs: number,
): void {
  const all = filesOf({ authority: '127.0.0.1:9', canaries: '/tmp' }).length;
  const mode = trust === 'trusted' ? 'a trusted folder' : 'Restricted Mode';

  describe(`a malicious workspace of ${all} files in ${mode}`, function () {
    this.timeout(timeoutMs);
    let hostile: Hostile;
    let last: Snapshot;
    const acts = { commands: 0 };
    const foreignWrites: string[] = [];
    const writes: string[] = [];
    const [began, seen] = [performance.now(), { opened: 0, acted: 0, runs: 0, passive: 0 }];

    const taken = (): Promise<Snapshot> => snapshot(hostile.place.root, [hostile.place.temporary]);
    /** Notes what was written since the last look; `allowed` are folders of the workspace. */
    const noteWrites = async (allowed: readonly string[]): Promise<void> => {
      const after = await taken();
      /** In an allowed folder, or a folder on the way to one. */
      const inside = (path: string): boolean =>
        allowed
          .map(folder => `place/workspace/${folder}/`)
          .some(folder => `${path}/`.startsWith(folder) || folder.startsWith(`${path}/`));
      for (const path of changes(last, after)) (inside(path) ? writes : foreignWrites).push(path);
      last = after;
    };
    const count = (): void => {
      const { observers, screen } = hostile;
      const seenBy = observed(observers);
      keep(trust, {
        files: all,
        opened: seen.opened,
        acted: seen.acted,
        hovers: screen.counts.hovers,
        runs: seen.runs,
        commands: acts.commands,
        clicks: screen.counts.clicks,
        notifications: screen.counts.notifications,
        processesBeforeAnAction: seen.passive,
        processes: seenBy.processes.length,
        workers: seenBy.workers.length,
        programs: seenBy.otherPrograms,
        foreignPrograms: seenBy.foreignPrograms,
        writes: [...new Set(writes)],
        foreignWrites,
        commandsFromText: seenBy.commands,
        requests: seenBy.requests,
        live: screen.live,
        traced: observers.trace !== undefined,
        seconds: Math.round((performance.now() - began) / 1000),
      });
    };
    const may = trust === 'trusted' ? WRITABLE : [];

    before(async () => {
      hostile = await openHostile(trust, filesOf);
      last = await taken();
    });
    afterEach(async function () {
      if (this.currentTest?.state === 'failed')
        await hostile.host.page.screenshot({
          path: join('out', 'screenshots', `hostile-${trust}.png`),
        });
    });
    after(async () => {
      await hostile.close();
    });

    const seed = randomInt(2 ** 31);
    it(`opens the files of seed ${seed} with their hovers, and starts and writes nothing`, async () => {
      const { screen, files, observers } = hostile;
      for (const file of drawn(files.filter(hasEditor), MOST_OPENED, seed))
        if (await look(screen, file)) seen.opened += 1;
      await noteWrites([]);
      const { processes, workers } = observed(observers);
      seen.passive = processes.length + workers.length;
      assert.ok(seen.opened > 0);
      assert.deepEqual([...processes, ...workers], []);
      assert.deepEqual(foreignWrites, []);
    });

    it(`ends every command on the files of seed ${seed}`, async () => {
      const { screen, files } = hostile;
      for (const [index, file] of drawn(files.filter(hasEditor), MOST_ACTED, seed).entries()) {
        await act(screen, file, index, acts);
        seen.acted += 1;
        if (index % RECORD_EVERY === 0) count();
      }
      assert.ok(acts.commands > 0);
      await noteWrites(may);
    });

    it('shows every run and its tooltip', async () => {
      seen.runs = await lookAtRuns(hostile.screen, MOST_RUNS);
      await actOnRuns(hostile.screen, acts);
      assert.ok(seen.runs > 0);
      await noteWrites(may);
    });

    it('takes every settings and tasks file in its turn', async () => {
      const { screen, files, place } = hostile;
      for (const file of files.filter(({ turn }) => turn === true)) {
        await takeTurn(screen, place, file, acts);
        const own = outputFolder(place.workspace, file);
        await noteWrites([
          '.vscode',
          ...may,
          ...(own === undefined || trust === 'restricted' ? [] : [own]),
        ]);
      }
    });

    it('started no program of the workspace, and none without trust', () => {
      const { processes, workers, foreignPrograms } = observed(hostile.observers);
      assert.deepEqual(foreignPrograms, []);
      if (trust === 'restricted')
        assert.deepEqual([...processes, ...workers, ...shimNotes(hostile.place)], []);
      else assert.ok(processes.length > 0, 'a trusted folder runs programs when asked to');
    });

    it('wrote nothing outside of .gemm and the output folder', () => {
      assert.deepEqual(foreignWrites, []);
      if (trust === 'restricted')
        assert.deepEqual(
          writes.filter(path => !path.startsWith('place/workspace/.vscode')),
          [],
        );
      assert.equal(readFileSync(join(hostile.place.outside, 'canary'), 'utf8'), 'untouched');
    });

    it('ran no command from the text of a file, and shows no live link or image', () => {
      const { commands } = observed(hostile.observers);
      count();
      assert.deepEqual(commands, []);
      assert.deepEqual(hostile.screen.live, []);
    });

    it('asked nothing of another machine', () => {
      assert.deepEqual(observed(hostile.observers).requests, []);
    });

    describeControls(() => hostile);
  });
}
