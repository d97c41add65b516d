/** Numbers with their unit and origin. */

/** A number with its unit and where it comes from. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly from: 'spec' | 'derived' | 'compiler' | 'measured';
}

export const figure = (value: number, unit: string, from: Figure['from']): Figure => ({
  value,
  unit,
  from,
});
