#if RASTER_COLUMNS
// Tile scheduler. A cluster tile is CLUSTER_M x CLUSTER_N tiles of C. Clusters traverse C row
// by row, in groups of RASTER_GROUP columns of cluster tiles. Concurrent clusters thus reuse tiles
// of A and B from the L2 cache.
#else
// Tile scheduler. A cluster tile is CLUSTER_M x CLUSTER_N tiles of C. Clusters traverse C
// column by column, in groups of RASTER_GROUP rows of cluster tiles. Concurrent clusters thus reuse
// tiles of A and B from the L2 cache.
#endif

#if BATCHED
struct Tile {
  int m, n, batch;  // first row and column in C, and the batch entry
};
#else
struct Tile {
  int m, n;  // first row and column in C
};
#endif

struct TileScheduler {
  int clusterRows, clusterColumns;  // extents of C in cluster tiles
  int total;

#if BATCHED
  __device__ TileScheduler(int M, int N, int batch)
      : clusterRows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)),
        clusterColumns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)), total(clusterRows * clusterColumns * batch) {}
#else
  __device__ TileScheduler(int M, int N)
      : clusterRows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)),
        clusterColumns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)), total(clusterRows * clusterColumns) {}
#endif

  // Return the tile of CTA (blockM, blockN) within cluster tile `index`.
  __device__ Tile at(int index, int blockM, int blockN) const {
#if BATCHED
    const int batch = index / (clusterRows * clusterColumns);
    index -= batch * clusterRows * clusterColumns;
#endif
#if RASTER_COLUMNS
    const int group = index / (RASTER_GROUP * clusterRows);
    const int inGroup = index - group * RASTER_GROUP * clusterRows;
    const int groupColumns = min(RASTER_GROUP, clusterColumns - group * RASTER_GROUP);
    const int m = inGroup / groupColumns, n = group * RASTER_GROUP + inGroup % groupColumns;
#else
    const int group = index / (RASTER_GROUP * clusterColumns);
    const int inGroup = index - group * RASTER_GROUP * clusterColumns;
    const int groupRows = min(RASTER_GROUP, clusterRows - group * RASTER_GROUP);
    const int m = group * RASTER_GROUP + inGroup % groupRows, n = inGroup / groupRows;
#endif
#if BATCHED
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN, batch};
#else
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN};
#endif
  }
};
