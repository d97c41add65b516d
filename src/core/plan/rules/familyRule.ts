/**
 * Helpers that wrap the rules of one kernel family. A wrapped rule receives the sub-plans of its
 * family and skips other families.
 */
import type { BlockShape, LanePlan, MatrixPlan, MmaFamily, SimtFamily, Shape } from '../plan';
import type { RuleViolation, ShapeInput, ShapeRule } from './rule';

type Breaches = readonly RuleViolation[];
const NONE: Breaches = [];

export const laneRule =
  (
    of: (input: ShapeInput, lanes: LanePlan, geometry: BlockShape & SimtFamily) => Breaches,
  ): ShapeRule =>
  input => {
    const { geometry } = input;
    return geometry.family === 'simt' && geometry.lanes !== null
      ? of(input, geometry.lanes, geometry)
      : NONE;
  };

type MatrixShapes = Extract<Shape, { readonly matrix: MatrixPlan }>;

export const matrixRule =
  (of: (input: ShapeInput, geometry: MatrixShapes) => Breaches): ShapeRule =>
  input => {
    const { geometry } = input;
    return geometry.family === 'mma' || geometry.family === 'subgroup-matrix'
      ? of(input, geometry)
      : NONE;
  };

export const subgroupMatrixRule = (
  of: (input: ShapeInput, matrix: MatrixPlan) => Breaches,
): ShapeRule =>
  matrixRule((input, { family, matrix }) =>
    family === 'subgroup-matrix' ? of(input, matrix) : NONE,
  );

export const mmaRule =
  (of: (input: ShapeInput, geometry: BlockShape & MmaFamily) => Breaches): ShapeRule =>
  input =>
    input.geometry.family === 'mma' ? of(input, input.geometry) : NONE;
