/** Defines figures: values with unit and origin. */

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
