import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** Where there are several ways to write something, one is used; CONTRIBUTING.md lists them. */
const DIALECT = [
  {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression[properties.length>0]',
    message: 'Write the properties out: spreading a literal only keeps the formatter from breaking lines.',
  },
  {
    selector: 'PropertyDefinition > PrivateIdentifier, MethodDefinition > PrivateIdentifier',
    message: 'Use `private`.',
  },
  {
    selector:
      'ImportDeclaration[source.value="node:timers/promises"] > ImportSpecifier[imported.name="setTimeout"][local.name!="delay"]',
    message: 'Call it `delay`: `sleep` is the timer of workflows.',
  },
  {
    selector: [
      ':function > CallExpression.body[callee.name="setTimeout"]',
      ':function > BlockStatement[body.length=1] > ExpressionStatement > CallExpression[callee.name="setTimeout"]',
    ]
      .map((sleep) => `NewExpression[callee.name="Promise"] > ${sleep}`)
      .join(', '),
    message:
      'Wait for a condition or an event; where time itself is meant, use `delay` of node:timers/promises.',
  },
  {
    selector: [
      'MethodDefinition[key.name=/^(find|load)(?![a-z])/] > .value',
      'FunctionDeclaration[id.name=/^(find|load)(?![a-z])/]',
    ]
      .flatMap((declared) => [
        `${declared} > .returnType > TSUnionType > TSNullKeyword`,
        `${declared} > .returnType > TSTypeReference > .typeArguments > TSUnionType > TSNullKeyword`,
      ])
      .join(', '),
    message: 'What is not found is `undefined`.',
  },
  {
    selector:
      'CallExpression[callee.name="describe"][arguments.0.type="Identifier"][arguments.0.name=/[a-z]/][arguments.1.type="ArrowFunctionExpression"]',
    message: 'Name it: `describe(x.name)`.',
  },
];

/** A test names the condition that it waits for; what it simulates (a slow node, a reader that rests) is outside of its body. */
const SLEEPING_TESTS = ['name', 'object.name', 'callee.object.name', 'tag.object.name'].map((path) => ({
  selector: `CallExpression[callee.${path}=/^(it|test|(before|after)(Each|All))$/] ExpressionStatement > AwaitExpression > CallExpression[callee.name="delay"]`,
  message: 'Wait for a condition (`eventually`) or an event, not for a time.',
}));

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      '.data/',
      'coverage/',
      'src/avalanche/proto/generated/',
      'clients/typescript/src/schema.ts',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: { globals: globals.node },
  },
  {
    // Sent to browsers as it is.
    files: ['src/resources/status/page/*.js'],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/require-await': 'off',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...DIALECT],
      // In doc comments: "Throws X" is part of the sentence.
      'no-warning-comments': ['error', { terms: ['@throws'], location: 'anywhere' }],
      // Does not see that a decorator uses a value.
      'no-useless-assignment': 'off',
    },
  },
  {
    // Workflow code is replayed: anything that reads a clock, chance or the machine breaks it.
    files: ['workflows/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'Buffer', 'fetch', 'crypto', 'performance'],
      'no-restricted-imports': ['error', { patterns: ['node:*', '@nestjs/*', 'typeorm', 'pg'] }],
    },
  },
  {
    // Injected classes must stay value imports: their runtime identity is the injection token.
    files: ['src/**/*.ts', 'activities/**/*.ts'],
    ignores: ['src/avalanche/**'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: [
      'sandbox/local/**',
      'src/{keys,supply,operator-command,verify-export}.ts',
      'src/platform/database/migrate.ts',
      'sandbox/main.ts',
      'tools/localnet/{**/main,record-command}.ts',
      'test/**',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/unbound-method': 'off' },
  },
  {
    files: ['**/*.spec.ts'],
    rules: {
      // A longer spec is about several things: split it along these.
      'max-lines': ['error', 500],
      'no-restricted-syntax': ['error', ...DIALECT, ...SLEEPING_TESTS],
    },
  },
  prettier,
  {
    // After prettier's own, which switches it off for settings that fight with the formatter; this one does not.
    rules: { curly: ['error', 'multi-line', 'consistent'] },
  },
);
