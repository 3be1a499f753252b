import { z } from 'zod';
import { BehaviourInputSchema } from './behaviour.js';
import { ChainBehaviourInputSchema } from './chain-behaviour.js';
import { EvmChainBehaviourSchema, type EvmChainBehaviourInput } from './evm-chains/misconduct.js';
import { json, type PlainRoute, type TextAnswer } from './http-server.js';
import { NodeBehaviourSchema, type NodeBehaviourInput } from './node-behaviour.js';
import { PChainBehaviourSchema, type PChainBehaviourInput } from './p-chain/misconduct.js';
import type { SandboxValidator } from './sandbox-validator.js';
import { VersionsSchema } from './world/versions.js';
import type { ValidatorChange } from './world/world.js';
import { XChainBehaviourSchema, type XChainBehaviourInput } from './x-chain/misconduct.js';

/** The state of a sandbox that other processes can read and change. */
export interface SandboxControls {
  readonly validators: readonly SandboxValidator[];
  readonly versions: object;
  readonly height: bigint;
  readonly proposedHeight: bigint;
  readonly epochHeight: bigint;
  describe(): object;
  observe(): object;
  advance(blocks: number): void;
  beginEpoch(): void;
  setNodeBehaviour(behaviour: NodeBehaviourInput): void;
  setVersions(versions: z.infer<typeof VersionsSchema>): void;
  setPChainBehaviour(behaviour: PChainBehaviourInput): void;
  setXChainBehaviour(behaviour: XChainBehaviourInput): void;
  setCChainBehaviour(behaviour: EvmChainBehaviourInput): void;
  setValidators(subnetId: string, validators: readonly ValidatorChange[]): void;
}

const Decimal = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);

const AdvanceSchema = z.strictObject({ blocks: z.number().int().min(1).max(1_000_000) });

const NoSettingsSchema = z.strictObject({});

const ValidatorSetSchema = z.strictObject({
  subnetId: z.string(),
  validators: z.array(z.strictObject({ nodeId: z.string(), weight: Decimal, balance: Decimal.optional() })),
});

/**
 * Control requests from other processes, all of them below `/sandbox`:
 *
 * - `GET /sandbox`: the whole world;
 * - `GET /sandbox/observations`: what changes by itself, small: calls to the node by method, connected stake;
 * - `POST /sandbox/validators/{index or node id}`: a behaviour, e.g. `{"kind":"slow","delayMs":500}` or `"silent"`;
 * - `POST /sandbox/validators`: the same for all validators;
 * - `POST /sandbox/chains/{index or node id}`: how it serves its chains to those who bootstrap, e.g. `{"kind":"stale","lagBlocks":5}`;
 * - `POST /sandbox/chains`: the same for all validators;
 * - `POST /sandbox/advance`: `{"blocks":3}`;
 * - `POST /sandbox/epoch`: `{}`, the next epoch of all blockchains begins;
 * - `POST /sandbox/node`: how the node's JSON-RPC answers, e.g. `{"delayMs":100,"requestsPerSecond":10}`;
 * - `POST /sandbox/versions`: `{"node":"1.16.0","floor":"1.16.0"}`, an upgrade of the network;
 * - `POST /sandbox/p-chain`: how the node serves its blocks, e.g. `{"kind":"garbage"}`;
 * - `POST /sandbox/x-chain`: the same for the X-chain, e.g. `{"kind":"gap","height":7}`;
 * - `POST /sandbox/c-chain`: the same for the C-chain, e.g. `{"kind":"noTracer"}`;
 * - `POST /sandbox/validator-sets`: `{"subnetId":…,"validators":[{"nodeId":…,"weight":"100"}]}`.
 *
 * Bodies are JSON and must be declared so: browsers cannot send that to a foreign port unasked.
 */
export function makeControlApi(sandbox: SandboxControls): PlainRoute {
  return ({ method, path, body, isJson }) => {
    if (path !== '/sandbox' && !path.startsWith('/sandbox/')) return undefined;
    if (path === '/sandbox') return method === 'GET' ? json(200, sandbox.describe()) : wrong(405, 'GET only');
    if (path === '/sandbox/observations' && method === 'GET') return json(200, sandbox.observe());
    if (method !== 'POST') return wrong(405, 'POST only');
    if (!isJson) return wrong(415, 'content-type must be application/json');
    return control(sandbox, path.split('/').slice(2), body);
  };
}

function control(
  sandbox: SandboxControls,
  [topic, target]: readonly string[],
  body: string,
): TextAnswer | undefined {
  try {
    const input: unknown = JSON.parse(body);
    switch (topic) {
      case 'validators': {
        const behaviour = BehaviourInputSchema.parse(input);
        return ofValidators(sandbox, target, behaviour, (each) => each.setBehaviour(behaviour));
      }
      case 'chains': {
        const behaviour = ChainBehaviourInputSchema.parse(input);
        return ofValidators(sandbox, target, behaviour, (each) => each.setChainBehaviour(behaviour));
      }
      case 'advance':
        sandbox.advance(AdvanceSchema.parse(input).blocks);
        return heights(sandbox);
      case 'epoch':
        NoSettingsSchema.parse(input);
        sandbox.beginEpoch();
        return heights(sandbox);
      case 'node': {
        const behaviour = NodeBehaviourSchema.parse(input);
        sandbox.setNodeBehaviour(behaviour);
        return json(200, { behaviour });
      }
      case 'versions': {
        sandbox.setVersions(VersionsSchema.parse(input));
        return json(200, { versions: sandbox.versions });
      }
      case 'p-chain': {
        const behaviour = PChainBehaviourSchema.parse(input);
        sandbox.setPChainBehaviour(behaviour);
        return json(200, { behaviour });
      }
      case 'x-chain': {
        const behaviour = XChainBehaviourSchema.parse(input);
        sandbox.setXChainBehaviour(behaviour);
        return json(200, { behaviour });
      }
      case 'c-chain': {
        const behaviour = EvmChainBehaviourSchema.parse(input);
        sandbox.setCChainBehaviour(behaviour);
        return json(200, { behaviour });
      }
      case 'validator-sets': {
        const { subnetId, validators } = ValidatorSetSchema.parse(input);
        sandbox.setValidators(subnetId, validators);
        return heights(sandbox);
      }
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof z.ZodError) return wrong(400, z.prettifyError(error));
    if (error instanceof SyntaxError || error instanceof RangeError) return wrong(400, error.message);
    throw error;
  }
}

function ofValidators(
  sandbox: SandboxControls,
  target: string | undefined,
  behaviour: object,
  set: (validator: SandboxValidator) => void,
): TextAnswer {
  const validators = sandbox.validators.filter(
    ({ nodeId, index }) => target === undefined || target === nodeId || target === String(index),
  );
  if (validators.length === 0) return wrong(404, 'no such validator');
  validators.forEach(set);
  return json(200, { behaviour, validators: validators.map(({ nodeId }) => nodeId) });
}

function heights({ height, proposedHeight, epochHeight }: SandboxControls): TextAnswer {
  return json(200, {
    height: String(height),
    proposedHeight: String(proposedHeight),
    epochHeight: String(epochHeight),
  });
}

function wrong(status: number, message: string): TextAnswer {
  return json(status, { message });
}
