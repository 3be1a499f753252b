import { setTimeout as delay } from 'node:timers/promises';
import type { AvmOutput, AvmUtxo, OutputType } from '../../../src/avalanche/avm/output.js';
import { PRIMARY_NETWORK, type Id } from '../../../src/avalanche/platformvm/ids.js';
import { FEE, type Scenario } from '../scenario/context.js';
import { ownedBy, type SigningKey } from '../scenario/signing-key.js';
import { XWallet } from './x-wallet.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

const YEAR_SECONDS = 365 * 24 * 3600;
const SHORT_LOCK_SECONDS = 5;

/** All that can be done on an X-chain, and what comes to it from the P- and C-chain and leaves for them. */
export async function runXScenario(scenario: Scenario): Promise<void> {
  const { node, networkId, avaxAssetId, xChainId, people } = scenario;
  const keys = [people.funded, ...people.trio] as const;
  const wallet = new XWallet({ node, networkId, avaxAssetId, blockchainId: xChainId, keys });
  const steps = new XSteps(scenario, wallet);
  await steps.fungibleAssets();
  await steps.nfts();
  await steps.properties();
  await steps.ownersAndLocks();
  await steps.crossings();
}

class XSteps {
  constructor(
    private readonly scenario: Scenario,
    private readonly wallet: XWallet,
  ) {}

  async fungibleAssets(): Promise<void> {
    const { wallet, mine, people } = this;
    this.step('an asset that there is no more of');
    const capped = await wallet.createAsset({ name: 'Capped Coin', symbol: 'CAP', denomination: 2 }, [
      { fxIndex: 0, outputs: [transfer(1_000n, [people.funded]), transfer(7n, [people.receiver])] },
    ]);
    await wallet.send({ outputs: [wallet.output(250n, ownedBy([people.otherReceiver]), capped)] });
    this.step('an asset that there is more and more of');
    const minted = await wallet.createAsset({ name: 'Minted Coin', symbol: 'MINT', denomination: 9 }, [
      {
        fxIndex: 0,
        outputs: [
          { type: 'Mint', owners: mine },
          { type: 'Mint', owners: this.trio },
        ],
      },
    ]);
    for (const [key, amount] of [
      [people.funded, 5_000n],
      [people.trio[0], 6_000n],
      [people.funded, 18_446_744_073_709_551_615n],
    ] as const) {
      await wallet.operate({
        utxo: await this.find(key, minted, 'Mint'),
        make: (signatureIndices) => ({
          type: 'Mint',
          signatureIndices,
          mintOutput: { type: 'Mint', owners: key === people.funded ? mine : this.trio },
          transferOutput: transfer(amount, [people.receiver]),
        }),
      });
    }
  }

  async nfts(): Promise<void> {
    const { wallet, mine, people } = this;
    this.step('NFTs');
    const nft = await wallet.createAsset({ name: 'Pictures', symbol: 'PIC', denomination: 0 }, [
      {
        fxIndex: 1,
        outputs: [
          { type: 'NftMint', groupId: 0, owners: mine },
          { type: 'NftMint', groupId: 1, owners: mine },
          { type: 'NftMint', groupId: 2, owners: mine },
        ],
      },
    ]);
    const payload = new TextEncoder().encode('https://pictures.invalid/1');
    await wallet.operate({
      utxo: await this.find(people.funded, nft, 'NftMint'),
      make: (signatureIndices) => ({
        type: 'NftMint',
        signatureIndices,
        groupId: 0,
        payload,
        owners: [mine, ownedBy([people.receiver])],
      }),
    });
    await wallet.operate({
      utxo: await this.find(people.funded, nft, 'NftTransfer'),
      make: (signatureIndices) => ({
        type: 'NftTransfer',
        signatureIndices,
        output: { type: 'NftTransfer', groupId: 0, payload, owners: ownedBy([people.otherReceiver]) },
      }),
    });
    await wallet.operate({
      utxo: await this.find(people.funded, nft, 'NftMint'),
      make: (signatureIndices) => ({
        type: 'NftMint',
        signatureIndices,
        groupId: 1,
        payload: Uint8Array.of(0, 255, 10),
        owners: [this.trio],
      }),
    });
  }

