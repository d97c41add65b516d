/**
 * Our occupancy beside NVIDIA's `cuda_occupancy.h`, where the toolkit and g++ are installed: on
 * 200,000 random cases in the long tier. `UPDATE_OCCUPANCY_FIXTURE=1` writes the committed sample
 * again.
 */
import { drawCases } from '../../scripts/occupancy/cases';
import { findReference } from '../../scripts/occupancy/reference';
import { sampleOf } from '../helpers/depth';
import { assertEqual, writeFixture } from '../helpers/occupancyCases';

const CASES = sampleOf(200_000);
const SEED = 2;

describe('occupancy beside cuda_occupancy.h', () => {
  const reference = findReference();
  const title = `is the same on ${CASES} random cases`;
  if (reference.ok) {
    it(title, () => {
      const cases = drawCases(CASES, SEED);
      const answers = reference.ask(run => run(cases));
      assertEqual(cases, answers.rows);
      if (process.env['UPDATE_OCCUPANCY_FIXTURE'] === '1') writeFixture(cases, answers);
    }).timeout(60_000);
  } else {
    it.skip(`${title} (skipped: ${reference.reason})`);
  }
});
