/** Explorer page: its head, and columns of views. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { scrollToPart, keepClearOfStickyHeader } from '../bringTo';
import type { Derived, Shown } from '../derive';
import { Button } from '../kit';
import { sourceHashOf } from '../../src/core/text/hash';
import type { FromWebview } from '../../src/protocol';
import type { Message, State } from '../state';
import { AfterHead } from './afterHead';
import { Code } from './code';
import { Form } from './form';
import { SkipLinks } from './jump';
import { InViewport } from './inViewport';
import { KeepMounted } from './keepMounted';
import { later } from './later';
import { Layouts, Memory, Notes, TensorCores, Waves } from './memory';
import { Notice } from './notice';
import { Occupancy } from './occupancy';
import { onMachine, otherMachine, Overview } from './overview';
import { OwnKernel } from './ownKernel';
import { Results } from './results';
import { PageHead } from './pageHead';
import { useWidth } from './pageWidth';
import { tileFields } from './quickFields';
import { NotLegal } from './reasons';
import { Roofline } from './roofline';

const OVERVIEW = {
  TileMap: later(parts => parts.TileMap, 30),
  SaveTileMap: later(parts => parts.SaveTileMap, 2),
  Verdict: later(parts => parts.Verdict, 24),
  BlockSteps: later(parts => parts.BlockSteps, 4),
  Loops: later(parts => parts.Loops, 20),
  Predict: later(parts => parts.Predict, 1),
};
const CompiledFacts = later(parts => parts.CompiledFacts, 8);
const Tune = later(parts => parts.Tune, 8);
const Compare = later(parts => parts.Compare, 60);

export interface AppProps {
  readonly state: State;
  readonly derived: Derived | null;
  readonly dispatch: (message: Message) => void;
  readonly post: (message: FromWebview) => void;
  /** Moves the focus if its element is gone. */
  readonly keepFocus: () => void;
}

export function App(props: AppProps): VNode {
  const [error, reset] = useErrorBoundary((thrown: unknown) => {
    props.post({
      type: 'log',
      text: `Explorer page error: ${String(thrown)}`.slice(0, 2000),
    });
  }) as [unknown, () => void];
  const { state, derived } = props;
  useEffect(() => {
    if (state.focus !== null) scrollToPart(state.focus.part);
  }, [state.focus]);
  if (error !== undefined) return <Broken error={error} reset={reset} />;
  if (derived === null) {
    return (
      <main class="waiting">
        <h1>GEMM Explorer</h1>
        <p role="status">{t('Waiting for the extension to send a configuration.')}</p>
        <Notice state={state} dispatch={props.dispatch} />
      </main>
    );
  }
  if (state.own !== null) return <OwnKernel {...props} own={state.own} />;
  return <Explorer {...props} derived={derived} />;
}

/** Minimum page width in pixels for the form and two source listings of about 80 columns. */
const MIN_WIDTH_FOR_TWO_SOURCES = 1100;

function Explorer(props: AppProps & { derived: Derived }): VNode {
  const { state, derived } = props;
  const withForm = state.view.form === 'shown';
  useEffect(keepClearOfStickyHeader, []);
  return (
    <>
      <SkipLinks withForm={withForm} tilePath={tileFields(state, derived)[0]?.path} />
      <PageHead {...props} withForm={withForm} />
      <AfterHead state={state} onDrawn={props.keepFocus}>
        {() => <Columns {...props} withForm={withForm} />}
      </AfterHead>
    </>
  );
}

