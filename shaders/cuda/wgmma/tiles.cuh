#if COLUMN_STRIPS
// Which tile of C a block computes, and when: clusters walk the tiles in strips of GROUP columns, row after row, so that
// those that run at the same time share rows of A and columns of B in the L2 cache.
#else
// Which tile of C a block computes, and when: clusters walk the tiles in strips of GROUP rows, column after column, so that
// those that run at the same time share rows of A and columns of B in the L2 cache.
#endif

#if BATCHED
struct Tile {
  int m, n, batch;  // first row and column
};
#else
struct Tile {
  int m, n;  // first row and column
};
#endif

struct Tiles {
  int rows, columns;  // of cluster tiles
  int total;

#if BATCHED
  __device__ Tiles(int M, int N, int batch)
      : rows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)), columns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)),
        total(rows * columns * batch) {}
#else
  __device__ Tiles(int M, int N)
      : rows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)), columns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)),
        total(rows * columns) {}
#endif

  // Of the block at (blockM, blockN) of its cluster.
  __device__ Tile at(int index, int blockM, int blockN) const {
#if BATCHED
    const int batch = index / (rows * columns);
    index -= batch * rows * columns;
#endif
#if COLUMN_STRIPS
    const int strip = index / (GROUP * rows);
    const int inStrip = index - strip * GROUP * rows;
    const int width = min(GROUP, columns - strip * GROUP);
    const int m = inStrip / width, n = strip * GROUP + inStrip % width;
#else
    const int strip = index / (GROUP * columns);
    const int inStrip = index - strip * GROUP * columns;
    const int height = min(GROUP, rows - strip * GROUP);
    const int m = strip * GROUP + inStrip % height, n = inStrip / height;
#endif
#if BATCHED
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN, batch};
#else
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN};
#endif
  }
};
