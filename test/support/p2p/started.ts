import { ScriptedNode, type Script } from './scripted-node.js';

const cleanups: (() => unknown)[] = [];

/** For `afterEach`: ends whatever a test has started, the latest first. */
export async function endStarted(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export function onTestEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

export async function startNode(script: Script = {}): Promise<ScriptedNode> {
  const node = await ScriptedNode.start(script);
  onTestEnd(() => node.close());
  return node;
}
