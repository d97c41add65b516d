/** Python function that encodes tensor maps with the CUDA driver. */

/** Values of CUtensorMapDataType (cuda.h). */
export const MAP_TYPES = { f16: 6, f32: 7, tf32: 11 } as const;

export const tensorMapHelper = (
  name: string,
): string => `_driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
_MAP_TYPES = ${JSON.stringify(MAP_TYPES)}
_MAP_BYTES = 128


def tensor_map(matrix, dtype, inner, outer, ld, batch, stride, box, swizzle):
    """Encodes the CUtensorMap of a matrix, through which TMA accesses boxes of it."""
    itemsize = matrix.dtype.itemsize
    sizes = [inner, outer] + ([] if batch is None else [batch])
    strides = [ld * itemsize] + ([] if batch is None else [stride * itemsize])
    boxes = [*box] + ([] if batch is None else [1])
    rank = len(sizes)
    # The driver requires an alignment of 64 bytes.
    memory = numpy.zeros(_MAP_BYTES + 64, numpy.uint8)
    start = -memory.ctypes.data % 64
    encoded = memory[start : start + _MAP_BYTES]
    error = _driver.cuTensorMapEncodeTiled(
        ctypes.c_void_p(encoded.ctypes.data),
        ctypes.c_int(_MAP_TYPES[dtype]),
        ctypes.c_uint(rank),
        ctypes.c_void_p(matrix.data.ptr),
        (ctypes.c_uint64 * rank)(*sizes),
        (ctypes.c_uint64 * (rank - 1))(*strides),
        (ctypes.c_uint32 * rank)(*boxes),
        (ctypes.c_uint32 * rank)(*[1] * rank),
        ctypes.c_int(0),  # no interleave
        ctypes.c_int(swizzle),
        ctypes.c_int(2),  # L2 promotion of 128 bytes
        ctypes.c_int(0),  # zeros outside of the matrix
    )
    if error != 0:
        raise RuntimeError(f"${name}: cuTensorMapEncodeTiled failed with error {error}")
    # CuPy passes an array with one element by value.
    return encoded.view(numpy.dtype((numpy.void, _MAP_BYTES)))
`;
