/** Sticky head of the page: problem, run controls, tile fields and key figures. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { epilogueNames } from '../../src/core/spec/epilogue';
import type { FromWebview } from '../../src/protocol';
import type { Derived } from '../derive';
import { formatNumber } from '../format';
import { Button } from '../kit';
import type { Message, State } from '../state';
import { Announcement } from './announcement';
import { Notice } from './notice';
import { MachineField, TargetField } from './machineFields';
import { ProblemFields, TileFields } from './quickFields';
import { Backend, RunBar } from './runBar';
import { Steps, Unwritten } from './steps';
import { Summary } from './summary';

export interface PageHeadProps {
  readonly state: State;
  readonly derived: Derived;
  readonly withForm: boolean;
  readonly dispatch: (message: Message) => void;
  readonly post: (message: FromWebview) => void;
}

export function PageHead(props: PageHeadProps): VNode {
  const { state, derived, withForm, dispatch, post } = props;
  const operations = epilogueNames(derived.report.resolved.problem.epilogue);
  return (
    <header class="page-head">
      <div id="top" class="top">
        <Title {...props} />
        <div class="head-row">
          {withForm ? null : <ProblemFields {...props} />}
          <Backend {...props} />
        </div>
        {withForm || operations.length === 0 ? null : (
          <p class="hint">{t('Epilogue: {0}', operations.join(', '))}</p>
        )}
        <Announcement derived={derived} />
        {state.unwritten ? (
          <Unwritten name={state.name} trusted={state.trusted} post={post} />
        ) : null}
        <Notice state={state} dispatch={dispatch} />
      </div>
      <div class="sticky-head">
        {withForm ? null : <TileFields {...props} />}
        <RunBar {...props} />
        <Summary derived={derived} />
      </div>
    </header>
  );
}

function Title(props: PageHeadProps): VNode {
  const { state, derived, dispatch, withForm } = props;
  const { problem, schedule } = derived.report.resolved;
  const sizes = [problem.m, problem.n, problem.k].map(formatNumber).join(' x ');
  const operations = epilogueNames(problem.epilogue).map(name => ` + ${name}`);
  return (
    <div class="title">
      <h1
        class={withForm ? undefined : 'visually-hidden'}
        title={[state.name, derived.report.specKey].filter(Boolean).join(', ')}
      >
        GEMM <span class="number">{sizes}</span> {problem.a.dtype}
        {operations.join('')}, {schedule.algorithm}
      </h1>
      <div class="machine-fields">
        <MachineField {...props} />
        <TargetField {...props} />
      </div>
      <div class="title-tools">
        <Button
          onPress={() => {
            dispatch({ type: 'view', view: { form: withForm ? 'hidden' : 'shown' } });
          }}
        >
          {withForm ? t('Hide parameters') : t('Parameters')}
        </Button>
        <Steps
          spec={state.spec}
          history={state.history}
          faulty={Object.values(state.drafts).some(({ error }) => error !== null)}
          dispatch={dispatch}
        />
      </div>
    </div>
  );
}
