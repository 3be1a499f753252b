import { WEI_PER_NANO_AVAX } from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import type { Address } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { FEE, makeScenario } from '../scenario/context.js';
import { C_FEE } from '../scenario/other-chains.js';
import { ownedBy } from '../scenario/signing-key.js';
import { toLowerCase } from './accounts.js';
import type { CChainScenario } from './context.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

/** Native value that came from another chain or went there: no transaction of the EVM shows it. */
export interface AtomicMovement {
  readonly height: number;
  readonly address: Address;
  /** Negative when it left. */
  readonly amount: bigint;
}

const IMPORTED = 9n * AVAX;
const EXPORTED = 4n * AVAX;

/** Blocks without any transaction of the EVM, in which balances change all the same. */
export async function moveAcrossChains({
  url,
  node,
  accounts,
  step,
}: CChainScenario): Promise<AtomicMovement[]> {
  const scenario = await makeScenario({ url, step });
  const { wallet, c, cChainId, people } = scenario;
  const owners = ownedBy([people.funded]);
  const { address } = accounts.funded;
  const movementOf = async (nanoAvax: bigint): Promise<AtomicMovement> => ({
    height: await node.blockNumber(),
    address: toLowerCase(address),
    amount: nanoAvax * WEI_PER_NANO_AVAX,
  });

  const exportedOutputs = [wallet.output(IMPORTED, owners)];
  await wallet.run({ burn: FEE, covered: exportedOutputs }, ({ base }) => ({
    type: 'Export',
    ...base,
    destinationChain: cChainId,
    exportedOutputs,
  }));
  await c.importFromP();
  const imported = await movementOf(IMPORTED - C_FEE);
  await c.exportToP([wallet.output(EXPORTED, owners)]);
  return [imported, await movementOf(-(EXPORTED + C_FEE))];
}
