/** How TypeScript becomes JavaScript in tests, in jest and outside of it: as the compiler does it, decorators included. */
export const SWC_OPTIONS = {
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
