/** Number of threads per warp, used for all GPUs. */

export const WARP_LANES = 32;
