/**
 * The issues of an input from a user or a program. Names in quotation marks, such as a header, are already quoted.
 */
export interface IssueValues {
  'url.invalid': Record<never, never>;
  'url.long': { most: number };
  'url.scheme': { scheme: string };
  'url.user': Record<never, never>;
  'address.invalid': { address: string };
  /** `entry`: for GATEWAY_ALLOW_DESTINATIONS; null for readers who cannot change it. */
  'address.private': { place: string; entry: string | null };

  'header.many': { most: number };
  'header.name': { name: string };
  'header.own': { name: string };
  'header.value': { name: string; most: number };
  'header.lines': Record<never, never>;
  'header.elsewhere': Record<never, never>;
  'secret.length': { least: number; most: number };

  'copied.spaces': { what: Copied };
  'copied.hidden': { what: Copied };
  'copied.long': { what: Copied };

  'seconds.range': { most: number };
  'choice.none': Record<never, never>;
  'choice.unknown': { given: string; possible: readonly string[] };
  /** A destination in raw mode cannot wait for pauses of the contact. */
  'raw.waits': Record<never, never>;

  'name.missing': Record<never, never>;
  'name.long': { most: number };
  'name.hidden': Record<never, never>;
  'number_id.invalid': Record<never, never>;
  'number_id.taken': Record<never, never>;
  'waba_id.invalid': Record<never, never>;
  'waba_id.same': Record<never, never>;
  'access_token.missing': Record<never, never>;
  'app_secret.missing': Record<never, never>;
  'hours.range': { most: number };
  'number.range': { most: number };
  'overlap.range': { most: number };
  /** An end in hours or at a time. */
  'end.hours': { most: number };
  'end.time': { most: number };
  'user_name.invalid': { most: number };
  'user_name.taken': Record<never, never>;
  'role.owner': Record<never, never>;
  'customer.missing': Record<never, never>;
  'customer.unknown': Record<never, never>;
  'line_id.unknown': Record<never, never>;
  'days.range': { most: number };
  /** An admin token reaches customers or lines, but not both. */
  'reach.both': Record<never, never>;
  /** Permissions that the maker of a token lacks in its reach, or that only a token with a wider reach can have. */
  'permissions.above': { names: readonly string[] };
  'permissions.narrow': { names: readonly string[] };
  'external_id.missing': Record<never, never>;
  'external_id.long': { most: number };
  'external_id.hidden': Record<never, never>;
  'external_id.taken': Record<never, never>;
  /** Another customer's line has the phone number ID. */
  'number_id.elsewhere': Record<never, never>;
  'password.short': { least: number };
  'password.long': { most: number };
  'password.plain': Record<never, never>;
  'password.name': Record<never, never>;
  'words.both': { word: string };
  'words.long': { most: number };
  'words.hidden': Record<never, never>;
  'words.many': { most: number };

  /** The platform's responses to a line's ids and access token. `says`: its error message, quoted. */
  'platform.unreached': Record<never, never>;
  'platform.unclear': { says: string };
  'platform.wrong_token': { says: string };
  'platform.no_access': { to: 'number' | 'account'; says: string };
  'platform.unknown_id': { of: 'number' | 'account'; says: string };
  'platform.other_account': Record<never, never>;
  'platform.other_number': { number: string };

  'value.missing': Record<never, never>;
  /** A stored secret would be sent to another server. */
  'server.changed': Record<never, never>;
  'scope.missing': Record<never, never>;
  'time.invalid': Record<never, never>;
  'date.invalid': Record<never, never>;
  'day.invalid': Record<never, never>;
  /** A period from a day to a day. */
  'period.reversed': Record<never, never>;
  'period.long': { most: number };
  'country.invalid': Record<never, never>;
  /** A report with more rows. */
  'usage.many': { most: number };
  'date.past': Record<never, never>;
  'time_zone.unknown': Record<never, never>;
  'phone.invalid': Record<never, never>;
  'recipient.invalid': Record<never, never>;
  'email.addresses': Record<never, never>;
  'email.address': Record<never, never>;
  'host.invalid': Record<never, never>;
  'port.invalid': Record<never, never>;
  'bot_token.invalid': Record<never, never>;
  'topic.invalid': Record<never, never>;
  'json.invalid': { why: string };

  /** A template that is written in the panel. `at`: ISO time. */
  /** An OpenID Connect provider. */
  'oidc.key': Record<never, never>;
  'oidc.key_taken': Record<never, never>;
  'oidc.issuer': Record<never, never>;
  'oidc.issuer_taken': Record<never, never>;
  'oidc.domain': Record<never, never>;
  'oidc.many': { most: number };
  'oidc.long': { most: number };
  'oidc.hidden': Record<never, never>;
  'oidc.no_roles': Record<never, never>;

  'draft.changed': { who: string; at: string };
  'draft.shape': Record<never, never>;
  'draft.large': { kilobytes: number };
  'draft.languages': { most: number };
  'draft.parts': { most: number };
  'draft.import': Record<never, never>;
  'draft.differs': { field: string };
  'sample.large': { megabytes: number };
  'sample.many': { most: number };
}

/** A text that users paste. */
export type Copied =
  'access_token' | 'app_secret' | 'signing_secret' | { header: string } | { setting: string };
