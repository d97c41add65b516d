/** Hardware constants that are equal on all supported GPUs. */

export const WARP_LANES = 32;
