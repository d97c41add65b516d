/** The bundler imports CUDA sources as text. */
declare module '*.cuh' {
  const text: string;
  export default text;
}
