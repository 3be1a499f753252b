import { parseNumbersAndChoice } from '../options.js';
import { benchExports } from './exports.js';
import { benchGossip } from './gossip.js';
import { benchMessages } from './messages.js';
import { benchNfts } from './nfts.js';

/** `npm run bench -- floods`: the service beside those who mean it harm. */

const USAGE = `Usage: npm run bench -- floods [flood…] [options]
  messages   of blocks that nobody knows, beside an honest caller
  gossip     of an L1's validators, beside an honest caller
  nfts       of one contract that nobody has asked for before
  exports    that are started while there is room, and run while there is hardly any

  --seconds S             length of each flood (300), except of exports, which take as long as they take
  messages, gossip; before them it is measured for half as long without them
  --validators N          on the internet of the sandbox (930)
  --per-second N          messages that nobody knows (50)
  --addresses N           they come from (20)
  --gossipers N           validators of the L1 (40)
  nfts
  --nfts-per-minute N     asked for (10000)
  --metadata-kilobytes N  of each, in its URI (4)
  exports
  --exports N             started at once (100)
  --export-rows N         of each (40000)`;

const FLOODS = {
  messages: () => benchMessages(numbers, log),
  gossip: () => benchGossip(numbers, log),
  nfts: () => benchNfts(numbers, log),
  exports: () => benchExports(numbers, log),
};
const DEFAULTS = {
  seconds: 300,
  validators: 930,
  'per-second': 50,
  addresses: 20,
  gossipers: 40,
  'nfts-per-minute': 10_000,
  'metadata-kilobytes': 4,
  exports: 100,
  'export-rows': 40_000,
};

const names = Object.keys(FLOODS) as (keyof typeof FLOODS)[];
const { numbers, chosen } = parseNumbersAndChoice(USAGE, DEFAULTS, names);
const log = (text: string): void => console.error(`[bench] ${text}`);

for (const name of chosen) console.log(`${await FLOODS[name]()}\n`);
