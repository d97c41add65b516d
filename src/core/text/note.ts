/** Sentences about a kernel. */

export interface Note {
  readonly level: 'info' | 'advice' | 'warning';
  readonly text: string;
}
