/**
 * axe on every second view, each in one theme and one width. The long tier takes all states in all
 * themes.
 */
import { BROWSER_STATES, STATES, STATES_OF_EACH_VIEW } from '../../scripts/page/states';
import { IS_WHOLE, sampled } from '../helpers/depth';
import { describeAccessible } from '../helpers/describeAccessible';

const seen = { structure: new Map(), colours: new Map() };

describeAccessible({
  place: 'webview',
  states: IS_WHOLE ? STATES : sampled(STATES_OF_EACH_VIEW, 2),
  numThemes: IS_WHOLE ? 4 : 1,
  seen,
});
describeAccessible({
  place: 'browser',
  states: sampled(BROWSER_STATES, 3),
  numThemes: IS_WHOLE ? 4 : 1,
  seen,
});
