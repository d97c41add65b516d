/** axe once per view: each kind of state in one theme and one width, in turn. The long tier has all themes. */
import { BROWSER_STATES, STATES_OF_EACH_KIND } from '../../scripts/page/states';
import { describeAccessible } from '../helpers/describeAccessible';

const seen = { structure: new Map(), colours: new Map() };

describeAccessible({ place: 'webview', states: STATES_OF_EACH_KIND, numThemes: 1, seen });
describeAccessible({ place: 'browser', states: BROWSER_STATES, numThemes: 2, seen });
