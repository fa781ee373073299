/** The results of the checks of a line. Words of the platform, such as `STANDARD`, are values. */
export interface CheckFactValues {
  'check.unread': Record<never, never>;
  'check.unreported': Record<never, never>;
  /** The platform refused the read: for lack of a permission, or as its error message says. */
  'check.lacks': { permission: string };
  'check.refused': { says: string };

  /** `expires`: ISO time; null if the platform did not report it. */
  'check.token': { expires: string | null };
  'check.token_lasting': Record<never, never>;
  'check.token_missing': Record<never, never>;
  'check.token_refused': Record<never, never>;
  /** ISO times. */
  'check.token_expired': { at: string };
  'check.token_expires': { at: string; days: number };
  'check.token_lacks': { permissions: string[] };
  'check.token_other_account': Record<never, never>;
  'check.token_of_user': Record<never, never>;
  'check.number': Record<never, never>;
  'check.number_elsewhere': Record<never, never>;
  'check.registered': Record<never, never>;
  'check.unregistered': Record<never, never>;
  'check.unverified': Record<never, never>;
  'check.name': { name: string };
  'check.name_pending': Record<never, never>;
  'check.name_declined': Record<never, never>;
  'check.subscribed': Record<never, never>;
  'check.unsubscribed': Record<never, never>;
  'check.called': Record<never, never>;
  /** `canSet`: whether the gateway has a public URL. */
  'check.uncalled': { canSet: boolean };
  'check.signed': Record<never, never>;
  'check.signed_wrong': { since: string };
  'check.unsigned': Record<never, never>;
  'check.quality': { rating: 'HIGH' | 'MEDIUM' | 'LOW' | 'UNKNOWN'; limit: string; throughput: string };
  'check.paid': Record<never, never>;
  'check.unpaid': Record<never, never>;
  'check.account': Record<never, never>;
  'check.account_pending': { review: string };
  'check.account_rejected': { review: string };
  'check.business_unverified': { verification: string };
  'check.pin': Record<never, never>;
  'check.pin_missing': Record<never, never>;
  'check.destinations': { count: number };
  'check.destinations_failing': { failing: number; count: number };
  'check.destination_missing': Record<never, never>;
  'check.received': Record<never, never>;
  'check.unreceived': { number: string };
  'check.clock': Record<never, never>;
  'check.clock_wrong': { seconds: number; isAhead: boolean };

  'pin.invalid': Record<never, never>;
  'code.invalid': Record<never, never>;
  'command.invalid': Record<never, never>;
  'public_url.missing': Record<never, never>;
}
