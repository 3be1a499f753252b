import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { l1StatementOf } from '../../src/avalanche/platformvm/l1-transaction.js';
import type { Transaction, TxOf } from '../../src/avalanche/platformvm/transaction.js';
import { RpcError } from '../../src/avalanche/rpc/rpc.error.js';
import type { TxStatus } from '../../src/avalanche/rpc/platform-client.js';
import { unpackJustification, validationIdOfJustification } from '../../src/avalanche/warp/justification.js';
import { validationIdOfConversion } from '../../src/avalanche/warp/message/subnet-to-l1-conversion.js';
import { Database } from '../../src/platform/database/database.js';
import type { Network } from '../../src/platform/networks/network.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { L1ValidatorRepository } from '../../src/resources/signature-aggregator/message/l1-validator.repository.js';
import { TransactionMessages } from '../../src/resources/signature-aggregator/message/transaction-messages.js';
import { ValidationPreimages } from '../../src/resources/signature-aggregator/message/validation-preimages.js';
import { advanceToTip } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { networkAt } from '../support/network.js';
import { L1ValidatorEntity } from '../../src/indexes/p-chain/entities/l1-validator.entity.js';

/** The recorded P-chain has L1s with a manager on the C-chain, and removals of registered validators. */
describe(TransactionMessages.name, () => {
  let sandbox: Sandbox;
  let network: Network;
  let database: DataSource;
  let indexed: L1ValidatorRepository;
  let empty: L1ValidatorRepository;
  /** Ids in cb58 of the transactions that removed validators. */
  let removals: string[];
  let conversions: TxOf<'ConvertSubnetToL1'>[];

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 1 });
    network = networkAt([sandbox.url], { sandbox: true });
    let emptyDatabase: DataSource;
    [database, emptyDatabase] = await Promise.all([createMigratedDatabase(), createMigratedDatabase()]);
    indexed = validatorsOf(database);
    empty = validatorsOf(emptyDatabase);
    await advanceToTip(createIndexer(database, [sandbox.url]).indexer);
    const transactions = await readTransactions();
    removals = transactions
      .filter(({ unsigned }) => l1StatementOf(unsigned)?.kind === 'removal')
      .map(({ id }) => idToString(fromHex(id)));
    conversions = transactions.flatMap(({ unsigned }) =>
      unsigned.type === 'ConvertSubnetToL1' ? [unsigned] : [],
    );
  });

  afterAll(async () => {
    network.close();
    await sandbox.stop();
  });

  beforeEach(() => {
    jest.restoreAllMocks();
  });

  const messagesWith = (repository: L1ValidatorRepository) =>
    new TransactionMessages(new ValidationPreimages(repository));

  const readTransactions = async (): Promise<Transaction[]> => {
    const found: Transaction[] = [];
    for (let height = 1n; height <= (await network.platform.getHeight()); height++) {
      const block = parseBlock(await network.platform.getBlockByHeight({ height }));
      if ('transactions' in block) found.push(...block.transactions);
    }
    return found;
  };

  const withStatus = (status: TxStatus): void => {
    jest.spyOn(network.platform, 'getTxStatus').mockResolvedValue(status);
  };

  const UNKNOWN = idToString(new Uint8Array(32).fill(9));

  it('finds the registrations of removed validators in the index', async () => {
    expect(removals).toHaveLength(2);
    for (const txId of removals) {
      const { statement, justification } = await messagesWith(indexed).get(network, txId);
      const preimage = unpackJustification(justification);
      expect([statement.kind, preimage.kind]).toEqual(['removal', 'registerL1ValidatorMessage']);
      expect(statement).toMatchObject({ validationId: validationIdOfJustification(preimage) });
    }
  });

  it('names what to do about them without an index', async () => {
    for (const txId of removals) {
      await expect(messagesWith(empty).get(network, txId)).rejects.toMatchObject({
        statusCode: 404,
        message: expect.stringMatching(
          /is not in the P-chain index of fuji \(yet\)\. For the same signatures, POST aggregateSignatures/,
        ),
      });
    }
  });

  it('finds the validators of a conversion with an index, and without while the L1 has any', async () => {
    const foreign = validatorsOf(database);
    jest.spyOn(foreign, 'findFirstTransaction').mockResolvedValue(Buffer.alloc(32, 9));
    expect(conversions.length).toBeGreaterThan(1);
    // The sandbox has no validators of recorded subnets.
    const ids = conversions.map(({ subnetId }) => idToString(fromHex(subnetId)));
    const sets = new Map(ids.map((id) => [id, { validators: [], totalWeight: 1n }]));
    jest.spyOn(network.platform, 'getAllValidatorsAt').mockResolvedValue(sets);
    for (const { subnetId, managerChainId, validators } of conversions) {
      const [subnet, last] = [fromHex(subnetId), validators.length - 1];
      const validation = {
        validationId: validationIdOfConversion(subnet, last),
        managerChainId: fromHex(managerChainId),
      };
      const preimage = { kind: 'convertSubnetToL1Tx', subnetId: subnet, index: last };
      for (const repository of [indexed, empty, foreign]) {
        expect(await new ValidationPreimages(repository).find(network, validation)).toEqual(preimage);
      }
    }
  });

  it('lets the primary network sign for a manager on the C-chain', async () => {
    const { signingSubnetId, destinationBlockchainId } = await messagesWith(indexed).get(
      network,
      removals[0] ?? '',
    );
    expect(destinationBlockchainId).toBe(sandbox.cChainId);
    expect(signingSubnetId).toBe(PRIMARY_NETWORK_ID);
  });

  it('reads a transaction once', async () => {
    const messages = messagesWith(indexed);
    const getTx = jest.spyOn(network.platform, 'getTx');
    const [txId = ''] = removals;
    const [first, second] = [await messages.get(network, txId), await messages.get(network, txId)];
    expect(second).toBe(first);
    expect(getTx.mock.calls.filter(([query]) => query.txId === txId)).toHaveLength(1);
  });

  it.each<{ status: TxStatus; statusCode: number; text: RegExp }>([
    {
      status: { status: 'Processing' },
      statusCode: 404,
      text: /^transaction \w+ is not committed on the P-chain of fuji yet$/,
    },
    {
      status: { status: 'Dropped', reason: 'insufficient funds' },
      statusCode: 404,
      text: /^transaction \w+ was dropped by the P-chain of fuji: insufficient funds$/,
    },
    {
      status: { status: 'Aborted' },
      statusCode: 400,
      text: /^txHash: \w+ was aborted by the P-chain of fuji: no message follows from it$/,
    },
  ])(
    'refuses a transaction whose status is $status.status: $statusCode',
    async ({ status, statusCode, text }) => {
      withStatus(status);
      await expect(messagesWith(indexed).get(network, UNKNOWN)).rejects.toMatchObject({
        statusCode,
        message: expect.stringMatching(text),
      });
    },
  );

  it('reports that the X-chain did not answer when it does not', async () => {
    withStatus({ status: 'Unknown' });
    jest
      .spyOn(network.rpc, 'call')
      .mockRejectedValue(
        new RpcError('NODE_BAD_RESPONSE', 'HTTP 404', { host: 'node', method: 'avm.getTx' }),
      );
    await expect(messagesWith(indexed).get(network, UNKNOWN)).rejects.toMatchObject({
      statusCode: 404,
      message: expect.stringMatching(/unknown to the P-chain \(its X-chain did not answer\) of fuji$/),
    });
  });

  it('does not remember a failure', async () => {
    const messages = messagesWith(indexed);
    const [txId = ''] = removals;
    withStatus({ status: 'Processing' });
    await expect(messages.get(network, txId)).rejects.toMatchObject({ statusCode: 404 });
    jest.restoreAllMocks();
    expect((await messages.get(network, txId)).statement.kind).toBe('removal');
  });
});

function validatorsOf(dataSource: DataSource): L1ValidatorRepository {
  return new L1ValidatorRepository(dataSource.getRepository(L1ValidatorEntity), new Database(dataSource));
}
