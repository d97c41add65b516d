/** The spec that the explorer shows, and the file that it is written to. */
import * as vscode from 'vscode';
import { decodeSpec } from '../../core/spec/decode';
import { sameJson } from '../../core/spec/same';
import type { GemmSpec } from '../../core/spec/schema';
import { showWarningMessage } from '../display/notify';
import { shownOf, type Shown } from '../documents/shown';
import { SpecWriter } from '../specs/specFile';

export interface ShownSpecParts {
  readonly log: vscode.LogOutputChannel;
  /** From now on another document is shown. */
  readonly onOtherDocument: () => void;
  /** Pages show something else than this has. */
  readonly onChanged: () => void;
}

export class ShownSpec {
  private shown: Shown | undefined;
  private readonly writer = new SpecWriter();
  /** What the pages were last told. */
  private unwrittenShown = false;

  constructor(private readonly parts: ShownSpecParts) {}

  current(): Shown | undefined {
    return this.shown;
  }

  become(shown: Shown): void {
    if (this.shown !== undefined && !isOneDocument(this.shown, shown)) this.parts.onOtherDocument();
    this.shown = shown;
  }

  /** Whether the spec file holds something else than what is shown; the pages are being told. */
  tellUnwritten(): boolean {
    this.unwrittenShown = this.isUnwritten();
    return this.unwrittenShown;
  }

  /** An edit of a page, which may be written to the spec file; false when it is no spec. */
  change(spec: GemmSpec): boolean {
    const { shown } = this;
    const decoded = decodeSpec(spec);
    if (!decoded.ok || shown === undefined) return false;
    if (sameJson(shown.spec, decoded.spec)) return true;
    const wasUnwritten = this.isUnwritten();
    this.shown = { ...shown, spec: decoded.spec };
    // An edit may be saved by itself (files.autoSave), so Restricted Mode has none.
    if (vscode.workspace.isTrusted && !wasUnwritten) void this.write();
    else this.tellIfUnwritten();
    return true;
  }

  /** The document of what is shown has another text. Our own edits come back here while later ones may be waiting. */
  documentChanged(document: vscode.TextDocument): void {
    const { shown } = this;
    if (shown === undefined || (this.isSource(document.uri) && this.writer.isBusy())) return;
    const read = shownOf(document);
    if (!read.ok) return;
    const same = sameJson(read.shown.spec, shown.spec);
    this.become(same ? { ...shown, ...read.shown, spec: shown.spec } : read.shown);
    if (same) this.tellIfUnwritten();
    else this.parts.onChanged();
  }

  /** Writes the shown spec to its file. Only in a trusted workspace. */
  async write(): Promise<void> {
    const specFile = this.shown?.specFile;
    if (specFile === undefined) return;
    const latest = (): Shown | undefined => (this.isSource(specFile) ? this.shown : undefined);
    const wrote = (written: GemmSpec): void => {
      const shown = latest();
      if (shown !== undefined) this.shown = { ...shown, written };
    };
    await this.writer.write(specFile, () => latest()?.spec, wrote, this.parts.log);
    this.tellIfUnwritten();
  }

  /** Shows what the spec file holds again. */
  async read(): Promise<void> {
    const specFile = this.shown?.specFile;
    if (specFile === undefined) return;
    const read = shownOf(await vscode.workspace.openTextDocument(specFile));
    if (!read.ok) {
      void showWarningMessage(read.reason);
      return;
    }
    this.become(read.shown);
    this.parts.onChanged();
  }

  /** Whether it is the spec file of what is shown. */
  isSource(uri: vscode.Uri): boolean {
    return this.shown?.specFile?.toString() === uri.toString();
  }

  /** Changed in the page, and by nothing written down. */
  isChanged(): boolean {
    return !sameJson(this.shown?.spec, this.shown?.written);
  }

  private tellIfUnwritten(): void {
    if (this.unwrittenShown !== this.isUnwritten()) this.parts.onChanged();
  }

  /** The spec file holds something else than what is shown, and no edit is on its way. */
  private isUnwritten(): boolean {
    return this.shown?.specFile !== undefined && !this.writer.isBusy() && this.isChanged();
  }
}

/** A name without a document may get one: it is found again after a reload. */
const isOneDocument = (before: Shown, after: Shown): boolean =>
  before.name === after.name &&
  (before.document === undefined || before.document.toString() === after.document?.toString());
