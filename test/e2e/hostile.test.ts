/** A malicious workspace, 20 files of every category; `npm run test:all` takes the whole corpus (test/long). */
import { sample } from '../hostile/corpus/corpus';
import { describeHostile } from '../hostile/describeHostile';

for (const trust of ['restricted', 'trusted'] as const) describeHostile(trust, sample, 300_000);
