/** axe on every state of the page in every theme. */
import { BROWSER_STATES, STATES } from '../../scripts/page/states';
import { describeAccessible } from '../helpers/describeAccessible';

const seen = { structure: new Map(), colours: new Map() };

describeAccessible({ place: 'webview', states: STATES, numThemes: 4, seen });
describeAccessible({ place: 'browser', states: BROWSER_STATES, numThemes: 4, seen });
