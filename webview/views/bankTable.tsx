/** A request of shared memory: 32 banks, and which lane each serves in which wavefront. A table, so that it can be read too. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { bankPicture, type BankCell, type BankPhase } from '../../src/core/charts/bankPicture';
import type { DrawnRequest } from '../../src/core/memory/drawnRequest';
import { lanesText } from '../../src/core/charts/pictureText';
import { BANKS } from '../../src/core/memory/requestCost';
import { formatNumber, formatPercent } from '../format';

const BANK_NUMBERS = Array.from({ length: BANKS }, (_, bank) => bank);

export function BankTable({ request }: { readonly request: DrawnRequest }): VNode {
  const { phases, wavefronts, conflicts, paired } = bankPicture(request);
  const { site, widthBytes, share } = request;
  const counts = [site, widthBytes, wavefronts, conflicts] as const;
  return (
    <figure class="request">
      <figcaption>
        {t('{0}, {1} B a lane: {2} wavefronts, {3} for conflicts.', ...counts)}{' '}
        {paired ? t('Lanes read in pairs, so twice as many are served at a time.') : ''}{' '}
        {share === 1 ? '' : t('The dearest request; {0} are like it.', formatPercent(share))}
      </figcaption>
      <div class="table" role="region" aria-label={site} tabIndex={0}>
        <table class="banks">
          <caption class="visually-hidden">
            {t('Lanes that each bank serves, by wavefront: {0}', site)}
          </caption>
          <thead>
            <tr>
              <th scope="col">{t('bank')}</th>
              {BANK_NUMBERS.map(bank => (
                <th key={bank} scope="col">
                  {bank}
                </th>
              ))}
            </tr>
          </thead>
          {phases.map(phase => (
            <Phase key={phase.first} phase={phase} alone={phases.length === 1} />
          ))}
        </table>
      </div>
      <p class="hint">
        {t('+ more lanes get the same word; ! the bank has another word to serve first.')}
      </p>
    </figure>
  );
}

function Phase({ phase, alone }: { readonly phase: BankPhase; readonly alone: boolean }): VNode {
  const { first, last, wavefronts } = phase;
  return (
    <tbody>
      {alone ? null : (
        <tr>
          <th scope="rowgroup" colSpan={BANKS + 1} class="phase">
            {t('lanes {0} to {1}', first, last)}
          </th>
        </tr>
      )}
      {wavefronts.map((cells, pass) => (
        <tr key={pass}>
          <th scope="row">{t('wavefront {0}', formatNumber(pass + 1))}</th>
          {cells.map((cell, bank) => (
            <Cell key={bank} cell={cell} late={pass > 0} />
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Cell({ cell, late }: { readonly cell: BankCell | null; readonly late: boolean }): VNode {
  if (cell === null) return <td />;
  const { lanes, word } = cell;
  const mark = late ? '!' : lanes.length > 1 ? '+' : '';
  return (
    <td
      class={late ? 'served conflict' : 'served'}
      title={t('lanes {0}, word {1}', lanesText(lanes), word)}
    >
      {lanes[0]}
      {mark}
    </td>
  );
}
