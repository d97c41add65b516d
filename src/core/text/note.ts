/** Defines notes, which are sentences about a kernel with a severity. */

export interface Note {
  readonly level: 'info' | 'advice' | 'warning';
  readonly text: string;
}
