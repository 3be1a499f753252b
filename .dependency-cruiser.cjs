/** Who may import whom; the table with the reasons is in docs/architecture.md. */
const resource =
  '^src/(?!avalanche|http|config|metrics|tracing|database|temporal|networks|evm-chains|indexing|utxo-store|p-chain-index|x-chain-index|evm-index|export-storage|sandbox|processes|embedded)[^/]+/';

/** What these folders may import of src besides the chain library and themselves; a new arrow is an edit here. */
const layers = {
  // Whoever does something counts it and may be traced, so everybody imports these, and they import nobody.
  metrics: [],
  tracing: [],
  database: ['config', 'metrics'],
  'evm-chains': ['config', 'metrics', 'networks/node-limiters', 'networks/node-metrics'],
  indexing: ['config', 'metrics', 'database'],
  'utxo-store': ['config', 'database', 'indexing'],
  // Genesis bytes hold integers beyond 2^53.
  'p-chain-index': ['config', 'database', 'indexing', 'utxo-store', 'networks', 'http/lossless-json'],
  'x-chain-index': ['config', 'database', 'indexing', 'utxo-store', 'networks'],
  'evm-index': ['config', 'database', 'indexing', 'utxo-store', 'evm-chains'],
};

const folders = (names) => `^src/(${names.join('|')})[/.]`;

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'avalanche-stands-alone',
      comment:
        'The chain library is plain TypeScript that can be tested against vectors without the service.',
      severity: 'error',
      from: { path: '^src/avalanche/' },
      to: { path: '^(src|workflows|activities|test)/', pathNot: '^(src/avalanche/|test/(vectors|support)/)' },
    },
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
      name: 'sandbox-uses-the-library-only',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: {
        path: '^(src|workflows|activities|tools|test)/',
        pathNot: '^(src/(avalanche|sandbox)/|src/processes/project-folder|test/(vectors|support)/)',
      },
    },
    {
      name: 'tools-do-not-know-the-service',
      comment: 'They speak to nodes, whatever the service makes of these.',
      severity: 'error',
      from: { path: '^tools/' },
      to: {
        path: '^(src|workflows|activities|test)/',
        pathNot: '^(src/(avalanche|sandbox|processes)/|test/(vectors|support)/)',
      },
    },
    {
      name: 'processes-stand-alone',
      comment: 'Starting, watching and stopping programs has nothing to do with which programs these are.',
      severity: 'error',
      from: { path: '^src/processes/' },
      to: { path: '^(src|workflows|activities|tools|test)/', pathNot: '^(src/processes/|test/support/)' },
    },
    ...Object.entries(layers).map(([folder, others]) => ({
      name: `${folder}-imports-what-it-may`,
      severity: 'error',
      from: { path: folders([folder]), pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: folders(['avalanche', folder, ...others]) },
    })),
    {
      name: 'resources-import-what-they-may',
      severity: 'error',
      from: { path: resource, pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^src/',
        pathNot: [
          folders([
            'avalanche',
            'config',
            // Where files are that are read at run time.
            'export-storage',
            'http',
            'networks',
            'processes/project-folder',
            'temporal',
            'tracing',
            ...Object.keys(layers),
          ]),
          resource,
        ],
      },
    },
    {
      name: 'resources-do-not-know-activities',
      comment:
        'Data flows one way: API -> Temporal -> activities. Only the worker process (and the embedded one) holds activities.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(worker|embedded)' },
      to: { path: '^activities/' },
    },
    {
      name: 'only-contracts-of-workflows',
      severity: 'error',
      from: { path: '^(src|activities)/', pathNot: '^src/temporal/bundle-workflows' },
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
      name: 'contracts-are-leaves',
      severity: 'error',
      from: { path: '^workflows/contracts/' },
      to: {
        path: '^(src|activities|workflows)/',
        pathNot: '^workflows/contracts/',
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
      from: { path: '^src/([^/]+)/' },
      to: { path: `${resource}.*(\\.controller\\.ts$|/dto/)`, pathNot: '^src/$1/' },
    },
    {
      name: 'production-imports-neither-tests-nor-tools',
      severity: 'error',
      from: { path: '^(src|workflows|activities)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|tools)/' },
    },
    {
      name: 'opentelemetry-is-loaded-on-demand',
      comment: 'Where no traces are configured nothing of its SDK is loaded.',
      severity: 'error',
      from: { path: '^(src|activities|workflows)/', pathNot: '^src/tracing/opentelemetry\\.ts$' },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'traces-are-loaded-on-demand',
      severity: 'error',
      from: { path: '^(src|activities)/' },
      to: { path: '^src/tracing/opentelemetry\\.ts$', dynamic: false },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
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
