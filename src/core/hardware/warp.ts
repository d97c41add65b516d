/** Sizes that all supported GPUs share. */

export const WARP_LANES = 32;
