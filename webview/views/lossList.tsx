/** Explanation of each loss, with the edit that reduces it. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { GapEdit } from '../../src/core/model/gap/gapEdits';
import type { Cause } from '../../src/core/model/timeModel';
import type { LossStep, Waterfall } from '../../src/core/roofline/waterfall';
import { nameOf } from '../changes';
import { formatPercent, formatRate } from '../format';
import { causeName } from './causeName';
import { TryIt } from './tryIt';

export type Edits = Readonly<Partial<Record<Cause, GapEdit>>>;

export const isCause = (cause: LossStep['cause']): cause is Cause =>
  cause !== 'rest' && cause !== 'unexplained';

export const changesText = (changes: GapEdit['changes']): string =>
  changes.map(({ path, from, to }) => `${nameOf(path)} ${from} → ${to}`).join(', ');

export interface LossListProps {
  readonly of: Waterfall;
  readonly edits: Edits;
  readonly onTry: (edit: GapEdit) => void;
}

export const LossList = ({ of: { falls }, edits, onTry }: LossListProps): VNode => (
  <dl class="losses">
    {falls.map(({ cause, text }) => {
      const edit = isCause(cause) ? edits[cause] : undefined;
      return text === undefined ? null : (
        <div key={cause}>
          <dt>{causeName(cause)}</dt>
          <dd>
            {text}
            {edit === undefined ? null : <Edit id={`edit-${cause}`} edit={edit} onTry={onTry} />}
          </dd>
        </div>
      );
    })}
  </dl>
);

export interface EditProps {
  readonly id: string;
  readonly edit: GapEdit;
  readonly onTry: (edit: GapEdit) => void;
}

export const Edit = ({ id, edit, onTry }: EditProps): VNode => (
  <div class="edit">
    <p id={id}>
      {t(
        '{0}: {1} predicted (+{2})',
        changesText(edit.changes),
        formatRate(edit.tflops * 1000),
        formatPercent(Number((edit.tflops / edit.tflopsNow - 1).toPrecision(2))),
      )}
    </p>
    <TryIt
      of={id}
      onPress={() => {
        onTry(edit);
      }}
    />
  </div>
);
