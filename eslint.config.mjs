import communityNodes from '@n8n/eslint-plugin-community-nodes';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

/** Rules for n8n's built-in nodes that n8n's scanner disables for community packages. */
const NOT_FOR_COMMUNITY = [
  'cred-class-field-documentation-url-miscased',
  'cred-class-field-type-options-password-missing',
  'node-class-description-inputs-wrong-regular-node',
  'node-class-description-outputs-wrong',
  'node-param-type-options-max-value-present',
];

/** n8n's rules for verified community packages, applied to the matching kind of file. */
const forNodes = (name, files) => ({
  files,
  plugins: { 'n8n-nodes-base': nodesBase },
  rules: {
    ...nodesBase.configs[name].rules,
    ...Object.fromEntries(NOT_FOR_COMMUNITY.map((rule) => [`n8n-nodes-base/${rule}`, 'off'])),
  },
});

/** Retired names with their replacements, so that each concept has one name everywhere. */
const RETIRED = {
  beat: 'heartbeat',
  BoundedMemory: 'LruCache',
  ContactBook: 'ContactStore',
  contactTaps: 'replies',
  countedAddress: 'rateLimitKey',
  Deed: 'AuditEntry',
  doing: 'action',
  doingOf: 'actionOf',
  doubt: 'unknownOutcome',
  fewPlaces: 'concurrencyLimit',
  FURTHER_RULES: 'BEYOND_SCHEMA',
  hasten: 'makeDueBy',
  Inside: 'Transaction',
  inTransactionAlone: 'inSerializableTransaction',
  isDatabaseAway: 'isDatabaseUnavailable',
  judgeBy: 'validatorOf',
  messageFaults: 'validateMessage',
  MessageJourneys: 'StatusTimeline',
  onceInAWhile: 'throttledLog',
  oneLook: 'singleFlight',
  openRows: 'decryptRows',
  OpenVisit: 'RequestContext',
  ownership: 'leases',
  PanelWorld: 'PanelDeps',
  Parcel: 'DeliveryRequest',
  places: 'limit',
  pump: 'drain',
  SendingWorld: 'SendingDeps',
  stray: 'orphaned',
  strays: 'orphaned',
  sufferFault: 'injectFault',
  TemplateShelf: 'TemplateStore',
  visit: 'context',
  weather: 'networkConditions',
  world: 'deps',
};

const retiredNames = {
  create: (context) => ({
    Identifier(node) {
      if (Object.hasOwn(RETIRED, node.name))
        context.report({ node, message: `"${node.name}" was given up: write "${RETIRED[node.name]}".` });
    },
  }),
};

/** Unclear words that must not appear in texts for users. */
const STUMBLES = [
  /\btold\b/,
  /\btells?\b/,
  /\bpass(?:es|ed)? on\b/,
  /\b(?:became|becomes?|came) of\b/,
  /\b(?:go|goes|going|went) on\b/,
  /\b(?:gives?|gave) up\b/,
  /\bstands? (?:in|there|above|beside|behind)\b/,
  /\b[Ww](?:hoever|hatever)\b/,
  /\b[Tt]hose that (?:there are|are|were)\b/,
];

const plainTexts = {
  create(context) {
    const judge = (node, text) => {
      const found = / /.test(text) && STUMBLES.map((one) => one.exec(text)?.[0]).find(Boolean);
      if (found) context.report({ node, message: `"${found}": name the thing, and use the field's verb.` });
    };
    return {
      Literal: (node) => typeof node.value === 'string' && judge(node, node.value),
      TemplateElement: (node) => judge(node, node.value.raw),
      JSXText: (node) => judge(node, node.value),
    };
  },
};

export default tseslint.config(
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { ignores: ['**/dist/', '**/build/', 'data/', 'coverage/'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Modules that are loaded lazily, and one file without types.
      '@typescript-eslint/no-require-imports': [
        'error',
        { allow: ['^(ajv|intl-messageformat|undici/lib/core/symbols\\.js|\\./(pt|es))$'] },
      ],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-nested-ternary': 'error',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ['gateway/**/*.{ts,tsx}'],
    plugins: { words: { rules: { retired: retiredNames } } },
    rules: { 'words/retired': 'error' },
  },
  {
    files: ['{gateway,nodes,credentials}/**/*.{ts,tsx}'],
    ignores: ['gateway/wording/{pt,es}/**', 'gateway/store/**'],
    plugins: { texts: { rules: { plain: plainTexts } } },
    rules: { 'texts/plain': 'error' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // A failing `createServer(async …)` in a test double ends the test as an unhandled rejection.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      'no-restricted-properties': [
        'error',
        {
          property: 'waitForFunction',
          message:
            'The panel forbids evaluating strings, so only its first look works. Use `until` with `evaluate`.',
        },
      ],
    },
  },
  {
    files: ['{gateway,nodes,credentials}/**/*.{ts,tsx}'],
    // A function that returns an object of functions counts their lines too. Longer functions explain
    // themselves in their disable comment.
    rules: { 'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ['nodes/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'n8n-workflow',
          importNames: ['ensureError'],
          message: 'n8n 2.41 no longer has it, so the call fails there. Use `asError`.',
        },
      ],
    },
  },
  {
    // All queries of a table are inside one function that has the database; migrations are lists.
    files: ['gateway/store/**'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: ['package.json'],
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
  },
  { ...communityNodes.configs.recommended, files: ['package.json', 'nodes/**/*.ts', 'credentials/**/*.ts'] },
  forNodes('community', ['package.json']),
  forNodes('credentials', ['credentials/**/*.ts']),
  forNodes('nodes', ['nodes/**/*.ts']),
);
