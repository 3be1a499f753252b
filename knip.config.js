/**
 * Finds unused code. `knip` counts everything as a use, `knip --production` no test: code that only tests need lives in `test/support`. The
 * exclamation mark is for what is production.
 */
export default ({ production: isProduction = false }) => ({
  entry: [
    'src/{main,worker,keys,supply,verify-export}.ts!',
    'src/platform/database/migrate.ts!',
    'src/platform/temporal/bundle-workflows.ts!',
    'workflows/index.ts!',
    'sandbox/main.ts!',
    'sandbox/local/{main,worker-process}.ts!',
    'tools/**/main.ts!',
    'clients/typescript/{build.mjs,src/index.ts,src/verify.ts}!',
    'src/avalanche/bls/noble.ts!', // the client's build puts it in the place of blst.ts
    'clients/typescript/examples/*.mjs',
    'tools/localnet/binaries.ts', // test/run.mjs imports the built file
    'test/bench/{aggregation,export,floods/main,idle,index,interchain-messages,lists,metering,nfts,on-sight,processes,search,usage,x-chain}.ts',
    'test/bench/{empty-workflow/*,*-api,*-node,*-worker,in-memory-aggregator}.ts',
    'test/bench/count-statements.mjs',
    'test/faults/main.ts',
    'test/support/{http/*-server,harness/{serve-module,shared-services,other-node}}.ts',
    'test/support/harness/bundle-programs.mjs',
    // Entities are found by their decorators; the build's script counts only elsewhere.
    ...(isProduction ? ['src/**/*.{entity,entities}.ts!', 'sandbox/local/bundle.mjs!'] : []),
  ],
  project: [
    '{src,workflows,activities,sandbox,tools,clients}/**/*.{ts,mjs}!',
    '!**/*.spec.ts!',
    'test/**/*.{ts,mjs}',
    '*.{js,mjs,cjs}',
  ],
  ignore: ['src/avalanche/proto/generated/**'],
  ignoreExportsUsedInFile: isProduction, // parts that have a unit test of their own
  ignoreIssues: isProduction ? { 'tools/**': ['files', 'exports', 'types'] } : {}, // shared with the tests on real nodes
  ignoreDependencies: ['network-data-service-client'], // the examples of the client, by its published name
  ignoreBinaries: [
    'promtool',
    'openssl',
    'mount',
    'umount',
    'mkfs.ext4',
    'fallocate',
    ...(isProduction ? ['protoc-gen-es'] : []),
  ],
  jest: { config: ['test/jest.config.mjs'] },
});
