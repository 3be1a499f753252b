import { parseNumbersAndChoice } from '../options.js';
import { benchGossip } from './gossip.js';
import { benchMessages } from './messages.js';

/** `npm run bench -- floods`: the service beside those who mean it harm. */

const USAGE = `Usage: npm run bench -- floods [flood…] [options]
  messages   of blocks that nobody knows, beside an honest caller
  gossip     of an L1's validators, beside an honest caller

  --seconds S      length of each flood (300); half as long without one before it, where there is such a time
  --validators N   on the internet of the sandbox (930)
  --per-second N   messages that nobody knows (50)
  --addresses N    they come from (20)
  --gossipers N    validators of the L1 (40)`;

const FLOODS = {
  messages: () => benchMessages(numbers, say),
  gossip: () => benchGossip(numbers, say),
};
const DEFAULTS = { seconds: 300, validators: 930, 'per-second': 50, addresses: 20, gossipers: 40 };

const names = Object.keys(FLOODS) as (keyof typeof FLOODS)[];
const { numbers, chosen } = parseNumbersAndChoice(USAGE, DEFAULTS, names);
const say = (text: string): void => console.error(`[bench] ${text}`);

for (const name of chosen) console.log(`${await FLOODS[name]()}\n`);
