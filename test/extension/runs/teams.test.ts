/** Groups of runs from several machines and authors. */
import assert from 'node:assert/strict';
import {
  branchesOf,
  filterRuns,
  foldBranches,
  groupRuns,
} from '../../../src/extension/runs/groups';
import { factsOf } from '../../../src/extension/runs/runText';
import { kept, measured, timing } from './stored';

const other = { ...measured(16).device, name: 'NVIDIA A10' };

describe('groups of runs of a team', () => {
  it('are sorted by author, commit, and machine where several have one device', () => {
    const by = (machine: string, author?: string, commit?: string, dirty = false) => {
      const named = author === undefined ? {} : { author };
      return { origin: { machine, ...named, ...(commit === undefined ? {} : { commit, dirty }) } };
    };
    const hash = '0123456789abcdef'.repeat(3).slice(0, 40);
    const team = kept(
      measured(8),
      measured(16, by('m1', 'Ada', hash)),
      measured(32, by('m2', 'Lin', hash, true)),
      measured(16, { device: other, ...by('m2') }),
    );
    const names = (group: 'author' | 'commit' | 'machine') =>
      groupRuns(team, group).map(({ name }) => name);
    assert.deepEqual(names('author'), ['Author not recorded', 'Lin', 'Ada']);
    assert.deepEqual(names('commit'), [
      'Commit not recorded',
      '0123456789 with changes',
      '0123456789',
    ]);
    assert.deepEqual(names('machine'), [
      'NVIDIA A10',
      'NVIDIA H200 · m2',
      'NVIDIA H200 · m1',
      'NVIDIA H200 · machine not recorded',
    ]);
    const keys = (text: string) => filterRuns(team, text).length;
    assert.deepEqual([keys('ada'), keys('m2'), keys('0123456789 lin')], [1, 2, 1]);
  });

  it('have one row per device if several were timed, so that their rates are not ranked', () => {
    const on = (name: string, gflops: number) =>
      measured(16, { timing: timing(gflops), device: { ...other, name } });
    const untimed = measured(8, { backend: 'simulate' });
    delete untimed.timing;
    const group = kept(on('A10', 1), untimed, on('L4', 9), on('A10', 3));
    const rows = branchesOf(group);
    assert.deepEqual(
      rows.map(row =>
        'run' in row
          ? row.run.measurement.backend
          : foldBranches(row.fold).map(one =>
              'run' in one ? one.run.measurement.timing?.gflops : 0,
            ),
      ),
      [[3, 1], [9], 'simulate'],
    );
    assert.equal(branchesOf(group.filter(run => run !== group[2])).length, 3);
  });

  it('list machine, author and commit of a run', () => {
    const origin = { machine: 'm1', author: 'Ada', commit: 'a'.repeat(40), dirty: true };
    const facts = new Map(factsOf(measured(8, { origin }), []));
    assert.equal(facts.get('author'), 'Ada');
    assert.equal(facts.get('commit'), 'aaaaaaaaaa with changes');
    assert.match(facts.get('measured on') ?? '', /, m1$/);
    assert.ok(!new Map(factsOf(measured(8), [])).has('commit'));
  });
});
