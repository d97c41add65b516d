/**
 * Gate of warp-group kernels. An instruction computes the columns of B and those of the second B:
 * their tiles are adjacent in shared memory. A thread therefore holds both products of an element.
 */
import { gateOf, type Gate } from '../../spec/epilogue';
import { cudaActivation } from '../print/activations';
import { flagsOf, type PlanWithWgmma } from './parts';

/** Returns the gate that the main kernel applies; undefined if there is none. */
export const gateIn = ({ spec }: PlanWithWgmma): Gate | undefined => gateOf(spec.problem);

/** Returns the statement that computes the gated accumulators. */
export const gateCall = (plan: PlanWithWgmma): string =>
  `applyGate(acc, products${flagsOf(plan).SCALED ? ', alpha' : ''});`;

/** Returns the device function that applies the gate; empty without a gate. */
export function gateFunction(plan: PlanWithWgmma): readonly string[] {
  const gate = gateIn(plan);
  if (gate === undefined) return [];
  const { SCALED } = flagsOf(plan);
  const name = '__device__ __forceinline__ void applyGate(';
  const scaled = (value: string): string => (SCALED ? `alpha * ${value}` : value);
  const first = cudaActivation(gate.op.act, scaled('products[m][i]'), 'f32');
  const second = scaled('products[m][BN / 2 + i]');
  return [
    '// Apply the gate: the first half of the accumulators of a thread belongs to A * B, and the second',
    '// half to A * B2, for the same elements of C.',
    `${name}float (&acc)[M_INSTRUCTIONS][BN / 2], const float (&products)[M_INSTRUCTIONS][COLUMNS / 2]${SCALED ? ', float alpha' : ''}) {`,
    '  #pragma unroll',
    '  for (int m = 0; m < M_INSTRUCTIONS; ++m) {',
    '    #pragma unroll',
    `    for (int i = 0; i < BN / 2; ++i) acc[m][i] = ${first} * (${second});`,
    '  }',
    '}',
    '',
  ];
}
