// Fragments. ldmatrix loads four matrices of 8 rows x 16 bytes; lane i supplies the address of row
// i % 8 of matrix i / 8.
#if !A_PANELS || !B_PANELS
__device__ __forceinline__ void ldmatrix4(uint32_t (&d)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(address) : "memory");
}
#endif
#if A_PANELS && !B_PANELS || B_PANELS && !A_PANELS

#endif
#if A_PANELS || B_PANELS
// Load four matrices of 8 x 8 elements and transpose them, for tiles whose rows have one k each.
__device__ __forceinline__ void ldmatrix4Transposed(uint32_t (&d)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(address) : "memory");
}
#endif

// Address of a 16-byte chunk in rows of `rowBytes`. TMA permutes the 8 chunks of 128-byte rows, and
// the 4 chunks of 64-byte rows (XOR swizzle), so that the 8 rows of a matrix are in different banks.
template <int rowBytes>
__device__ __forceinline__ uint32_t chunkAddress(uint32_t tile, int row, int chunk) {
  return tile + row * rowBytes + (chunk ^ (rowBytes == 128 ? row % 8 : row / 2 % 4)) * 16;
}

// Load the fragment of A of this warp: 16 rows of the m-th 64 rows of the tile.
__device__ __forceinline__ void loadA(uint32_t (&fragment)[4], uint32_t tile, int m, int kStep) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#if A_PANELS
  // A panel has 64 rows of A. Its rows in shared memory have one k each.
  ldmatrix4Transposed(fragment, chunkAddress<PANEL_BYTES_A>(tile + m * (BK * PANEL_BYTES_A),
                                                            kStep * MMA_K + lane / 16 * 8 + lane % 8, warp * 2 + lane / 8 % 2));
#else
  ldmatrix4(fragment, chunkAddress<ROW_BYTES>(tile, m * GROUP_ROWS + warp * WARP_ROWS + lane % 16, kStep * 2 + lane / 16));
#endif
}

// Load the fragments of B of columns 16 n to 16 n + 15: two registers per 8 columns.
__device__ __forceinline__ void loadB(uint32_t (&fragments)[4], uint32_t tile, int n, int kStep) {
  const int lane = threadIdx.x % 32;
#if B_PANELS
  // A panel has PANEL_SIDE_B columns of B. Its rows in shared memory have one k each.
  const uint32_t panel = tile + n * 16 / PANEL_SIDE_B * (BK * PANEL_BYTES_B);
  ldmatrix4Transposed(fragments, chunkAddress<PANEL_BYTES_B>(panel, kStep * MMA_K + lane % 16,
                                                             n * 16 % PANEL_SIDE_B / 8 + lane / 16));
#else
  ldmatrix4(fragments, chunkAddress<ROW_BYTES>(tile, n * 16 + lane / 16 * 8 + lane % 8, kStep * 2 + lane / 8 % 2));
#endif
}
