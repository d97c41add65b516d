// Bandwidth ceiling: each thread copies four vec4s with the stride of the grid, so that accesses of a subgroup are
// coalesced. Buffer sizes are multiples of 4 * 16 bytes * threads.

@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> destination: array<vec4f>;

@compute @workgroup_size(256)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let threads = workgroups.x * 256u;
  for (var i = 0u; i < 4u; i++) {
    let index = id.x + i * threads;
    destination[index] = source[index];
  }
}