function Columns(props: AppProps & { derived: Derived; withForm: boolean }): VNode {
  const { state, derived, dispatch, withForm } = props;
  const { shown, target } = derived;
  const wide = useWidth(MIN_WIDTH_FOR_TWO_SOURCES);
  const sideBySide = wide && state.view.code === 'both';
  const overview = (
    <div key="overview" id="analysis" class="column overview" tabIndex={-1}>
      {shown.ok ? null : (
        <NotLegal target={target} violations={shown.violations} state={state} dispatch={dispatch} />
      )}
      <KeepMounted of={state.document} shown={shown.ok}>
        {() => (shown.ok ? <Overview {...props} shown={shown} views={OVERVIEW} /> : null)}
      </KeepMounted>
    </div>
  );
  const analyse = (
    <div key="analyse" class="column analyse">
      <KeepMounted of={state.document} shown={shown.ok}>
        {() => (shown.ok ? <Predicted {...props} shown={shown} /> : null)}
      </KeepMounted>
      <Results
        newest={derived.newest}
        earlier={derived.earlier}
        rooflines={shown.ok ? shown.rooflines : []}
      />
      <InViewport id="tune">
        {() => (
          <div id="tune">
            <Tune
              tunes={state.tunes}
              resolved={derived.report.resolved}
              spec={state.spec}
              trusted={state.trusted}
              post={props.post}
            />
          </div>
        )}
      </InViewport>
      <KeepMounted of={state.document} shown={shown.ok}>
        {() =>
          shown.ok ? (
            <>
              <InViewport id="memory">
                {() => (
                  <Memory
                    kernel={shown.kernel}
                    analysis={shown.onDevice}
                    device={derived.device}
                    of={otherMachine(derived, shown)}
                    dispatch={dispatch}
                  />
                )}
              </InViewport>
              <InViewport id="tensor">
                {() => (
                  <TensorCores
                    kernel={shown.kernel}
                    analysis={shown.onDevice}
                    device={derived.device}
                    of={otherMachine(derived, shown)}
                  />
                )}
              </InViewport>
              <InViewport id="layouts">
                {() => <Layouts kernel={shown.kernel} of={otherMachine(derived, shown)} />}
              </InViewport>
              <InViewport id="waves">
                {() => (
                  <Waves
                    analysis={shown.analysis}
                    plan={shown.kernel.plan}
                    device={derived.device}
                    spec={state.spec}
                    runs={[state.runs, state.localRuns]}
                    of={otherMachine(derived, shown)}
                    dispatch={dispatch}
                  />
                )}
              </InViewport>
              <InViewport id="notes">{() => <Notes notes={shown.analysis.notes} />}</InViewport>
            </>
          ) : null
        }
      </KeepMounted>
    </div>
  );
  const read = (
    <div key="read" class="column read">
      <InViewport id="code">
        {() => (
          <Code
            kernels={derived.kernels}
            target={target}
            before={state.before}
            trusted={state.trusted}
            both={wide ? sideBySide : null}
            dispatch={dispatch}
            post={props.post}
          />
        )}
      </InViewport>
    </div>
  );
  return (
    <main
      class={['columns', sideBySide && 'code-wide', withForm && 'with-form']
        .filter(Boolean)
        .join(' ')}
    >
      {withForm ? (
        <div key="configure" class="column configure">
          <Form {...props} />
        </div>
      ) : null}
      {overview}
      {state.pinned === null ? null : (
        <div key="compare" class="column compare">
          <Compare
            pinned={state.pinned}
            derived={derived}
            wide={wide}
            runs={state.runs}
            localRuns={state.localRuns}
            compiled={state.compiled}
            view={state.view}
            dispatch={dispatch}
          />
        </div>
      )}
      {sideBySide ? [read, analyse] : [analyse, read]}
    </main>
  );
}

interface PredictedProps extends AppProps {
  readonly derived: Derived;
  readonly shown: Extract<Shown, { readonly ok: true }>;
}

function Predicted({ state, derived, shown, dispatch, post }: PredictedProps): VNode {
  const { machine } = shown.roofline;
  const adapter = machine === derived.device.name ? null : machine;
  return (
    <>
      <InViewport id="occupancy">
        {() => (
          <Occupancy
            kernel={shown.kernel}
            analysis={shown.analysis}
            device={derived.device}
            of={adapter === null ? undefined : onMachine(derived, adapter)}
            adapter={adapter}
            dispatch={dispatch}
          />
        )}
      </InViewport>
      <InViewport id="roofline">
        {() => (
          <Roofline
            roofline={shown.roofline}
            problem={shown.kernel.spec.problem}
            generated={adapter === null ? { ...shown, device: derived.device } : undefined}
            sourceHash={sourceHashOf(shown.kernel)}
            of={shown.kernel.fileName}
            state={state}
            onMeasureAgain={backend => {
              dispatch({ type: 'run', backend, mode: 'time' });
            }}
          />
        )}
      </InViewport>
      <InViewport id="compiled">
        {() => (
          <CompiledFacts
            kernel={shown.kernel}
            device={derived.device}
            inspected={state.inspected}
            compiled={state.compiled}
            trusted={state.trusted}
            of={otherMachine(derived, shown)}
            post={post}
          />
        )}
      </InViewport>
    </>
  );
}

const Broken = ({ error, reset }: { error: unknown; reset: () => void }): VNode => (
  <main class="waiting">
    <h1>GEMM Explorer</h1>
    <p role="alert">
      {t('Unexpected page error:')} <code>{String(error)}</code>
    </p>
    <p>
      {t(
        'Your configuration is unchanged. Reload the view or reopen the explorer; the extension log has details.',
      )}
    </p>
    <Button kind="primary" onPress={reset}>
      {t('Reload view')}
    </Button>
  </main>
);
