import { beforeAll, describe, expect, it } from '@jest/globals';
import { ListChainsQuerySchema } from '../../src/resources/chains/dto/list-chains.request.js';
import { ListDelegatorsQuerySchema } from '../../src/resources/delegators/dto/list-delegators.request.js';
import { GetMessageQuerySchema } from '../../src/resources/interchain-messages/dto/get-message.request.js';
import { ListTransactionMessagesQuerySchema } from '../../src/resources/interchain-messages/dto/list-transaction-messages.request.js';
import { ListMessagesQuerySchema } from '../../src/resources/interchain-messages/dto/list-messages.request.js';
import { ListL1ValidatorsQuerySchema } from '../../src/resources/l1-validators/dto/list-l1-validators.request.js';
import { ListRewardsQuerySchema } from '../../src/resources/rewards/dto/list-rewards.request.js';
import { ListStakingTransactionsQuerySchema } from '../../src/resources/staking-transactions/dto/list-staking-transactions.request.js';
import { ListBlockchainsQuerySchema } from '../../src/resources/subnets/dto/list-blockchains.request.js';
import { ListSubnetsQuerySchema } from '../../src/resources/subnets/dto/list-subnets.request.js';
import { GetBalancesQuerySchema } from '../../src/resources/utxos/dto/get-balances.request.js';
import { ListUtxosQuerySchema } from '../../src/resources/utxos/dto/list-utxos.request.js';
import { ListCyclesQuerySchema } from '../../src/resources/validation-cycles/dto/list-cycles.request.js';
import { ListNodeValidationsQuerySchema } from '../../src/resources/validators/dto/list-node-validations.request.js';
import { ListValidatorsQuerySchema } from '../../src/resources/validators/dto/list-validators.request.js';
import { isRecord, ListApi } from '../support/http/list-api.js';

describe('the OpenAPI page of the lists', () => {
  let paths: Record<string, unknown>;

  beforeAll(async () => {
    const { body } = await (await ListApi.start()).get('/openapi.json');
    if (!isRecord(body) || !isRecord(body['paths'])) throw new Error('no paths');
    paths = body['paths'];
  });

  it.each([
    ['/v1/chains', [], ListChainsQuerySchema],
    ['/v1/networks/{network}/subnets', ['network'], ListSubnetsQuerySchema],
    ['/v1/networks/{network}/validators', ['network'], ListValidatorsQuerySchema],
    ['/v1/networks/{network}/validators/{nodeId}', ['network', 'nodeId'], ListNodeValidationsQuerySchema],
    ['/v1/networks/{network}/validators/{nodeId}/cycles', ['network', 'nodeId'], ListCyclesQuerySchema],
    ['/v1/networks/{network}/l1Validators', ['network'], ListL1ValidatorsQuerySchema],
    ['/v1/networks/{network}/blockchains', ['network'], ListBlockchainsQuerySchema],
    ['/v1/networks/{network}/rewards:listPending', ['network'], ListRewardsQuerySchema],
    ['/v1/networks/{network}/rewards', ['network'], ListRewardsQuerySchema],
    ['/v1/networks/{network}/delegators', ['network'], ListDelegatorsQuerySchema],
    [
      '/v1/networks/{network}/blockchains/{blockchainId}/utxos',
      ['network', 'blockchainId'],
      ListUtxosQuerySchema,
    ],
    [
      '/v1/networks/{network}/blockchains/{blockchainId}/balances',
      ['network', 'blockchainId'],
      GetBalancesQuerySchema,
    ],
    [
      '/v1/networks/{network}/blockchains/{blockchainId}/transactions:listStaking',
      ['network', 'blockchainId'],
      ListStakingTransactionsQuerySchema,
    ],
    ['/v1/icm/addresses/{address}/messages', ['address'], ListMessagesQuerySchema],
    ['/v1/icm/transactions/{txHash}', ['txHash'], ListTransactionMessagesQuerySchema],
    ['/v1/icm/messages/{messageId}', ['messageId'], GetMessageQuerySchema],
  ])('names for %s the parameters that are parsed', (path, inPath, schema) => {
    const item = paths[path];
    const operation = isRecord(item) ? item['get'] : undefined;
    if (!isRecord(operation) || !Array.isArray(operation['parameters'])) throw new Error(`no ${path}`);
    const parameters = operation['parameters'].filter(isRecord);
    const named = (place: string) =>
      parameters.filter((parameter) => parameter['in'] === place).map((parameter) => parameter['name']);
    expect(named('path').sort()).toEqual([...inPath].sort());
    expect(named('query').sort()).toEqual(Object.keys(schema.shape).sort());
    expect(Object.keys(isRecord(operation['responses']) ? operation['responses'] : {})).toEqual([
      '200',
      '304',
      '400',
      '401',
      '403',
      '404',
      '429',
      '500',
      '502',
      '503',
    ]);
  });
});
