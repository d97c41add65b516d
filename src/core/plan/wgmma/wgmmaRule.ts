/** Helpers that create the `wgmma` rules. */
import { t } from '@vscode/l10n';
import { swappedPath, swappedSpec, swappedValue } from '../swapAB';
import type { WgmmaPlan } from './wgmmaPlan';
import type { RuleViolation, ShapeInput, ShapeRule } from '../rules/rule';
import { swappedPlan, swappedTile } from './wgmma';

interface GroupInput extends ShapeInput {
  readonly wgmma: WgmmaPlan;
}
type RuleViolations = readonly Omit<RuleViolation, 'rule'>[];

export const wgmmaRule =
  (name: string, of: (input: GroupInput) => RuleViolations): ShapeRule =>
  input => {
    const { geometry } = input;
    return geometry.family === 'wgmma'
      ? of({ ...input, wgmma: geometry.wgmma }).map(breach => ({ rule: name, ...breach }))
      : [];
  };

/** Names of the computed GEMM's dimensions and operands in the spec. */
export interface Names {
  readonly m: string;
  readonly n: string;
  readonly a: string;
  readonly b: string;
}
const NAMES = {
  ab: { m: 'block.m', n: 'block.n', a: 'A', b: 'B' },
  ba: { m: 'block.n', n: 'block.m', a: 'B', b: 'A' },
} as const;

/**
 * Creates a rule that checks the computed GEMM (after swapping operands). Its violations are mapped
 * to fields of the spec.
 */
export const computedRule = (
  name: string,
  of: (input: GroupInput & { readonly names: Names }) => RuleViolations,
): ShapeRule =>
  wgmmaRule(name, input => {
    const { wgmma, spec, geometry } = input;
    const names = NAMES[wgmma.operandOrder];
    if (wgmma.operandOrder === 'ab') return of({ ...input, names });
    const mirrored = swappedSpec(spec);
    const tile = swappedTile(geometry.tile);
    const found = of({
      ...input,
      names,
      spec: mirrored,
      geometry: { ...geometry, tile },
      wgmma: swappedPlan(wgmma, mirrored.schedule),
    });
    return found.map(({ path, message, ...breach }) => ({
      ...breach,
      path: swappedPath(path),
      message: t(
        '{0} This applies to the GEMM after swapping operands (operandOrder ba), whose rows are the columns of C.',
        message,
      ),
      ...('nearest' in breach ? { nearest: swappedValue(path, breach.nearest) } : {}),
    }));
  });
