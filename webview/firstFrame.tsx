/**
 * First frame of the explorer's page as HTML. The extension host renders it, so that the page shows
 * the kernel before its scripts have loaded (docs/architecture.md, "Bundles of the page").
 */
import { config, t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { FirstFrameBundle } from '../src/protocol';
import { derive } from './derive';
import { receive } from './receive';
import { initialState } from './state';
import { NotLegal } from './views/reasons';
import { Overview } from './views/overview';
import { PageHead } from './views/pageHead';
import { TileMap } from './views/tileMap';
import { Verdict } from './views/verdict';

/** The closed control of the page, so that the page does not move what follows. */
const Predict = (): VNode => (
  <details class="predict">
    <summary>{t('Predict, then check')}</summary>
  </details>
);

const VIEWS = {
  TileMap,
  SaveTileMap: () => null,
  Verdict,
  BlockSteps: () => null,
  Loops: () => null,
  Predict,
};
const IGNORE = { dispatch: () => undefined, post: () => undefined };

/** Position of the message in the order of messages: the first. */
const FIRST = { revision: 1, since: 1, edit: 0 };

/**
 * Returns the first frame for this content; empty for a kernel without a spec.
 *
 * @param translations by English text, because each bundle has its own copy of them
 */
export const firstFrame: FirstFrameBundle['firstFrame'] = (content, translations) => {
  config({ contents: translations });
  const state = receive(initialState(), { ...content, ...FIRST });
  const { spec } = state;
  if (spec === null || state.own !== null) return '';
  const derived = derive({ ...state, spec });
  const { shown, target } = derived;
  return renderToString(
    <>
      <PageHead state={state} derived={derived} withForm={false} {...IGNORE} />
      <main class="columns">
        <div class="column overview">
          {shown.ok ? (
            <Overview views={VIEWS} state={state} derived={derived} shown={shown} {...IGNORE} />
          ) : (
            <NotLegal target={target} violations={shown.violations} state={state} {...IGNORE} />
          )}
        </div>
      </main>
    </>,
  );
};
