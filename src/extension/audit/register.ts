/** Registers *Audit shapes*. */
import { t } from '@vscode/l10n';
import { COMMANDS } from '../ids';
import type { Runs } from '../runs/register';
import type { Base, Feature } from '../shared/base';
import { commandsOf, uriOf } from '../shared/commands';
import type { Toolchain } from '../toolchain/register';
import { auditShapes } from './audit';

export interface AuditParts extends Base {
  readonly runs: Pick<Runs, 'queueOf'>;
  readonly toolchain: Toolchain;
}

export const registerAudit = (parts: AuditParts): Feature => ({
  subscriptions: [
    commandsOf(parts)(COMMANDS.audit, argument =>
      parts.guard(t('Auditing shapes'), () => auditShapes(uriOf(argument), parts)),
    ),
  ],
});
