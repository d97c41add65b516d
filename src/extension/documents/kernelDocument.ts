/**
 * Classification of documents as spec, kernel or neither, from the editor text with its unsaved
 * changes.
 */
import type * as vscode from 'vscode';
import {
  parseKernelText,
  readKernel,
  type KernelFile,
  type KernelText,
} from '../../core/source/kernelFile';
import { readPythonFile } from '../../core/source/pythonFile';
import { parseSpec, type Decoded } from '../../core/spec/decode';
import { PTX_SCHEME, SPEC_ENDING } from '../ids';

type Document = Pick<vscode.TextDocument, 'uri' | 'languageId' | 'getText'>;

const lastOf = (uri: vscode.Uri): string => uri.path.split('/').pop() ?? uri.path;

/** File extensions of untitled documents by language, so that previews count as kernels. */
const ENDINGS: Readonly<Record<string, string>> = { 'cuda-cpp': '.cu', wgsl: '.wgsl' };
const untitledEnding = ({ uri, languageId }: Omit<Document, 'getText'>): string =>
  uri.scheme === 'untitled' && !/\.\w+$/.test(uri.path) ? (ENDINGS[languageId] ?? '') : '';

export const nameOf = (document: Omit<Document, 'getText'>): string =>
  lastOf(document.uri) + untitledEnding(document);

export const isSpec = ({ uri }: Pick<Document, 'uri'>): boolean => uri.path.endsWith(SPEC_ENDING);

export const isKernel = (document: Omit<Document, 'getText'>): boolean =>
  /\.(cu|cuh|wgsl)$/i.test(nameOf(document));

const isPython = (document: Omit<Document, 'getText'>): boolean => /\.py$/i.test(nameOf(document));

/** PTX and Python files, whose kernels are run but not analyzed in the editor. */
export const isForeign = (document: Omit<Document, 'getText'>): boolean =>
  document.uri.scheme !== PTX_SCHEME && (isPython(document) || /\.ptx$/i.test(nameOf(document)));

export const isWgsl = (document: Omit<Document, 'getText'>): boolean =>
  nameOf(document).toLowerCase().endsWith('.wgsl');

export const specOf = (document: Document): Decoded => parseSpec(document.getText());

/**
 * Reads the kernel `entry` of the document, by default the first annotated kernel. Returns the
 * reason if that kernel cannot run.
 */
export const kernelOf = (document: Document, entry?: string): KernelFile =>
  isPython(document) ? functionOf(document) : readKernel(kernelTextOf(document), entry);

function functionOf(document: Document): KernelFile {
  const place = { fileName: nameOf(document), path: document.uri.fsPath };
  const read = readPythonFile(document.getText(), place);
  return read.ok ? { ...read, origin: 'hand-written' } : read;
}

const parsed = new WeakMap<object, { readonly source: string; readonly file: KernelText }>();

/** Returns the parsed document; parses it again only if its text has changed. */
export function kernelTextOf(document: Document): KernelText {
  const source = document.getText();
  const known = parsed.get(document);
  if (known?.source === source) return known.file;
  const file = parseKernelText(source, nameOf(document));
  parsed.set(document, { source, file });
  return file;
}
