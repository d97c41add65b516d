/** The bundler imports C++ sources as text. */
declare module '*.h' {
  const text: string;
  export default text;
}
declare module '*.cpp' {
  const text: string;
  export default text;
}
