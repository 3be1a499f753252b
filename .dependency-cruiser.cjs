/** Who may import whom; the table with the reasons is in docs/architecture.md. */

/** The wings, each with those that it stands on; a new arrow is an edit here. */
const WINGS = {
  'src/avalanche': [],
  'src/platform': ['src/avalanche', 'workflows'],
  'src/indexes': ['src/avalanche', 'src/platform', 'workflows'],
  'src/access': ['src/avalanche', 'src/platform', 'workflows'],
  'src/exports': ['src/avalanche', 'src/platform', 'src/indexes', 'workflows'],
  'src/resources': [
    ...['src/avalanche', 'src/platform', 'src/indexes', 'src/access', 'src/exports'],
    'workflows',
  ],
  workflows: [],
  activities: [
    ...['src/avalanche', 'src/platform', 'src/indexes', 'src/access', 'src/exports', 'src/resources'],
    'workflows',
  ],
  sandbox: ['src/avalanche', 'src/platform/config'],
  tools: ['src/avalanche', 'src/platform/config', 'sandbox'],
  clients: ['src/avalanche', 'src/exports/proof', 'src/platform/http/adapter'],
};

const inFolders = (names) => `^(${names.join('|')})/`;
const OURS = '^(src|sandbox|workflows|activities|tools|test|clients)/';

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...Object.entries(WINGS).map(([wing, others]) => ({
      name: `${wing}-stands-on-what-it-may`,
      severity: 'error',
      from: { path: inFolders([wing]), pathNot: ['\\.spec\\.ts$', '^sandbox/local/'] },
      to: { path: OURS, pathNot: inFolders([wing, ...others]) },
    })),
    {
      name: 'avalanche-has-no-frameworks',
      severity: 'error',
      from: { path: '^src/avalanche/' },
      to: { path: 'node_modules/(@nestjs|typeorm|pg|@temporalio)' },
    },
    {
      name: 'avalanche-layers-codec',
      severity: 'error',
      from: { path: '^src/avalanche/codec/' },
      to: { path: '^src/avalanche/(ids|bls|warp|platformvm|rpc|p2p|signature-aggregation|proto)/' },
    },
    {
      name: 'avalanche-layers-ids',
      severity: 'error',
      from: { path: '^src/avalanche/ids/' },
      to: { path: '^src/avalanche/(bls|warp|platformvm|rpc|p2p|signature-aggregation|proto)/' },
    },
    {
      name: 'avalanche-layers-bls',
      severity: 'error',
      from: { path: '^src/avalanche/bls/' },
      to: { path: '^src/avalanche/(warp|platformvm|rpc|p2p|signature-aggregation|proto)/' },
    },
    {
      name: 'avalanche-layers-warp',
      severity: 'error',
      from: { path: '^src/avalanche/(warp|platformvm)/' },
      to: { path: '^src/avalanche/(rpc|p2p|signature-aggregation)/' },
    },
    {
      name: 'avalanche-layers-network',
      severity: 'error',
      from: { path: '^src/avalanche/(rpc|p2p)/' },
      to: { path: '^src/avalanche/signature-aggregation/' },
    },
    {
      name: 'simulated-network-is-not-the-embedded-default',
      severity: 'error',
      from: { path: '^sandbox/', pathNot: '^sandbox/local/' },
      to: { path: '^sandbox/local/' },
    },
    {
      name: 'processes-stand-alone',
      comment: 'Starting, watching and stopping programs has nothing to do with which programs these are.',
      severity: 'error',
      from: { path: '^sandbox/local/processes/', pathNot: '\\.spec\\.ts$' },
      to: { path: OURS, pathNot: '^(sandbox/local/processes|src/platform/config)/' },
    },
    {
      name: 'only-contracts-of-workflows',
      severity: 'error',
      from: { path: '^(src|activities)/', pathNot: '^src/platform/temporal/bundle-workflows' },
      to: { path: '^workflows/', pathNot: '^workflows/contracts/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-are-deterministic',
      severity: 'error',
      from: { path: '^workflows/', pathNot: '^workflows/contracts/' },
      to: {
        path: '^(src|activities)/|^node:|node_modules/(?!@temporalio/(workflow|common))',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'activities-do-not-know-http',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: '(\\.controller\\.ts$|/dto/)' },
    },
    {
      name: 'resources-keep-their-borders',
      comment: "Another resource's controller and dto are private to it.",
      severity: 'error',
      from: { path: '^src/resources/([^/]+)/' },
      to: { path: '^src/resources/.*(\\.controller\\.ts$|/dto/)', pathNot: '^src/resources/$1/' },
    },
    {
      name: 'tests-and-tools-are-nobodys-foundation',
      severity: 'error',
      from: { path: '^(src|sandbox|workflows|activities)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|tools|clients)/' },
    },
    {
      name: 'production-does-not-know-the-sandbox',
      comment: 'Except for commands, which find the embedded database.',
      severity: 'error',
      from: {
        path: '^(src|workflows|activities)/',
        pathNot: ['\\.spec\\.ts$', '^src/operator-command\\.ts$'],
      },
      to: { path: '^sandbox/' },
    },
    {
      name: 'opentelemetry-is-loaded-on-demand',
      comment: 'Where no traces are configured nothing of its SDK is loaded.',
      severity: 'error',
      from: { path: '^(src|activities|workflows)/', pathNot: '^src/platform/tracing/opentelemetry\\.ts$' },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'traces-are-loaded-on-demand',
      severity: 'error',
      from: { path: '^(src|activities)/' },
      to: { path: '^src/platform/tracing/opentelemetry\\.ts$', dynamic: false },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      // The client's examples import it by its published name; a test installs it for them.
      from: { pathNot: '^clients/typescript/examples/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/avalanche/proto/generated/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
};
