/** Buttons that run the kernel, with the backend and the reason why a run is not possible. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { abilityOf, backendOf, type Ability, type Action } from '../ability';
import { backendName } from '../../src/core/measure/backendName';
import type { BackendId } from '../../src/core/measure/measurement';
import { isTuneOf } from '../../src/core/search/tune/shown';
import type { Derived } from '../derive';
import type { FromWebview } from '../../src/protocol';
import { formatPercent } from '../format';
import { Button, Select, Spinner } from '../kit';
import { memoByValue } from './memoByValue';
import { isBusy } from './tuneState';
import type { Message, Mode, Running, State } from '../state';

export interface RunBarProps {
  readonly state: State;
  readonly derived: Derived;
  readonly dispatch: (message: Message) => void;
  readonly post: (message: FromWebview) => void;
}

const SteadySelect = memoByValue(Select);

const offered = (state: State): readonly BackendId[] => [
  ...new Set<BackendId>(['webgpu', 'simulate', 'cuda', ...state.backends.map(({ id }) => id)]),
];

/** Drop-down of the backend, and where it runs or why it cannot. */
export function Backend({ state, derived, dispatch, post }: RunBarProps): VNode {
  const backend = backendOf(state.view, derived.report);
  const ability = abilityOf(state, derived.report.legal, backend);
  return (
    <div class="backend">
      <SteadySelect
        id="backend"
        label={t('Run on')}
        value={backend}
        choices={offered(state).map(id => ({ value: id, label: backendName(id) }))}
        {...describedBy(state)}
        onChoose={id => {
          const chosen = offered(state).find(known => known === id);
          if (chosen !== undefined) dispatch({ type: 'view', view: { backend: chosen } });
        }}
      />
      {state.running === null ? (
        <AbilityText {...{ ability, backend, state, dispatch, post }} />
      ) : null}
    </div>
  );
}

const describedBy = ({ running }: State): { readonly describedBy?: string } =>
  running === null ? { describedBy: 'ability' } : {};

/** Buttons that run the kernel or search for a faster schedule, and the progress of a run. */
export function RunBar({ state, derived, dispatch, post }: RunBarProps): VNode {
  const backend = backendOf(state.view, derived.report);
  const ability = abilityOf(state, derived.report.legal, backend);
  const busy = state.running !== null;
  const run = (mode: Mode, disabled: boolean, name: string): VNode => (
    <Button
      kind="primary"
      disabled={!ability.ok || busy || disabled}
      {...describedBy(state)}
      onPress={() => {
        dispatch({ type: 'run', backend, mode });
      }}
    >
      {name}
    </Button>
  );
  return (
    <div class="run-bar">
      <div class="run-controls" role="group" aria-label={t('Run')}>
        {run('verify', false, t('Verify'))}
        {run('time', backend === 'simulate' || backend === 'cpu', t('Benchmark'))}
        <Button
          disabled={!state.trusted || isSearching(state, derived)}
          title={t('Searches for the fastest schedule of this problem')}
          onPress={() => {
            post({ type: 'tune', ask: 'start' });
          }}
        >
          {t('Tune')}
        </Button>
      </div>
      <div class="progress">
        <span role="status">{state.running?.stage ?? ''}</span>
        {state.running === null ? null : <Progress running={state.running} dispatch={dispatch} />}
      </div>
    </div>
  );
}

const isSearching = ({ tunes, spec }: State, { report }: Derived): boolean =>
  tunes.some(tune => isTuneOf(tune, report.resolved, spec ?? {}) && isBusy(tune));

interface AbilityTextProps extends Omit<RunBarProps, 'derived'> {
  readonly ability: Ability;
  readonly backend: BackendId;
}

/** A longer remedy is collapsed, so that the head stays short. */
const MAX_CHARACTERS = 100;
const isLong = (text: string): boolean => text.length > MAX_CHARACTERS;

function AbilityText({ ability, backend, state, dispatch, post }: AbilityTextProps): VNode {
  const unwritable = ability.ok && !state.trusted;
  const action = unwritable
    ? ({ type: 'manageTrust' } as const)
    : ability.ok
      ? null
      : ability.action;
  return (
    <div id="ability" class={ability.ok ? 'ability' : 'ability off'}>
      <p>
        {[
          ability.ok ? t('Runs on {0}.', ability.where) : ability.why,
          ...(ability.ok || isLong(ability.next) ? [] : [ability.next]),
          ...(ability.ok && backend === 'simulate'
            ? [t('Simulate only verifies; it cannot benchmark.')]
            : []),
          ...(unwritable ? [t('Writing files requires a trusted workspace.')] : []),
        ].join(' ')}
      </p>
      {ability.ok || !isLong(ability.next) ? null : (
        <details>
          <summary>{t('Fixes')}</summary>
          <p>{ability.next}</p>
        </details>
      )}
      {action === null ? null : <ActionButton action={action} dispatch={dispatch} post={post} />}
    </div>
  );
}

function ActionButton(props: Pick<RunBarProps, 'dispatch' | 'post'> & { action: Action }): VNode {
  const { action, dispatch, post } = props;
  switch (action.type) {
    case 'manageTrust':
      return (
        <Button
          onPress={() => {
            post({ type: 'manageTrust' });
          }}
        >
          {t('Manage trust')}
        </Button>
      );
    case 'checkToolChain':
      return (
        <Button
          onPress={() => {
            post({ type: 'checkToolChain' });
          }}
        >
          {t('Check toolchain')}
        </Button>
      );
    case 'openInBrowser':
      return (
        <Button
          onPress={() => {
            post({ type: 'openInBrowser' });
          }}
        >
          {t('Open in browser')}
        </Button>
      );
    case 'simulate':
      return (
        <Button
          onPress={() => {
            dispatch({ type: 'view', view: { backend: 'simulate' } });
          }}
        >
          {t('Use Simulate')}
        </Button>
      );
    case 'change':
      return (
        <Button
          onPress={() => {
            dispatch({ type: 'choose', changes: action.changes });
          }}
        >
          {action.text}
        </Button>
      );
  }
}

function Progress({
  running,
  dispatch,
}: {
  running: Running;
  dispatch: RunBarProps['dispatch'];
}): VNode {
  const { stage, fraction, cancelling } = running;
  const percent = fraction === null ? null : Math.round(fraction * 100);
  return (
    <>
      {percent === null ? null : (
        <span
          role="progressbar"
          aria-label={stage}
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          {formatPercent(percent / 100)}
        </span>
      )}
      <Spinner />
      <Button
        disabled={cancelling}
        onPress={() => {
          dispatch({ type: 'cancel' });
        }}
      >
        {t('Cancel')}
      </Button>
    </>
  );
}