  async properties(): Promise<void> {
    const { wallet, mine, people } = this;
    this.step('properties');
    const property = await wallet.createAsset({ name: 'Membership', symbol: 'MEM', denomination: 0 }, [
      { fxIndex: 2, outputs: [{ type: 'PropertyMint', owners: mine }] },
    ]);
    for (const owner of [people.funded, people.receiver]) {
      await wallet.operate({
        utxo: await this.find(people.funded, property, 'PropertyMint'),
        make: (signatureIndices) => ({
          type: 'PropertyMint',
          signatureIndices,
          mintOutput: { type: 'PropertyMint', owners: mine },
          ownedOutput: { type: 'PropertyOwned', owners: ownedBy([owner]) },
        }),
      });
    }
    await wallet.operate({
      utxo: await this.find(people.funded, property, 'PropertyOwned'),
      make: (signatureIndices) => ({ type: 'PropertyBurn', signatureIndices }),
    });
    this.step('an asset of every kind at once');
    await wallet.createAsset({ name: 'Everything', symbol: 'ALL', denomination: 32 }, [
      { fxIndex: 0, outputs: [transfer(1n, [people.receiver]), { type: 'Mint', owners: mine }] },
      { fxIndex: 1, outputs: [{ type: 'NftMint', groupId: 9, owners: mine }] },
      { fxIndex: 2, outputs: [{ type: 'PropertyMint', owners: this.trio }] },
    ]);
  }

  async ownersAndLocks(): Promise<void> {
    const { wallet, people, scenario } = this;
    this.step('several owners');
    await wallet.send({
      outputs: [wallet.output(3n * AVAX, this.trio), wallet.output(4n * AVAX, this.trio)],
      memo: new TextEncoder().encode('for the three of you'),
    });
    await this.spend(3n * AVAX, people.trio[0]);
    this.step('locks');
    const now = scenario.now();
    const locked = (seconds: number) => ownedBy([people.trio[0]], { locktime: now + BigInt(seconds) });
    await wallet.send({
      outputs: [
        wallet.output(5n * AVAX, locked(SHORT_LOCK_SECONDS)),
        wallet.output(6n * AVAX, locked(YEAR_SECONDS)),
        wallet.output(7n * AVAX, locked(-YEAR_SECONDS)),
      ],
    });
    await delay((SHORT_LOCK_SECONDS + 2) * 1000);
    await this.spend(5n * AVAX, people.trio[0]);
  }

  async crossings(): Promise<void> {
    const { wallet, mine, scenario, people } = this;
    const { c, cChainId, xChainId, wallet: platform } = scenario;
    const avax = (amount: bigint, owners = mine) => wallet.output(amount * AVAX, owners);
    const fromP = async (amounts: readonly bigint[]): Promise<Id> => {
      const exportedOutputs = amounts.map((amount) => platform.output(amount * AVAX, mine));
      return platform.run({ burn: FEE, covered: exportedOutputs }, ({ base }) => ({
        type: 'Export',
        ...base,
        destinationChain: xChainId,
        exportedOutputs,
      }));
    };
    this.step('to the P-chain and back');
    await wallet.exportTo(PRIMARY_NETWORK, [avax(11n), avax(12n)]);
    await platform.importFrom('X', xChainId, FEE);
    await fromP([13n, 14n]);
    await wallet.importFrom('P', PRIMARY_NETWORK);
    this.step('to the C-chain and back');
    await wallet.exportTo(cChainId, [avax(15n)]);
    await c.importFrom('X', xChainId);
    await c.exportTo(xChainId, [avax(16n)]);
    await wallet.importFrom('C', cChainId);
    this.step('exports that nobody imports');
    await wallet.exportTo(PRIMARY_NETWORK, [
      avax(1n),
      avax(2n, this.trio),
      avax(3n, ownedBy([people.receiver])),
    ]);
    await wallet.exportTo(cChainId, [avax(4n)]);
    await fromP([5n]);
    await c.exportTo(xChainId, [avax(6n)]);
  }

  /** An output of AVAX that the key owns, alone or with others. */
  private async spend(amount: bigint, key: SigningKey): Promise<void> {
    const found = await this.wallet.utxosOf(key);
    const mustSpend = found.flatMap(({ output, ...rest }) =>
      output.type === 'Transfer' && output.amount === amount
        ? [{ ...rest, output: { amount, stakeableLocktime: null, owners: output.owners } }]
        : [],
    );
    await this.wallet.send({ mustSpend });
  }

  private async find(key: SigningKey, assetId: Id, type: OutputType): Promise<AvmUtxo> {
    const found = (await this.wallet.utxosOf(key))
      .filter((utxo) => utxo.assetId === assetId && utxo.output.type === type)
      .sort((a, b) => groupOf(a.output) - groupOf(b.output));
    const [first] = found;
    if (first === undefined) throw new Error(`${key.address} has no ${type} of ${assetId}`);
    return first;
  }

  private get people() {
    return this.scenario.people;
  }

  private get mine() {
    return ownedBy([this.people.funded]);
  }

  private get trio() {
    return ownedBy(this.people.trio, { threshold: 2 });
  }

  private step(what: string): void {
    this.scenario.step(what);
  }
}

function transfer(amount: bigint, keys: readonly SigningKey[]) {
  return { type: 'Transfer', amount, owners: ownedBy(keys) } as const;
}

function groupOf(output: AvmOutput): number {
  return 'groupId' in output ? output.groupId : 0;
}
