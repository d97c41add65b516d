/** First row of the page: the tiles of the kernel beside the verdict on it, then its steps. */
import { t } from '@vscode/l10n';
import type { FunctionComponent, VNode } from 'preact';
import { TARGET_NAMES } from '../ability';
import type { Derived, Shown } from '../derive';
import type { Message, State } from '../state';
import type { BlockStepsProps } from './blockSteps';
import { Section } from './figure';
import type { TileMapProps } from './tileMap';
import type { VerdictProps } from './verdict';

export const onMachine = ({ target }: Derived, machine: string): string =>
  t('{0} on {1}', TARGET_NAMES[target], machine);
export const kernelOf = (derived: Derived): string => onMachine(derived, derived.device.name);

/** Implementations of the views: deferred in the page, immediate in the first frame. */
export interface OverviewViews {
  readonly TileMap: FunctionComponent<TileMapProps>;
  readonly Verdict: FunctionComponent<VerdictProps>;
  readonly BlockSteps: FunctionComponent<BlockStepsProps>;
}

export interface OverviewProps {
  readonly views: OverviewViews;
  readonly state: State;
  readonly derived: Derived;
  readonly shown: Extract<Shown, { readonly ok: true }>;
  readonly dispatch: (message: Message) => void;
}

export function Overview({ views, state, derived, shown, dispatch }: OverviewProps): VNode {
  const { TileMap, Verdict, BlockSteps } = views;
  return (
    <>
      <Section id="tiles" title={t('Tiles')} of={shown.kernel.fileName}>
        <TileMap kernel={shown.kernel} waves={shown.analysis.waves} />
      </Section>
      {state.spec === null ? null : (
        <Verdict
          kernel={shown.kernel}
          analysis={shown.analysis}
          device={derived.device}
          spec={state.spec}
          pinned={state.pinned}
          of={kernelOf(derived)}
          dispatch={dispatch}
        />
      )}
      <Section id="block-steps" title={t('Steps')} of={shown.kernel.fileName}>
        <BlockSteps kernel={shown.kernel} />
      </Section>
    </>
  );
}
