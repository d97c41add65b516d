/**
 * *Show PTX* and *Show SASS*: compiler output of a CUDA kernel next to its source, with linked
 * lines.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Listing } from '../../core/profile/listing/instruction';
import { hashText } from '../../core/text/hash';
import { showWarningMessage } from '../display/notify';
import { PTX_SCHEME } from '../ids';
import type { Shown } from '../documents/shown';
import type { Guard } from '../trust/guard';
import { compileListing, type CompileParts } from './compile';
import type { LineLinks } from './lineLinks';
import { subjectOf, type Subject } from './subject';
import type { ListingView } from './view';

export interface ListingParts extends CompileParts {
  readonly view: ListingView;
  readonly links: LineLinks;
  readonly guard: Guard;
  readonly shown: () => Shown | undefined;
}

/** Shows the listing of the document `uri`, or of the kernel in the explorer. */
export async function showListing(
  uri: vscode.Uri | undefined,
  language: Listing['language'],
  parts: ListingParts,
): Promise<void> {
  const found = await subjectOf(uri, parts.shown());
  if (!found.ok) {
    void showWarningMessage(found.why);
    return;
  }
  const { subject } = found;
  await parts.guard(t('Compiling a kernel'), async () => {
    const made = await compileListing(subject, language, parts);
    if (made === undefined) return;
    const address = addressOf(subject, language);
    await parts.view.show(address, made.text, made.start);
    if (subject.uri === undefined) return;
    const { text, sources } = { text: subject.source, sources: made.sources };
    parts.links.add(address, { source: subject.uri, text, sources });
  });
}

/**
 * Compiles the kernel in the explorer and sends facts about its listing to the page. The listing is
 * not opened.
 */
export async function inspectShown(
  language: Listing['language'],
  parts: ListingParts,
): Promise<void> {
  const found = await subjectOf(undefined, parts.shown());
  if (!found.ok) {
    void showWarningMessage(found.why);
    return;
  }
  await parts.guard(t('Compiling a kernel'), async () => {
    await compileListing(found.subject, language, parts);
  });
}

/**
 * Returns the URI of a listing. All listings of a kernel file in one language have the same URI, so
 * that a new listing replaces the old listing.
 */
function addressOf({ name, uri }: Subject, language: Listing['language']): vscode.Uri {
  const path = `/${name.replace(/\.cuh?$/i, '')}.${language}`;
  const query = uri === undefined ? '' : hashText(uri.toString()).slice(0, 12);
  return vscode.Uri.from({ scheme: PTX_SCHEME, path, query });
}
