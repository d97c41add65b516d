/**
 * Counts the requests of an access by shape. Requests that differ by whole 128-byte lines have the
 * same cost.
 */
import { WARP_LANES } from '../../hardware/warp';
import { LINE_BYTES } from '../../memory/requestCost';

export interface Shape {
  /** Byte address per lane, relative to `from`; NaN for inactive lanes. */
  readonly addresses: Float64Array;
  /** Start of the 128-byte line of the first request with this shape. */
  readonly from: number;
  readonly lanes: number;
  times: number;
}

export class Tally {
  private readonly shapes = new Map<string, Shape>();
  private newest: Shape | undefined;
  /**
   * Lowest address of all requests; `most` is the maximum of the lowest addresses of the requests.
   */
  least = Infinity;
  most = -Infinity;

  add(addresses: Float64Array): void {
    const first = lowest(addresses);
    this.least = Math.min(this.least, first);
    this.most = Math.max(this.most, first);
    const from = Math.floor(first / LINE_BYTES) * LINE_BYTES;
    const newest = this.newest;
    if (newest !== undefined && isMoved(newest.addresses, addresses, from)) {
      newest.times += 1;
      return;
    }
    const moved = addresses.map(address => address - from);
    const key = moved.join();
    const known = this.shapes.get(key);
    const lanes = moved.reduce((count, address) => count + Number(!Number.isNaN(address)), 0);
    const shape = known ?? { addresses: moved, from, lanes, times: 0 };
    shape.times += 1;
    this.shapes.set(key, shape);
    this.newest = shape;
  }

  all(): readonly Shape[] {
    return [...this.shapes.values()];
  }
}

function lowest(addresses: Float64Array): number {
  let least = Infinity;
  for (let lane = 0; lane < WARP_LANES; lane++) {
    const address = addresses[lane] ?? NaN;
    if (address < least) least = address;
  }
  return least;
}

function isMoved(shape: Float64Array, addresses: Float64Array, from: number): boolean {
  for (let lane = 0; lane < WARP_LANES; lane++) {
    const [one, other] = [shape[lane] ?? NaN, (addresses[lane] ?? NaN) - from];
    if (one !== other && !(Number.isNaN(one) && Number.isNaN(other))) return false;
  }
  return true;
}
