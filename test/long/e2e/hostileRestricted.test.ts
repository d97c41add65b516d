/**
 * A malicious workspace in Restricted Mode: files of every category; the long tier takes the whole
 * corpus.
 */
import { corpus, sample } from '../../hostile/corpus/corpus';
import { describeHostile } from '../../hostile/describeHostile';
import { IS_WHOLE } from '../../helpers/depth';

const MINUTE_MS = 60_000;

describeHostile('restricted', IS_WHOLE ? corpus : sample, (IS_WHOLE ? 60 : 5) * MINUTE_MS);
