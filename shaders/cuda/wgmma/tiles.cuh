#if RASTER_COLUMNS
// Tile scheduler. Clusters traverse the tiles of C in groups of RASTER_GROUP columns, row by row, so that
// concurrent clusters reuse rows of A and columns of B from the L2 cache.
#else
// Tile scheduler. Clusters traverse the tiles of C in groups of RASTER_GROUP rows, column by column, so that
// concurrent clusters reuse rows of A and columns of B from the L2 cache.
#endif

#if BATCHED
struct Tile {
  int m, n, batch;  // first row and column, and the batch entry
};
#else
struct Tile {
  int m, n;  // first row and column
};
#endif

struct TileScheduler {
  int rows, columns;  // extents in cluster tiles
  int total;

#if BATCHED
  __device__ TileScheduler(int M, int N, int batch)
      : rows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)), columns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)),
        total(rows * columns * batch) {}
#else
  __device__ TileScheduler(int M, int N)
      : rows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)), columns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)),
        total(rows * columns) {}
#endif

  // Tile number `index` for the CTA at (blockM, blockN) of its cluster.
  __device__ Tile at(int index, int blockM, int blockN) const {
#if BATCHED
    const int batch = index / (rows * columns);
    index -= batch * rows * columns;
#endif
#if RASTER_COLUMNS
    const int group = index / (RASTER_GROUP * rows);
    const int inGroup = index - group * RASTER_GROUP * rows;
    const int width = min(RASTER_GROUP, columns - group * RASTER_GROUP);
    const int m = inGroup / width, n = group * RASTER_GROUP + inGroup % width;
#else
    const int group = index / (RASTER_GROUP * columns);
    const int inGroup = index - group * RASTER_GROUP * columns;
    const int height = min(RASTER_GROUP, rows - group * RASTER_GROUP);
    const int m = group * RASTER_GROUP + inGroup % height, n = inGroup / height;
#endif
#if BATCHED
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN, batch};
#else
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN};
#endif
  }
};
