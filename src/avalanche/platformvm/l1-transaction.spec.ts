import { describe, expect, it } from '@jest/globals';
import { loadVectors } from '../../../test/support/vectors.js';
import { fromHex, toHex } from '../ids/hex.js';
import { packJustification, unpackJustification } from '../warp/justification.js';
import { packMessage, unpackMessage } from '../warp/message.js';
import { makePChainMessage } from '../warp/p-chain-message.js';
import { packAddressedCall, unpackAddressedCall } from '../warp/payload/addressed-call.js';
import { packUnsignedMessage } from '../warp/unsigned-message.js';
import { parseTransaction } from './codec/transaction.js';
import {
  type L1Statement,
  l1StatementOf,
  packL1Statement,
  preimageInConversion,
  preimageOfValidation,
} from './l1-transaction.js';
import type { UnsignedTx } from './transaction.js';

interface Vector {
  readonly kind: string;
  readonly note?: string;
  readonly bytes: string;
  readonly derived: {
    readonly unsignedMessage: string;
    readonly justification: string;
    readonly validationID?: string;
    readonly managerChainID?: string;
  } | null;
}

/** Made by avalanchego: each transaction with the message that follows from it, or null where there is none. */
const { txs } = loadVectors<{ txs: Vector[] }>('p_chain_txs');
const parse = ({ bytes }: Vector): UnsignedTx => parseTransaction(fromHex(bytes)).unsigned;
const vectorsOf = (kind: string): Vector[] => txs.filter((vector) => vector.kind === kind);
const [conversion] = vectorsOf('ConvertSubnetToL1Tx').map(parse);

/** Messages of the P-chain about a validator that was registered, and then about its removal, with the order in the justification. */
const { messages } = loadVectors<{
  messages: { note: string; unsignedMessage: string; justification: string }[];
}>('l1_messages');
const messageOf = (note: string) => {
  const found = messages.find((message) => message.note.startsWith(note));
  if (found === undefined) throw new Error(`no vector: ${note}`);
  return found;
};
const registered = messageOf('registered=true');
const removed = messageOf('registered=false, validator came from a RegisterL1ValidatorTx');

/** A weight transaction's bytes with that order in its Warp message. */
function registration(): UnsignedTx {
  const justification = unpackJustification(fromHex(removed.justification));
  const [weight] = vectorsOf('SetL1ValidatorWeightTx').map(parse);
  if (weight?.type !== 'SetL1ValidatorWeight' || justification.kind !== 'registerL1ValidatorMessage') {
    throw new Error('other vectors');
  }
  const { unsignedMessage, signature } = unpackMessage(weight.message);
  const { sourceAddress } = unpackAddressedCall(unsignedMessage.payload);
  const payload = packAddressedCall({ sourceAddress, payload: justification.message });
  return {
    ...weight,
    type: 'RegisterL1Validator',
    balance: 1n,
    proofOfPossession: new Uint8Array(96),
    message: packMessage({ unsignedMessage: { ...unsignedMessage, payload }, signature }),
  };
}

const unsignedMessageOf = (statement: L1Statement) =>
  toHex(packUnsignedMessage(makePChainMessage({ networkId: 5, l1Message: packL1Statement(statement) })));

describe(l1StatementOf.name, () => {
  it.each(txs.map((vector, index) => [index, vector.kind, vector] as const))(
    'finds in transaction %d, a %s, what avalanchego finds',
    (_index, _kind, vector) => {
      const statement = l1StatementOf(parse(vector));
      if (vector.derived === null) return expect(statement).toBeUndefined();
      if (statement === undefined) throw new Error('no statement');
      expect(unsignedMessageOf(statement)).toBe(vector.derived.unsignedMessage);
      if (vector.derived.managerChainID !== undefined) {
        expect(toHex(statement.managerChainId)).toBe(vector.derived.managerChainID);
      }
      if (statement.kind === 'conversion') {
        expect(toHex(statement.subnetId)).toBe(vector.derived.justification);
      }
    },
  );

  it('finds a registration, and the chain that ordered it', () => {
    const statement = l1StatementOf(registration());
    if (statement?.kind !== 'registration') throw new Error('no registration');
    expect(unsignedMessageOf(statement)).toBe(registered.unsignedMessage);
    expect(unsignedMessageOf({ ...statement, kind: 'removal' })).toBe(removed.unsignedMessage);
  });

  it('finds all three kinds in the other vectors', () => {
    const kinds = new Set(txs.map((vector) => l1StatementOf(parse(vector))?.kind));
    expect(kinds).toEqual(new Set(['conversion', 'weight', 'removal', undefined]));
  });
});

describe(preimageOfValidation.name, () => {
  it('finds the validator of a conversion by its index, as the removal of it needs it', () => {
    const [removal] = vectorsOf('SetL1ValidatorWeightTx').filter(
      ({ derived }) => derived !== null && derived.justification !== '',
    );
    const { validationID = '', justification } = removal?.derived ?? {};
    if (conversion === undefined) throw new Error('no conversion');
    const preimage = preimageOfValidation(conversion, fromHex(validationID));
    if (preimage === undefined) throw new Error('no preimage');
    expect(toHex(packJustification(preimage))).toBe(justification);
  });

  it('finds the order of a registration', () => {
    const statement = l1StatementOf(registration());
    if (statement?.kind !== 'registration') throw new Error('no registration');
    const preimage = preimageOfValidation(registration(), statement.validationId);
    if (preimage === undefined) throw new Error('no preimage');
    expect(toHex(packJustification(preimage))).toBe(removed.justification);
  });

  it('finds nothing for other validations and in other transactions', () => {
    const other = new Uint8Array(32).fill(7);
    expect(txs.map((vector) => preimageOfValidation(parse(vector), other))).toEqual(txs.map(() => undefined));
    expect(preimageInConversion(other, 100, other)).toBeUndefined();
  });
});
