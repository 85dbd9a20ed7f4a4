/** The bundler takes styles in. */
declare module '*.css';
