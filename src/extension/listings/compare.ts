/**
 * *Compare PTX* and *Compare SASS*: the normalized listings of two kernels in VS Code's diff
 * editor.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Listing } from '../../core/profile/listing/instruction';
import { hashText } from '../../core/text/hash';
import { showInformationMessage, showWarningMessage } from '../display/notify';
import { showQuickPick } from '../display/picks';
import { PTX_SCHEME, SPEC_ENDING } from '../ids';
import { compileListing } from './compile';
import type { ListingParts } from './show';
import { subjectOf, type Subject } from './subject';

const CANDIDATES = `**/*{${SPEC_ENDING},.cu}`;
const MAX_CANDIDATES = 200;

/**
 * @param chosen files selected in VS Code's Explorer, or the active document; the user is prompted
 * for a missing second file
 */
export async function compareListings(
  chosen: readonly vscode.Uri[],
  language: Listing['language'],
  parts: ListingParts,
): Promise<void> {
  const [uri, given] = chosen;
  const one = await subjectOf(uri, parts.shown());
  const second = one.ok ? (given ?? (await promptOther(uri, language))) : undefined;
  if (!one.ok) void showWarningMessage(one.why);
  if (!one.ok || second === undefined) return;
  const other = await subjectOf(second, undefined);
  if (!other.ok) {
    void showWarningMessage(other.why);
    return;
  }
  await parts.guard(t('Compiling a kernel'), async () => {
    const left = await address(one.subject, language, parts);
    const right = left && (await address(other.subject, language, parts));
    if (right === undefined) return;
    const title = t('{0} and {1}', one.subject.name, other.subject.name);
    await vscode.commands.executeCommand(
      'vscode.diff',
      left,
      right,
      `${language.toUpperCase()}: ${title}`,
    );
  });
}

async function address(
  subject: Subject,
  language: Listing['language'],
  parts: ListingParts,
): Promise<vscode.Uri | undefined> {
  const made = await compileListing(subject, language, parts);
  if (made === undefined) return undefined;
  const text = made.normalised();
  const path = `/${subject.name.replace(/\.cuh?$/i, '')}.${made.arch}.${language}`;
  const uri = vscode.Uri.from({ scheme: PTX_SCHEME, path, query: hashText(text).slice(0, 12) });
  parts.view.keep(uri, text);
  return uri;
}

async function promptOther(
  except: vscode.Uri | undefined,
  language: Listing['language'],
): Promise<vscode.Uri | undefined> {
  const found = await vscode.workspace.findFiles(CANDIDATES, undefined, MAX_CANDIDATES);
  const items = found
    .filter(uri => uri.toString() !== except?.toString())
    .map(uri => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .sort((one, other) => one.label.localeCompare(other.label));
  if (items.length === 0) {
    void showInformationMessage(
      t('The workspace contains no other spec or CUDA kernel to compare with.'),
    );
    return undefined;
  }
  const picked = await showQuickPick(items, {
    title: language === 'ptx' ? t('GEMM: compare PTX') : t('GEMM: compare SASS'),
    placeHolder: t('Select a spec or kernel to compare with'),
  });
  return picked?.uri;
}
