/** First row of the page: the tiles of the kernel beside the verdict on it, then its steps. */
import { t } from '@vscode/l10n';
import type { FunctionComponent, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { sourceHashOf } from '../../src/core/text/hash';
import { MAX_LINE_RANGES, type FromWebview } from '../../src/protocol';
import { TARGET_NAMES } from '../ability';
import type { Derived, Shown } from '../derive';
import { onLinkedLines } from '../linkedLines';
import type { Message, State } from '../state';
import type { BlockStepsProps } from './blockSteps';
import { Disclosure } from './disclosure';
import { Section } from './figure';
import type { LoopsProps } from './loops';
import type { PredictProps } from './predict';
import type { SaveTileMapProps } from './saveTileMap';
import type { TileMapProps } from './tileMap';
import type { VerdictProps } from './verdict';

export const onMachine = ({ target }: Derived, machine: string): string =>
  t('{0} on {1}', TARGET_NAMES[target], machine);

/** Returns the language and the device of the spec unless the head shows that device. */
export const otherMachine = (
  derived: Derived,
  { roofline }: OverviewProps['shown'],
): string | undefined =>
  roofline.machine === derived.device.name ? undefined : onMachine(derived, derived.device.name);

/** Implementations of the views: deferred in the page, immediate in the first frame. */
export interface OverviewViews {
  readonly TileMap: FunctionComponent<TileMapProps>;
  readonly SaveTileMap: FunctionComponent<SaveTileMapProps>;
  readonly Verdict: FunctionComponent<VerdictProps>;
  readonly BlockSteps: FunctionComponent<BlockStepsProps>;
  readonly Loops: FunctionComponent<LoopsProps>;
  readonly Predict: FunctionComponent<PredictProps>;
}

export interface OverviewProps {
  readonly views: OverviewViews;
  readonly state: State;
  readonly derived: Derived;
  readonly shown: Extract<Shown, { readonly ok: true }>;
  readonly dispatch: (message: Message) => void;
  readonly post: (message: FromWebview) => void;
}

const TILES = ['tiles'] as const;
const STAGING = ['staging'] as const;

export function Overview(props: OverviewProps): VNode {
  const { views, state, derived, shown, dispatch, post } = props;
  const { TileMap, SaveTileMap, Verdict, BlockSteps, Loops, Predict } = views;
  const asked = { kernel: shown.kernel, analysis: shown.onDevice, device: derived.device };
  useEffect(
    () =>
      onLinkedLines(({ kernel, lines }) => {
        const shownLines = lines.slice(0, MAX_LINE_RANGES);
        post({ type: 'highlightLines', sourceHash: sourceHashOf(kernel), lines: shownLines });
      }),
    [],
  );
  return (
    <>
      <Section id="tiles" title={t('Tiles')}>
        <TileMap
          kernel={shown.kernel}
          waves={shown.analysis.waves}
          spec={state.spec}
          cursor={state.cursor}
          SaveMap={SaveTileMap}
          after={<Predict {...asked} topics={TILES} />}
          dispatch={dispatch}
        />
      </Section>
      {state.spec === null ? null : (
        <Verdict
          kernel={shown.kernel}
          analysis={shown.analysis}
          device={derived.device}
          spec={state.spec}
          pinned={state.pinned}
          of={otherMachine(derived, shown)}
          dispatch={dispatch}
        />
      )}
      <Section id="block-steps" title={t('Steps')}>
        <BlockSteps
          kernel={shown.kernel}
          cursor={state.cursor}
          after={<Predict {...asked} topics={STAGING} />}
        />
      </Section>
      <Section id="loops" title={t('Loops')}>
        <Disclosure summary={t('Show the loop nest')}>
          {() => <Loops kernel={shown.kernel} spec={state.spec} dispatch={dispatch} />}
        </Disclosure>
      </Section>
    </>
  );
}
