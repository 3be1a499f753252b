import type { AvalancheError } from '../../src/avalanche/avalanche.error.js';

/** The code of an error of this kind that something throws, 'accepted' when it throws none; any other error passes through. */
export function codesOf<Code extends string>(
  kind: new (...args: never[]) => AvalancheError<Code>,
): (run: () => unknown) => Code | 'accepted' {
  return (run) => {
    try {
      run();
      return 'accepted';
    } catch (error) {
      if (error instanceof kind) return error.code;
      throw error;
    }
  };
}
