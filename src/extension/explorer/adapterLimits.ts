/** Workgroup limits of the WebGPU adapter of the page that runs kernels. */
import { t } from '@vscode/l10n';
import type { AdapterLimits } from '../../core/search/ladder/fit';
import type { WebgpuLimits } from '../../core/spec/resolved';
import type { FromWebview } from '../../protocol';
import type { RunPage } from '../toolchain/pageRun';
import type { Shown } from '../documents/shown';

interface RoomParts {
  readonly openPage: (shown: Shown) => Promise<RunPage | undefined>;
  readonly inBrowser: () => WebgpuLimits | undefined;
}

export interface AdapterRooms {
  readonly heard: (message: FromWebview) => void;
  /** Opens a page if necessary and resolves to the limits; undefined if no page has an adapter. */
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
      // A page reports its adapter each time it is loaded.
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
