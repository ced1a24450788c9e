// It comes without types; what it is gets checked when it is loaded.
declare module 'libheif-js/wasm-bundle.js'
