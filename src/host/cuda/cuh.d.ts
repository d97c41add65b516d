/** Declares CUDA files as modules that export their source. */
declare module '*.cuh' {
  const text: string;
  export default text;
}
