/** A malicious workspace, the whole corpus. GEMM_RECORD=FILE keeps what was counted. */
import { corpus } from '../hostile/corpus/corpus';
import { describeHostile } from '../hostile/describeHostile';

const HOUR_MS = 3_600_000;

for (const trust of ['restricted', 'trusted'] as const) describeHostile(trust, corpus, HOUR_MS);
