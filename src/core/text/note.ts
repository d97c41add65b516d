/** Defines notes: sentences about a kernel, each with a severity level. */

export interface Note {
  readonly level: 'info' | 'advice' | 'warning';
  readonly text: string;
}
