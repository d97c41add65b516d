#if RASTER_COLUMNS
// Tile scheduler. A cluster tile is CLUSTER_M x CLUSTER_N tiles of C. Clusters traverse C row
// by row, in groups of RASTER_GROUP columns of cluster tiles. Concurrent clusters thus reuse tiles
// of A and B from the L2 cache.
#else
// Tile scheduler. A cluster tile is CLUSTER_M x CLUSTER_N tiles of C. Clusters traverse C
// column by column, in groups of RASTER_GROUP rows of cluster tiles. Concurrent clusters thus reuse
// tiles of A and B from the L2 cache.
#endif

#if TWO_PASS
#if BATCHED
struct Tile {
  int m, n, batch, slice;  // first row and column in C, the batch entry, and the slice of K
};
#else
struct Tile {
  int m, n, slice;  // first row and column in C, and the slice of K
};
#endif
#else
#if BATCHED
struct Tile {
  int m, n, batch;  // first row and column in C, and the batch entry
};
#else
struct Tile {
  int m, n;  // first row and column in C
};
#endif
#endif

struct TileScheduler {
  int clusterRows, clusterColumns;  // extents of C in cluster tiles
  int total;

#if BATCHED
  __device__ TileScheduler(int M, int N, int batch)
      : clusterRows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)),
#if TWO_PASS
        clusterColumns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)),
        total(clusterRows * clusterColumns * batch * SPLIT_K) {}
#else
        clusterColumns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)), total(clusterRows * clusterColumns * batch) {}
#endif
#else
  __device__ TileScheduler(int M, int N)
      : clusterRows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)),
#if TWO_PASS
        clusterColumns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)), total(clusterRows * clusterColumns * SPLIT_K) {}
#else
        clusterColumns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)), total(clusterRows * clusterColumns) {}
#endif
#endif

#if TWO_PASS
  // Return the tile of CTA (blockM, blockN) within cluster tile `index`. All tiles of a slice of K
  // precede those of the next slice, so concurrent clusters read the same slice of A and B.
#else
  // Return the tile of CTA (blockM, blockN) within cluster tile `index`.
#endif
  __device__ Tile at(int index, int blockM, int blockN) const {
#if TWO_PASS
#if BATCHED
    const int part = index / (clusterRows * clusterColumns);  // slice of a batch entry
    index -= part * clusterRows * clusterColumns;
#else
    const int slice = index / (clusterRows * clusterColumns);
    index -= slice * clusterRows * clusterColumns;
#endif
#endif
#if BATCHED && !TWO_PASS
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
#if TWO_PASS
#if BATCHED
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN, part / SPLIT_K, part % SPLIT_K};
#else
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN, slice};
#endif
#else
#if BATCHED
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN, batch};
#else
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN};
#endif
#endif
  }
};
