/**
 * Accessible table of one shared-memory request: the lanes that each of the 32 banks serves, by
 * wavefront.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { bankPicture, type BankCell, type BankPhase } from '../../src/core/charts/bankDiagram';
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
        {t('{0}, {1} B per lane: {2} wavefronts, {3} from bank conflicts.', ...counts)}{' '}
        {paired
          ? t('Lane pairs read the same addresses, so each wavefront serves twice as many lanes.')
          : ''}{' '}
        {share === 1
          ? ''
          : t('Worst-case request; {0} of requests cost the same.', formatPercent(share))}
      </figcaption>
      <div class="table" role="region" aria-label={site} tabIndex={0}>
        <table class="banks">
          <caption class="visually-hidden">{t('Lanes per bank and wavefront: {0}', site)}</caption>
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
        {t(
          '+ marks further lanes that read the same word. ! marks a bank conflict, served in a later wavefront.',
        )}
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
