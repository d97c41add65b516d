/**
 * Buttons that run the kernel and write files, with the backend, the progress, and the reason why a
 * run is not possible.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { abilityOf, backendName, backendOf, type Ability, type Action } from '../ability';
import type { BackendId } from '../../src/core/measure/measurement';
import type { Derived } from '../derive';
import type { FromWebview } from '../../src/protocol';
import { formatPercent } from '../format';
import { Button, Select, Spinner } from '../kit';
import { memoByValue } from './memoByValue';
import type { Message, Running, State } from '../state';

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

export function RunBar({ state, derived, dispatch, post }: RunBarProps): VNode {
  const backend = backendOf(state.view, derived.report);
  const ability = abilityOf(state, derived.report.legal, backend);
  const busy = state.running !== null;
  const described = busy ? {} : { describedBy: 'ability' };
  const writable = state.trusted && derived.report.legal.length > 0;
  return (
    <div class="run-bar">
      <div class="run-controls" role="group" aria-label={t('Run')}>
        <SteadySelect
          id="backend"
          label={t('Run on')}
          value={backend}
          choices={offered(state).map(id => ({ value: id, label: backendName(id) }))}
          {...described}
          onChoose={id => {
            const chosen = offered(state).find(known => known === id);
            if (chosen !== undefined) dispatch({ type: 'view', view: { backend: chosen } });
          }}
        />
        <Button
          kind="primary"
          disabled={!ability.ok || busy}
          {...described}
          onPress={() => {
            dispatch({ type: 'run', backend, mode: 'verify' });
          }}
        >
          {t('Verify')}
        </Button>
        <Button
          kind="primary"
          disabled={!ability.ok || busy || backend === 'simulate' || backend === 'cpu'}
          {...described}
          onPress={() => {
            dispatch({ type: 'run', backend, mode: 'time' });
          }}
        >
          {t('Benchmark')}
        </Button>
      </div>
      <div class="run-controls" role="group" aria-label={t('Write')}>
        <Button
          disabled={!writable}
          {...described}
          onPress={() => {
            post({ type: 'generate' });
          }}
        >
          {t('Generate files')}
        </Button>
        <Button
          disabled={!writable}
          {...described}
          onPress={() => {
            post({ type: 'exportReport' });
          }}
        >
          {t('Export report')}
        </Button>
      </div>
      {busy ? null : <AbilityText {...{ ability, backend, state, dispatch, post }} />}
      <div class="progress">
        <span role="status">{state.running?.stage ?? ''}</span>
        {state.running === null ? null : <Progress running={state.running} dispatch={dispatch} />}
      </div>
    </div>
  );
}

interface AbilityTextProps extends Omit<RunBarProps, 'derived'> {
  readonly ability: Ability;
  readonly backend: BackendId;
}

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
          ...(ability.ok ? [t('Runs on {0}.', ability.where)] : [ability.why, ability.next]),
          ...(ability.ok && backend === 'simulate'
            ? [t('Simulate only verifies; it cannot benchmark.')]
            : []),
          ...(unwritable ? [t('Writing files requires a trusted workspace.')] : []),
        ].join(' ')}
      </p>
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
