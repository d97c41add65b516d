/** The spec that the explorer shows, and its file. */
import * as vscode from 'vscode';
import { decodeSpec } from '../../core/spec/decode';
import { sameJson } from '../../core/spec/sameJson';
import type { GemmSpec } from '../../core/spec/schema';
import { showWarningMessage } from '../display/notify';
import { specOf } from '../documents/kernelDocument';
import { shownOf, type Shown } from '../documents/shown';
import { SpecWriter, type SpecEdit } from '../specs/specFile';

export interface ShownSpecParts {
  readonly log: vscode.LogOutputChannel;
  readonly onOtherDocument: () => void;
  readonly onChanged: () => void;
}

export class ShownSpec {
  private shown: Shown | undefined;
  private readonly writer = new SpecWriter();
  /**
   * Whether the last state sent to the pages reported a difference between the spec file and the
   * shown spec.
   */
  private unwrittenShown = false;

  constructor(private readonly parts: ShownSpecParts) {}

  current(): Shown | undefined {
    return this.shown;
  }

  become(shown: Shown): void {
    if (this.shown !== undefined && !isOneDocument(this.shown, shown)) this.parts.onOtherDocument();
    this.shown = shown;
  }

  /**
   * Returns whether the spec file differs from the shown spec and no edit is pending. Records the
   * result as sent to the pages.
   */
  tellUnwritten(): boolean {
    this.unwrittenShown = this.isUnwritten();
    return this.unwrittenShown;
  }

  /**
   * Applies an edit of a page. In a trusted workspace, also writes it to the spec file unless the
   * file has other changes. Returns false if nothing is shown or the spec is invalid.
   */
  change(spec: GemmSpec): boolean {
    const { shown } = this;
    const decoded = decodeSpec(spec);
    if (!decoded.ok || shown === undefined) return false;
    if (sameJson(shown.spec, decoded.spec)) return true;
    const wasUnwritten = this.isUnwritten();
    this.shown = { ...shown, spec: decoded.spec };
    // The files.autoSave setting may save an edit, so Restricted Mode skips the write.
    if (vscode.workspace.isTrusted && !wasUnwritten)
      void this.writeOver(document => this.isAsWritten(document));
    else this.tellIfUnwritten();
    return true;
  }

  /**
   * Shows the new content of a valid document. Ignores changes of the spec file while the explorer
   * writes to it. Keeps an unwritten edit if the spec in the file did not change, for example when
   * the file was saved.
   */
  documentChanged(document: vscode.TextDocument): void {
    const { shown } = this;
    const isSource = this.isSource(document.uri);
    if (shown === undefined || (isSource && this.writer.isBusy())) return;
    const read = shownOf(document);
    if (!read.ok) return;
    const { spec } = read.shown;
    const keeps = sameJson(spec, shown.spec) || (isSource && sameJson(spec, shown.written));
    this.become(keeps ? { ...shown, ...read.shown, spec: shown.spec } : read.shown);
    if (keeps) this.tellIfUnwritten();
    else this.parts.onChanged();
  }

  /** Replaces the content of the spec file by the shown spec. Requires a trusted workspace. */
  write(): Promise<void> {
    return this.writeOver(() => true);
  }

  private async writeOver(mayReplace: SpecEdit['mayReplace']): Promise<void> {
    const specFile = this.shown?.specFile;
    if (specFile === undefined) return;
    const latest = (): Shown | undefined => (this.isSource(specFile) ? this.shown : undefined);
    const onWritten = (written: GemmSpec): void => {
      const shown = latest();
      if (shown !== undefined) this.shown = { ...shown, written };
    };
    const edit = { latest: () => latest()?.spec, mayReplace, onWritten };
    await this.writer.write(specFile, edit, this.parts.log);
    // Changes of the document during the write were ignored.
    if (this.isSource(specFile) && !this.isChanged())
      this.documentChanged(await vscode.workspace.openTextDocument(specFile));
    this.tellIfUnwritten();
  }

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

  isSource(uri: vscode.Uri): boolean {
    return this.shown?.specFile?.toString() === uri.toString();
  }

  /**
   * Returns whether the shown spec differs from the spec that was last read from or written to the
   * document.
   */
  isChanged(): boolean {
    return !sameJson(this.shown?.spec, this.shown?.written);
  }

  /**
   * Returns whether the document has the spec that was last read from it or written to it.
   * Otherwise records the spec that it has.
   */
  private isAsWritten(document: vscode.TextDocument): boolean {
    const [{ shown }, read, decoded] = [this, shownOf(document), specOf(document)];
    if (shown === undefined || !read.ok || !decoded.ok) return false;
    // A written spec without a schedule is read with the schedule that the workspace adopted.
    const specs = [read.shown.spec, decoded.spec];
    if (specs.some(spec => sameJson(spec, shown.written))) return true;
    this.shown = { ...shown, written: read.shown.spec };
    return false;
  }

  private tellIfUnwritten(): void {
    if (this.unwrittenShown !== this.isUnwritten()) this.parts.onChanged();
  }

  private isUnwritten(): boolean {
    return this.shown?.specFile !== undefined && !this.writer.isBusy() && this.isChanged();
  }
}

/**
 * Returns whether two shown contents belong to the same document. A restored content may have no
 * document yet.
 */
const isOneDocument = (before: Shown, after: Shown): boolean =>
  before.name === after.name &&
  (before.document === undefined || before.document.toString() === after.document?.toString());
