/** The name that vite.config.ts gives to the glue wasm/ builds. */
declare module 'minimind-module' {
  export { default } from '../../wasm/minimind';
}
