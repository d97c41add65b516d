/** Editor of `problem.epilogue`: an ordered list of operations with their fields. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { epilogueTypes } from '../../src/core/plan/rules/epilogueRules';
import { epilogueNames, MAX_EPILOGUE_OPS, type EpilogueOp } from '../../src/core/spec/epilogue';
import { LAYOUTS } from '../../src/core/spec/schema';
import { ACTIVATIONS } from '../../src/core/types/activations';
import {
  added,
  alongChoices,
  EPILOGUE,
  isOpName,
  moved,
  newOp,
  OP_NAMES,
  opHelp,
  leadingDimensionField,
  type OpName,
} from '../epilogueEdits';
import { Button, Select } from '../kit';
import { FieldHelp } from './numberField';
import { SpecNumber, SpecSelect, Why, withCurrent, type FormProps } from './specField';
import { Terms } from './terms';

const TERMS = ['epilogue', 'fused-epilogue', 'bias', 'residual', 'gate', 'gelu-tanh'] as const;

export function EpilogueEditor(props: FormProps): VNode {
  const { state, derived, dispatch } = props;
  const { epilogue = [] } = derived.report.resolved.problem;
  const given = state.spec?.problem.epilogue ?? [];
  const focusNext = useFocusAfterRender();
  const replace = (list: readonly unknown[]): void => {
    dispatch({ type: 'choose', changes: { [EPILOGUE]: list.length === 0 ? undefined : list } });
  };
  const move = (index: number, by: -1 | 1): void => {
    const to = index + by;
    const isAtEnd = by === -1 ? to === 0 : to === given.length - 1;
    focusNext(actionId(to, (by === -1) === isAtEnd ? 'down' : 'up'));
    replace(moved(given, index, by));
  };
  const remove = (index: number): void => {
    const left = given.length - 1;
    focusNext(left === 0 ? NEW_ID : actionId(Math.min(index, left - 1), 'remove'));
    replace(given.toSpliced(index, 1));
  };
  return (
    <div class="epilogue-editor">
      <p class="hint">
        {t(
          'Applied in this order to alpha A B + beta C, in the accumulator type, before C is stored.',
        )}
      </p>
      {epilogue.length === 0 ? null : (
        <ol aria-label={t('Operations of the epilogue')}>
          {epilogue.map((op, index) => (
            <Entry key={index} {...{ ...props, op, index, count: epilogue.length, move, remove }} />
          ))}
        </ol>
      )}
      <NewOperation
        full={given.length >= MAX_EPILOGUE_OPS}
        add={op => {
          replace(added(given, newOp(op)));
        }}
      />
      <Why name={t('epilogue')} path={EPILOGUE} {...props} />
      <Terms of="epilogue" ids={TERMS} spec={derived.report.resolved} />
    </div>
  );
}

/** Returns a function that focuses an element by id after the next render. */
function useFocusAfterRender(): (id: string) => void {
  const wanted = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    document.getElementById(wanted.current)?.focus();
    wanted.current = null;
  });
  return id => {
    wanted.current = id;
  };
}

type Action = 'up' | 'down' | 'remove';
const actionId = (index: number, action: Action): string => `epilogue-${index}-${action}`;
const NEW_ID = 'epilogue-new';

interface EntryProps extends FormProps {
  readonly op: EpilogueOp;
  readonly index: number;
  readonly count: number;
  readonly move: (index: number, by: -1 | 1) => void;
  readonly remove: (index: number) => void;
}

