/** Recognizes the marker lines that git leaves in a file after a merge conflict. */
import { t } from '@vscode/l10n';

const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?: |\r?$)/;

/** Tests whether a line is a conflict marker, such as `<<<<<<< HEAD`. */
export const isConflictMarker = (line: string): boolean => MARKER.test(line);

/** Message for a conflict marker in a file of lines, where the lines around it stay valid. */
export const conflictMarkerText = (): string =>
  t('Git conflict marker. Fix: delete this line, and keep the lines around it.');

/** Returns the one-based number of the first conflict marker; undefined if there is none. */
export function firstConflictMarker(text: string): number | undefined {
  const index = text.split('\n').findIndex(isConflictMarker);
  return index < 0 ? undefined : index + 1;
}
