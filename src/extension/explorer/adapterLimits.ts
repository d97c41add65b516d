/** Workgroup limits of the WebGPU adapter of the page that runs kernels. */
import { t } from '@vscode/l10n';
import type { AdapterLimits } from '../../core/search/ladder/fit';
import type { WebgpuLimits } from '../../core/spec/resolved';
import type { FromWebview } from '../../protocol';
import type { RunPage } from '../toolchain/pageRun';
import type { Shown } from '../documents/shown';

interface RoomParts {
  /** Opens the page if it is closed; undefined if it does not become ready. */
  readonly openPage: (shown: Shown) => Promise<RunPage | undefined>;
  /** Limits of the browser page, if that page runs kernels. */
  readonly inBrowser: () => WebgpuLimits | undefined;
}

export interface AdapterRooms {
  /** Handles a message of the window's page. */
  readonly heard: (message: FromWebview) => void;
  /** Undefined if no page has an adapter. */
  readonly roomFor: (shown: Shown) => Promise<AdapterLimits | undefined>;
}

export function createAdapterLimits({ openPage, inBrowser }: RoomParts): AdapterRooms {
  let answered: (limits: WebgpuLimits | undefined) => void = () => undefined;
  const pending = (): Promise<WebgpuLimits | undefined> =>
    new Promise(resolve => {
      answered = resolve;
    });
  let own = pending();
  return {
    heard: message => {
      // A page requests its adapter each time it is loaded.
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