function Entry({ op, index, count, move, remove, ...props }: EntryProps): VNode {
  const path = `${EPILOGUE}.${index}`;
  const name = `${index + 1}. ${epilogueNames([op]).join('')}`;
  const shown = ['op', 'along', 'act', 'layout', 'ld', 'dtype'].map(field => `${path}.${field}`);
  return (
    <li>
      <div role="group" aria-label={name} class="epilogue-entry">
        <div class="fields">
          <SpecSelect
            {...props}
            path={`${path}.op`}
            label={t('operation')}
            help={opHelp(op.op)}
            value={op.op}
            choices={withCurrent(OP_NAMES, op.op)}
            change={chosen => (isOpName(chosen) ? { [path]: newOp(chosen) } : {})}
          />
          <Operand {...props} op={op} path={path} />
        </div>
        {[path, ...shown].map(at => (
          <Why key={at} name={name} path={at} {...props} />
        ))}
        <div class="actions">
          <Button
            id={actionId(index, 'up')}
            disabled={index === 0}
            label={t('Move up: {0}', name)}
            onPress={() => {
              move(index, -1);
            }}
          >
            {t('Up')}
          </Button>
          <Button
            id={actionId(index, 'down')}
            disabled={index === count - 1}
            label={t('Move down: {0}', name)}
            onPress={() => {
              move(index, 1);
            }}
          >
            {t('Down')}
          </Button>
          <Button
            id={actionId(index, 'remove')}
            label={t('Remove: {0}', name)}
            onPress={() => {
              remove(index);
            }}
          >
            {t('Remove')}
          </Button>
        </div>
      </div>
    </li>
  );
}

/** Fields of the operand of an operation. */
function Operand({
  op,
  path,
  ...props
}: FormProps & { op: EpilogueOp; path: string }): VNode | null {
  if (op.op === 'bias' || op.op === 'scale')
    return (
      <>
        <SpecSelect
          {...props}
          path={`${path}.along`}
          label={t('along')}
          help={t('dimension of the vector')}
          value={op.along ?? ''}
          choices={alongChoices(op.op)}
          change={chosen => ({ [`${path}.along`]: chosen === '' ? undefined : chosen })}
        />
        {op.op === 'bias' ? <Type {...props} path={path} dtype={op.dtype} /> : null}
      </>
    );
  if (op.op === 'gate')
    return (
      <>
        <SpecSelect
          {...props}
          path={`${path}.act`}
          label={t('activation')}
          help={t('applied to A B')}
          value={op.act}
          choices={ACTIVATIONS.map(value => ({ value, label: value }))}
          change={chosen => ({ [`${path}.act`]: chosen })}
        />
        <SpecNumber {...props} field={leadingDimensionField(`${path}.ld`)} />
      </>
    );
  if (op.op !== 'residual') return null;
  return (
    <>
      <SpecSelect
        {...props}
        path={`${path}.layout`}
        label={t('layout')}
        help={t('contiguous dimension')}
        value={op.layout}
        choices={LAYOUTS.map(value => ({
          value,
          label: value === 'row' ? t('row-major') : t('column-major'),
        }))}
        // A leading dimension of the other layout is of no use.
        change={chosen => ({ [`${path}.layout`]: chosen, [`${path}.ld`]: undefined })}
      />
      <SpecNumber {...props} field={leadingDimensionField(`${path}.ld`)} />
      <Type {...props} path={path} dtype={op.dtype} />
    </>
  );
}

function Type({ path, dtype, ...props }: FormProps & { path: string; dtype: string }): VNode {
  const { report, target } = props.derived;
  return (
    <SpecSelect
      {...props}
      path={`${path}.dtype`}
      label={t('element type')}
      help={t('type in global memory')}
      value={dtype}
      choices={withCurrent(epilogueTypes(report.resolved.problem.accumulator, target), dtype)}
      change={chosen => ({ [`${path}.dtype`]: chosen })}
    />
  );
}

interface NewOperationProps {
  readonly full: boolean;
  readonly add: (op: OpName) => void;
}

function NewOperation({ full, add }: NewOperationProps): VNode {
  const [op, setOp] = useState<OpName>('bias');
  const help = full ? t('An epilogue has at most {0} operations.', MAX_EPILOGUE_OPS) : opHelp(op);
  return (
    <div class="epilogue-new">
      <div class="field wide">
        <span class="label" aria-hidden="true">
          {t('new operation')}
        </span>
        <Select
          id={NEW_ID}
          label={t('new operation')}
          value={op}
          choices={OP_NAMES.map(value => ({ value, label: value }))}
          describedBy={`${NEW_ID}-help`}
          onChoose={chosen => {
            if (isOpName(chosen)) setOp(chosen);
          }}
        />
        <FieldHelp id={NEW_ID} text={help} shown />
      </div>
      <Button
        disabled={full}
        describedBy={`${NEW_ID}-help`}
        onPress={() => {
          add(op);
        }}
      >
        {t('Add operation')}
      </Button>
    </div>
  );
}
