import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const ROOT = join(__dirname, '../../../..');

const OWN_ACCOUNT = 'Concerns the person who is logged in.';
const OF_LINES = 'Programs of the line have it under /v22.0, also with an admin token.';

/** Use cases that the panel calls and the management API does not, each with the reason. */
const LACKING: Record<string, string> = {
  acceptInvitation: OWN_ACCOUNT,
  addProvider: 'Log-in providers are also set by file and environment.',
  cancelQuestion: OF_LINES,
  changeForwardingUrl: 'A short form for people of changing a destination.',
  changeNumber: OF_LINES,
  changePassword: OWN_ACCOUNT,
  editLine: 'Within editVerifiedLine; the panel also calls it for switches.',
  editProvider: 'Log-in providers are also set by file and environment.',
  exportEvents: 'Writes a file for people; programs get events at a destination.',
  exportMessages: 'Writes a file for people; programs get events at a destination.',
  forgetContact: 'Cannot be undone, so a person confirms it in the panel or by command.',
  linkIdentity: OWN_ACCOUNT,
  openDraft: 'Decides for people whether a new draft is needed; programs create or change one.',
  pauseAutomation: OF_LINES,
  removeProvider: 'Log-in providers are also set by file and environment.',
  removeRegistrations: 'Offered to people who revoke a token; programs remove what they registered.',
  renewRecoveryCodes: OWN_ACCOUNT,
  replaceLink: 'Resetting a user makes a new link, too.',
  replayDelivery: 'Within beginReplay, for one event.',
  replayTicked: 'Within beginReplay, for chosen events.',
  resumeAutomation: OF_LINES,
  setOptOut: OF_LINES,
  setOptOutWords: 'Words that people of the line choose together with its texts.',
  setPasswordByLink: OWN_ACCOUNT,
  setUpFirstUser: OWN_ACCOUNT,
  switchAppOff: OWN_ACCOUNT,
  switchAppOn: OWN_ACCOUNT,
  tryNow: 'Resuming a destination retries, too.',
  unlinkIdentity: OWN_ACCOUNT,
};

/** A use case is an exported function that makes a change for an actor. */
const USE_CASE =
  /^export (?:async )?(?:function|const) (?<name>\w+)(?: =)?(?: async)?\s*(?:<[^(]*>)?\((?<parameters>[^{}()]*(?:\{[^{}]*\}[^{}()]*|\([^()]*\)[^{}()]*)*)\)/gm;

/** Values of a module; types are left out below, because they are never use cases. */
const IMPORT = /^import \{(?<names>[^}]*)\} from '(?<target>\.[^']+)'/gm;

const filesUnder = (folder: string): string[] =>
  globSync(`gateway/${folder}/**/*.{ts,tsx}`, { cwd: ROOT }).map((file) => file.replaceAll('\\', '/'));

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** `gateway/lines/edit-line editLine` */
const useCases = new Set(
  ['admin-tokens', 'alerts', 'customers', 'forwarding', 'lines', 'management', 'media', 'messages']
    .concat('questions', 'sending', 'templates', 'usage', 'users')
    .flatMap(filesUnder)
    .flatMap((file) =>
      Array.from(textOf(file).matchAll(USE_CASE), ({ groups = {} }) =>
        /\bactor: Actor\b/.test(groups.parameters ?? '')
          ? [`${file.replace(/\.ts$/, '')} ${groups.name}`]
          : [],
      ).flat(),
    ),
);

const usedUnder = (folder: string): string[] => [
  ...new Set(
    filesUnder(folder).flatMap((file) =>
      Array.from(textOf(file).matchAll(IMPORT), ({ groups: { names = '', target = '' } = {} }) =>
        names
          .split(',')
          .map((name) => `${posix.join(dirname(file), target)} ${name.trim().split(' as ')[0]}`)
          .filter((name) => useCases.has(name)),
      ).flat(),
    ),
  ),
];

const named = (used: string): string => used.split(' ')[1] ?? '';

test('the management API changes everything that the panel changes, but for what is listed with a reason', () => {
  const [panel, api] = [usedUnder('panel').map(named), usedUnder('api/v1').map(named)];
  expect(panel.length).toBeGreaterThan(60);
  const lacking = panel.filter((name) => !api.includes(name));
  expect(lacking.toSorted()).toEqual(Object.keys(LACKING));
});
