import { getAddress } from 'viem/utils';
import { addressFor, rawBlock, tracedBlock } from '../../../sandbox/generated/evm-block.js';
import type { RecordedEvmBlock } from '../../../sandbox/recording/evm-recording.js';
import type { Address, Hash, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { packTransfer, type TransferPayload } from '../../../src/avalanche/icm/transfer-payload.js';
import type { WatchedLog } from '../../../src/indexes/evm/projections/watched-log.js';
import {
  executedLog,
  executionFailedLog,
  idOfMessage,
  type MadeAt,
  type MadeMessage,
  type MessengerChain,
  messengerChain,
  receivedLog,
  retryInputOf,
  sentLog,
  transferrerLog,
} from './messenger-logs.js';

const home = messengerChain('fuji', 1n);
const one = messengerChain('fuji', 2n);
const other = messengerChain('fuji', 3n);
const dark = messengerChain('fuji', 4n);
/** The chain of the token's home, two with remote tokens, and one that is not indexed. */
export const BRIDGED = { home, one, other, dark } as const;
const REMOTES = [one, other, dark] as const;

const HOME_CONTRACT = addressFor(0xb0);
/** Logs what others log, of anybody's messages. */
const LIAR = addressFor(0xbad);
export const CROOK = addressFor(0xbadd);
export const PEOPLE: readonly Address[] = [1, 2, 3, 4].map((seed) => addressFor(0xe0 + seed));

export const REMOTE_TOKEN = {
  chain: one,
  contract: contractOn(one),
  name: 'Bridged',
  symbol: 'BRG',
  decimals: 6,
};

/** A message stays where it is, is executed, fails, or fails and is executed later. */
export const ENDS = ['pending', 'executed', 'failed', 'retried'] as const;
type End = (typeof ENDS)[number];

/** A transfer to be made. */
export interface Journey {
  readonly route: 'toRemote' | 'toHome' | 'betweenRemotes';
  readonly from: number;
  readonly to: number;
  readonly isCall: boolean;
  readonly isCallSuccess: boolean;
  readonly sender: number;
  readonly recipient: number;
  readonly fallback: number;
  readonly amount: bigint;
  readonly ends: readonly [End, End];
  /** Whether the home can send the tokens on. */
  readonly isRouted: boolean;
  /** Whether the contract logs for whom it sends. */
  readonly namesSender: boolean;
}

/** The answer that is expected about a message. */
export interface ExpectedMessage {
  readonly id: Hash;
  readonly sortTime: number;
  readonly sentIn: Hash | undefined;
  readonly deliveredIn: Hash | undefined;
  /** In whose lists it is. */
  readonly people: ReadonlySet<Address>;
  readonly transfer: Record<string, unknown>;
  readonly retryInput: Hex | undefined;
}

interface Made {
  readonly message: MadeMessage;
  readonly payload: TransferPayload;
  readonly sentIn: Hash;
  readonly sentAt: number;
  sender?: Address;
  deliveredIn?: Hash;
  deliveredAt?: number;
  state: string;
  retryInput?: Hex;
  isCallSuccess?: boolean;
  first?: Made;
  second?: Made;
}

type Write = (at: (contract?: Address) => MadeAt) => void;

/** A token bridge over four chains, known from what was done with it: what is expected follows from no log. */
export class BridgeWorld {
  readonly logs = new Map<MessengerChain, WatchedLog[]>(Object.values(BRIDGED).map((chain) => [chain, []]));
  private readonly made: Made[] = [];
  /** Every transaction is in a block of its own: height and time of the last one. */
  private clock = 0;
  private nonce = 0n;

  constructor() {
    for (const remote of REMOTES) this.register(remote);
  }

  travel(journey: Journey): void {
    const { route, ends, isRouted } = journey;
    const [from, to] = remotesOf(journey);
    switch (route) {
      case 'toRemote':
        return this.arrive(this.send(home, to, singleHop(journey, home), journey), ends[0], journey);
      case 'toHome':
        return this.arrive(this.send(from, home, singleHop(journey, from), journey), ends[0], journey);
      case 'betweenRemotes': {
        const first = this.send(from, home, multiHop(journey, to), journey);
        this.deliver(first, ends[0], (at, txHash) => {
          if (!isRouted) return;
          this.log(home, transferrerLog('tokensRouted', [idOfMessage(first.message)], placed(at, LIAR)));
          const second = this.begin(home, to, singleHop(journey, from), { at, txHash });
          this.log(
            home,
            transferrerLog(
              journey.isCall ? 'tokensAndCallRouted' : 'tokensRouted',
              [idOfMessage(second.message)],
              placed(at, HOME_CONTRACT),
            ),
          );
          first.second = second;
          second.first = first;
        });
        if (first.second !== undefined) this.arrive(first.second, ends[1], journey);
      }
    }
  }

  /** The chain as its nodes serve it. */
  blocksOf(chain: MessengerChain): RecordedEvmBlock[] {
    return Array.from({ length: this.clock + 1 }, (_, height) => {
      const logs = (this.logs.get(chain) ?? []).filter((log) => log.height === BigInt(height));
      const transactions = logs.length === 0 ? [] : [{ logs, gasUsed: 50_000n }];
      return tracedBlock(
        rawBlock(height, transactions),
        transactions.map(() => ({ type: 'CALL' })),
      );
    });
  }

  /** Of what is seen without the dark chain, the newest first. */
  expected(): ExpectedMessage[] {
    return this.made
      .flatMap((made): ExpectedMessage[] => {
        const sortTime = isDark(made.message.source) ? made.deliveredAt : made.sentAt;
        if (sortTime === undefined) return []; // sent on the dark chain, and not delivered
        return [
          {
            id: idOfMessage(made.message),
            sortTime,
            sentIn: isDark(made.message.source) ? undefined : made.sentIn,
            deliveredIn: made.deliveredIn,
            people: peopleOf(made),
            transfer: describe(made),
            retryInput: made.state === 'failed' ? made.retryInput : undefined,
          },
        ];
      })
      .sort((a, b) => b.sortTime - a.sortTime || (a.id < b.id ? 1 : -1));
  }

  private register(remote: MessengerChain): void {
    const payload = {
      kind: 'registerRemote',
      initialReserveImbalance: 0n,
      homeDecimals: 18,
      remoteDecimals: 6,
    } as const;
    this.transact(remote, (at, txHash) => {
      const made = this.begin(remote, home, payload, { at, txHash });
      this.deliver(made, 'executed', () => undefined);
    });
  }

  private send(
    source: MessengerChain,
    destination: MessengerChain,
    payload: TransferPayload,
    journey: Journey,
  ): Made {
    let made: Made | undefined;
    this.transact(source, (at, txHash) => {
      made = this.begin(source, destination, payload, { at, txHash });
      const id = idOfMessage(made.message);
      const event = journey.isCall ? 'tokensAndCallSent' : 'tokensSent';
      this.log(source, transferrerLog(event, [id, CROOK], placed(at, LIAR)));
      if (!journey.namesSender) return;
      const sender = personOf(journey.sender);
      this.log(source, transferrerLog(event, [id, sender], placed(at, made.message.from)));
      if (!isDark(source)) made.sender = sender;
    });
    if (made === undefined) throw new Error('nothing was sent');
    return made;
  }

  private begin(
    source: MessengerChain,
    destination: MessengerChain,
    payload: TransferPayload,
    { at, txHash }: { at: Parameters<Write>[0]; txHash: Hash },
  ): Made {
    const message = {
      source,
      destination,
      nonce: ++this.nonce,
      from: contractOn(source),
      to: contractOn(destination),
      data: packTransfer(payload),
    };
    const place = at();
    this.log(source, sentLog(message, place));
    const state = isDark(destination) ? 'sent' : 'undelivered';
    const made: Made = { message, payload, sentIn: txHash, sentAt: place.time ?? 0, state };
    this.made.push(made);
    return made;
  }

  private arrive(made: Made, end: End, { isCallSuccess }: Journey): void {
    const { payload, message } = made;
    this.deliver(made, end, (at) => {
      if (payload.kind !== 'sendAndCall') return;
      const { recipientContract } = payload.call;
      const [truth, lie] = isCallSuccess
        ? (['callSucceeded', 'callFailed'] as const)
        : (['callFailed', 'callSucceeded'] as const);
      this.log(message.destination, transferrerLog(lie, [recipientContract], placed(at, LIAR)));
      this.log(message.destination, transferrerLog(truth, [recipientContract], placed(at, message.to)));
      if (!isDark(message.destination)) made.isCallSuccess = isCallSuccess;
    });
  }

  private deliver(made: Made, end: End, act: (at: Parameters<Write>[0], txHash: Hash) => void): void {
    const { message } = made;
    const { destination } = message;
    if (end === 'pending') return;
    this.transact(destination, (at, txHash) => {
      const place = at();
      const received = receivedLog(message, place);
      this.log(destination, received);
      if (end === 'executed') act(at, txHash);
      this.log(
        destination,
        end === 'executed' ? executedLog(message, at()) : executionFailedLog(message, at()),
      );
      if (isDark(destination)) return;
      made.deliveredIn = txHash;
      if (place.time !== undefined) made.deliveredAt = place.time;
      made.retryInput = retryInputOf(received);
      made.state = end === 'executed' ? 'executed' : 'failed';
    });
    if (end !== 'retried') return;
    this.transact(destination, (at, txHash) => {
      this.log(destination, executedLog(message, at()));
      act(at, txHash);
      if (!isDark(destination)) made.state = 'executed';
    });
  }

  private transact(chain: MessengerChain, write: (at: Parameters<Write>[0], txHash: Hash) => void): void {
    const time = ++this.clock;
    const height = BigInt(time);
    const txHash: Hash = `0x${(height * 16n + chain.chainId).toString(16).padStart(64, '7')}`;
    let logIndex = 0;
    write(
      (contract) => ({ height, time, txHash, logIndex: logIndex++, ...(contract && { contract }) }),
      txHash,
    );
  }

  private log(chain: MessengerChain, log: WatchedLog): void {
    this.logs.get(chain)?.push(log);
  }
}

function placed(at: Parameters<Write>[0], contract: Address): MadeAt & { contract: Address } {
  const { height, time = 0, logIndex = 0, txHash } = at(contract);
  return { height, time, logIndex, contract, ...(txHash && { txHash }) };
}

function describe({
  payload,
  message,
  state,
  sender,
  isCallSuccess,
  first,
  second,
}: Made): Record<string, unknown> {
  const named = sender ?? first?.sender ?? ('call' in payload ? payload.call.originSender : undefined);
  const isOfToken = [
    [message.source, message.from],
    [message.destination, message.to],
  ].some(([chain, contract]) => chain === REMOTE_TOKEN.chain && contract === REMOTE_TOKEN.contract);
  const recipient =
    'call' in payload
      ? payload.call.recipientContract
      : 'recipient' in payload
        ? payload.recipient
        : undefined;
  const { name, symbol, decimals } = REMOTE_TOKEN;
  return {
    transferType: payload.kind,
    state,
    ...(named && { sender: getAddress(named) }),
    ...(recipient && { recipient: getAddress(recipient) }),
    ...('amount' in payload && { amount: payload.amount.toString() }),
    ...(isOfToken && { token: { address: getAddress(REMOTE_TOKEN.contract), name, symbol, decimals } }),
    ...('call' in payload && {
      call: {
        data: payload.call.payload,
        gasLimit: payload.call.gasLimit.toString(),
        fallbackRecipient: getAddress(payload.call.fallbackRecipient),
        ...(isCallSuccess !== undefined && { isSuccessful: isCallSuccess }),
      },
    }),
    ...('secondHop' in payload && {
      secondHop: {
        destinationBlockchainId: REMOTES.find(({ id }) => id === payload.secondHop.destinationBlockchainId)
          ?.blockchainId,
        destinationTransferrer: getAddress(payload.secondHop.destinationTransferrer),
        fee: payload.secondHop.fee.toString(),
        fallbackRecipient: getAddress(payload.secondHop.fallbackRecipient),
        ...(second && { messageId: idOfMessage(second.message).slice(2), state: second.state }),
      },
    }),
    ...(first && { firstMessageId: idOfMessage(first.message).slice(2) }),
  };
}

function peopleOf({ payload, message, sender }: Made): Set<Address> {
  const people = new Set([message.from, message.to, ...(sender === undefined ? [] : [sender])]);
  if ('recipient' in payload) people.add(payload.recipient);
  if ('call' in payload) {
    const { originSender, recipientContract, fallbackRecipient } = payload.call;
    for (const each of [originSender, recipientContract, fallbackRecipient]) people.add(each);
  }
  if ('secondHop' in payload) people.add(payload.secondHop.fallbackRecipient);
  return people;
}

function singleHop(journey: Journey, origin: MessengerChain): TransferPayload {
  const { amount, recipient, isCall } = journey;
  if (!isCall) return { kind: 'send', recipient: personOf(recipient), amount };
  const originTransferrer = contractOn(origin);
  return {
    kind: 'sendAndCall',
    amount,
    originBlockchainId: origin.id,
    originTransferrer,
    call: callOf(journey),
  };
}

function multiHop(journey: Journey, to: MessengerChain): TransferPayload {
  const { amount, recipient, isCall } = journey;
  const secondHop = {
    destinationBlockchainId: to.id,
    destinationTransferrer: contractOn(to),
    fee: 1n,
    gasLimit: 200_000n,
    fallbackRecipient: personOf(journey.fallback),
  };
  return isCall
    ? { kind: 'multiHopSendAndCall', amount, call: callOf(journey), secondHop }
    : { kind: 'multiHopSend', amount, recipient: personOf(recipient), secondHop };
}

function callOf({ sender, recipient, fallback }: Journey) {
  return {
    originSender: personOf(sender),
    recipientContract: personOf(recipient),
    payload: '0xabcdef',
    gasLimit: 100_000n,
    fallbackRecipient: personOf(fallback),
  } as const;
}

function remotesOf({ from, to }: Journey): readonly [MessengerChain, MessengerChain] {
  const first = from % REMOTES.length;
  const second = to % REMOTES.length === first ? first + 1 : to;
  return [remoteAt(first), remoteAt(second)];
}

function remoteAt(index: number): MessengerChain {
  return REMOTES[index % REMOTES.length] ?? REMOTES[0];
}

function personOf(index: number): Address {
  return PEOPLE[index % PEOPLE.length] ?? CROOK;
}

function contractOn(chain: MessengerChain): Address {
  return chain === home ? HOME_CONTRACT : addressFor(0xb0n + chain.chainId);
}

function isDark(chain: MessengerChain): boolean {
  return chain === dark;
}
