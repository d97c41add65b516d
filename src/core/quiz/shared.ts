/** Questions about shared memory: the wavefronts of a request, and padding against conflicts. */
import { t } from '@vscode/l10n';
import { bankPicture, type BankCell, type BankPhase, type Wavefront } from '../charts/bankDiagram';
import { lanesText } from '../charts/pictureText';
import type { Kernel } from '../kernel/kernel';
import type { SharedAccess } from '../memory/access';
import { MAX_PADDING, paddingTrials, type PaddingTrial } from '../memory/accesses';
import { drawnRequest, type DrawnRequest } from '../memory/drawnRequest';
import { BANKS } from '../memory/requestCost';
import { grouped, significant } from '../text/numbers';
import { choice, count, type Question, type Wrong } from './question';

export function sharedQuestions(
  kernel: Kernel,
  sites: readonly SharedAccess[],
): readonly Question[] {
  const named = sites.filter(
    ({ site, op }, index) =>
      sites.findIndex(other => other.site === site && other.op === op) === index,
  );
  return [
    ...named.flatMap(site => wavefrontQuestion(kernel, site) ?? []),
    ...named.flatMap(site => paddingQuestion(kernel, site) ?? []),
  ];
}

function wavefrontQuestion(kernel: Kernel, access: SharedAccess): Question | null {
  const request = drawnRequest(kernel, access);
  if (request === null) return null;
  const picture = bankPicture(request);
  const active = request.addresses.filter(address => address !== null).length;
  const { site } = access;
  return count(
    {
      id: `shared/wavefronts/${site} ${access.op}`,
      topic: 'shared',
      text:
        access.wavefrontsPerRequest === request.cost
          ? t('How many wavefronts does one request of {0} take?', site)
          : t('How many wavefronts does the worst-case request of {0} take?', site),
      derivation: wavefrontDerivation(request),
    },
    request.cost,
    [
      { value: picture.phases.length, mistake: t('This is the count without bank conflicts.') },
      {
        value: lanesPerBank(request),
        mistake: t('Lanes that read the same word share a wavefront.'),
      },
      { value: picture.conflicts, mistake: t('These are only the wavefronts due to conflicts.') },
      {
        value: active,
        mistake: t('A wavefront serves up to 32 banks, and therefore several lanes.'),
      },
      { value: 1, mistake: t('A bank serves one word per wavefront.') },
    ],
  );
}

/** Returns the lanes that access the busiest bank together, including lanes of the same word. */
const lanesPerBank = (request: DrawnRequest): number =>
  Math.max(
    0,
    ...bankPicture(request).phases.flatMap(({ wavefronts }) =>
      Array.from({ length: BANKS }, (_, bank) =>
        wavefronts.reduce((sum, cells) => sum + (cells[bank]?.lanes.length ?? 0), 0),
      ),
    ),
  );

function wavefrontDerivation(request: DrawnRequest): readonly string[] {
  const { phases, wavefronts, paired } = bankPicture(request);
  return [
    t('Each lane accesses {0} B, and a bank serves 4 B per wavefront.', request.widthBytes),
    ...(paired ? [t('Lane pairs read the same addresses, so twice as many lanes fit.')] : []),
    ...phases.map(phaseText),
    ...(request.throughL1 === 0
      ? []
      : [t('Passes of the asynchronous copy through L1: {0}.', request.throughL1)]),
    t('Wavefronts in total: {0}.', wavefronts + request.throughL1),
  ];
}

function phaseText({ first, last, wavefronts, conflicts }: BankPhase): string {
  const lanes = t('Lanes {0} to {1}', first, last);
  const [bank] = conflicts.toSorted(
    (one, other) => wordsOf(wavefronts, other).length - wordsOf(wavefronts, one).length,
  );
  return bank === undefined
    ? t('{0}: each bank serves at most one word, in one wavefront.', lanes)
    : t(
        '{0}: bank {1} serves {2} different words ({3}), one per wavefront.',
        lanes,
        bank,
        wordsOf(wavefronts, bank).length,
        wordsOf(wavefronts, bank)
          .map(cell => t('for lanes {0}', lanesText(cell.lanes)))
          .join('; '),
      );
}

const wordsOf = (wavefronts: readonly Wavefront[], bank: number): readonly BankCell[] =>
  wavefronts.flatMap(cells => cells[bank] ?? []);

function paddingQuestion(kernel: Kernel, access: SharedAccess): Question | null {
  const { site, op, conflictsPerRequest, curingPadding } = access;
  const trials = paddingTrials(kernel, access);
  if (conflictsPerRequest === 0 || trials.length === 0) return null;
  const yes = t('Yes');
  const none = t('No, and neither does any padding up to {0}', MAX_PADDING);
  const by = (padding: number): string =>
    padding === 1 ? yes : t('No, the least padding is {0}', padding);
  const right = curingPadding === null ? none : by(curingPadding);
  const order = [yes, ...[2, 3, 4, 5, 6, 7, 8].map(by), none];
  const wrong: readonly Wrong<string>[] = [
    { value: yes, mistake: resultText(1, trials[0]?.result ?? 'conflicts') },
    ...[4, 2, 8].map(padding => ({ value: by(padding), mistake: paddingMistake(padding, trials) })),
    { value: none, mistake: t('A padding of {0} removes them.', curingPadding ?? 0) },
  ];
  return choice(
    {
      id: `shared/padding/${site} ${op}`,
      topic: 'shared',
      text: t(
        'Does padding the rows of {0} by 1 element remove the bank conflicts of {1}, with the same access width?',
        `${access.operand.toUpperCase()}s`,
        site,
      ),
      derivation: [
        t(
          'Wavefronts per request: {0}; due to conflicts: {1}.',
          formatted(access.wavefrontsPerRequest),
          formatted(conflictsPerRequest),
        ),
        ...trials.map(({ padding, result }) => resultText(padding, result)),
      ],
    },
    right,
    wrong,
    (one, other) => order.indexOf(one) - order.indexOf(other),
  );
}

const formatted = (value: number): string =>
  Number.isInteger(value) ? grouped(value) : significant(value);

const resultText = (padding: number, result: PaddingTrial['result']): string =>
  ({
    narrower: t('Padding {0}: rows would need narrower accesses.', padding),
    conflicts: t('Padding {0}: conflicts remain.', padding),
    free: t('Padding {0}: no conflicts.', padding),
  })[result];

function paddingMistake(padding: number, trials: readonly PaddingTrial[]): string {
  const trial = trials.find(other => other.padding === padding);
  return trial === undefined || trial.result === 'free'
    ? t('A smaller padding removes them.')
    : resultText(padding, trial.result);
}
