/** What the WebGPU adapter of the page that runs kernels offers a workgroup. */
import { t } from '@vscode/l10n';
import type { AdapterRoom } from '../../core/search/ladder/fit';
import type { WebgpuLimits } from '../../core/spec/resolved';
import type { FromWebview } from '../../protocol';
import type { RunPage } from '../toolchain/pageRun';
import type { Shown } from '../documents/shown';

interface RoomParts {
  /** The page, opened if it is closed; undefined when it does not come up. */
  readonly openPage: (shown: Shown) => Promise<RunPage | undefined>;
  /** Of the page in the browser, if that one runs kernels. */
  readonly inBrowser: () => WebgpuLimits | undefined;
}

export interface AdapterRooms {
  /** A message of the window's own page. */
  readonly heard: (message: FromWebview) => void;
  /** Undefined where no page has an adapter. */
  readonly roomFor: (shown: Shown) => Promise<AdapterRoom | undefined>;
}

export function createAdapterRooms({ openPage, inBrowser }: RoomParts): AdapterRooms {
  let answered: (limits: WebgpuLimits | undefined) => void = () => undefined;
  const pending = (): Promise<WebgpuLimits | undefined> =>
    new Promise(resolve => {
      answered = resolve;
    });
  let own = pending();
  return {
    heard: message => {
      // A page asks for its adapter each time it is loaded.
      if (message.type === 'adapter') {
        answered(message.limits);
        own = Promise.resolve(message.limits);
      }
    },
    roomFor: async shown => {
      const page = await openPage(shown);
      const limits = inBrowser() ?? (page === undefined ? undefined : await own);
      return limits === undefined ? undefined : { ...limits, owner: t('this adapter') };
    },
  };
}
