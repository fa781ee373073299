import communityNodes from '@n8n/eslint-plugin-community-nodes';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

/** Rules of n8n's built-in nodes that its own scanner switches off for community packages. */
const NOT_FOR_COMMUNITY = [
  'cred-class-field-documentation-url-miscased',
  'cred-class-field-type-options-password-missing',
  'node-class-description-inputs-wrong-regular-node',
  'node-class-description-outputs-wrong',
  'node-param-type-options-max-value-present',
];

/** n8n's own rules for a verified community package, each for the kind of file that it speaks of. */
const forNodes = (name, files) => ({
  files,
  plugins: { 'n8n-nodes-base': nodesBase },
  rules: {
    ...nodesBase.configs[name].rules,
    ...Object.fromEntries(NOT_FOR_COMMUNITY.map((rule) => [`n8n-nodes-base/${rule}`, 'off'])),
  },
});

/** Names that were given up, each with the one that the field uses: a name means one thing, everywhere. */
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

/** Words that made people stumble, in the texts that they read. */
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
      // Loaded late, by what does not wait; and a file without types.
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
      // A stand-in's `createServer(async …)` that fails ends the test as an unhandled rejection.
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
    // What makes an object of functions counts theirs too. A longer one says why above itself.
    rules: { 'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }] },
  },
  {
    // The queries of one table are functions within one, which has the database; migrations are lists.
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
