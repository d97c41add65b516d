/** Our occupancy beside NVIDIA's `cuda_occupancy.h`, on the committed sample of random cases. */
import assert from 'node:assert/strict';
import { assertEqual, caseOf, FIXTURE_CASES, readFixture } from '../../helpers/occupancyCases';

describe('occupancy beside cuda_occupancy.h', () => {
  it('is the same on the committed sample', () => {
    const { cases } = readFixture();
    assert.equal(cases.length, FIXTURE_CASES);
    const rows = cases.map(line => line.split(': ') as [string, string]);
    const inputs = rows.map(([input]) => caseOf(input));
    const answers = rows.map(([, answer]) => answer.split(' ').map(Number));
    assertEqual(inputs, answers);
    // A sample that never meets a limit would prove nothing about it.
    const limiters = answers.reduce((seen, [, mask]) => seen | mask!, 0);
    assert.equal(limiters, 1 + 2 + 4 + 8);
    assert.ok(answers.some(([blocks]) => blocks === 0));
  });
});
