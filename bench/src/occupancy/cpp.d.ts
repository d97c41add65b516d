/** The bundler imports C++ sources as text. */
declare module '*.cpp' {
  const text: string;
  export default text;
}
