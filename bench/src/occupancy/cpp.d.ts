/** The bundler gives C++ sources as text. */
declare module '*.cpp' {
  const text: string;
  export default text;
}
