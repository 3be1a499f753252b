import Sequencer from '@jest/test-sequencer';

/** What waits longest begins; small specs fill the gaps at the end. */
const ORDER = ['workflows', 'integration', 'midnight', 'replay', 'unit'];

export default class WaitingFirst extends Sequencer {
  sort(tests) {
    const rank = ({ context }) => ORDER.indexOf(context.config.displayName.name);
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
