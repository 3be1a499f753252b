import type { Abi, ContractFunctionArgs, ContractFunctionName, Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';

type Changing = 'nonpayable' | 'payable';

type Calls<A extends Abi> = {
  readonly [Name in ContractFunctionName<A, Changing>]: ContractFunctionArgs<
    A,
    Changing,
    Name
  > extends infer Args
    ? Args extends readonly unknown[]
      ? (...args: Args) => Hex
      : never
    : never;
};

/** The data of transactions that call a contract, by the names of its functions. */
export function callsOf<const A extends Abi>(abi: A): Calls<A> {
  const calls = abi.flatMap((item) =>
    item.type === 'function'
      ? [[item.name, (...args: readonly unknown[]) => encode(abi, item.name, args)] as const]
      : [],
  );
  return Object.fromEntries(calls) as never; // the names and arguments are those of the interface
}

function encode(abi: Abi, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args });
}
