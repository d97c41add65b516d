/** Module declaration: the bundler imports CUDA sources as strings. */
declare module '*.cuh' {
  const text: string;
  export default text;
}
