import { type Linked } from '../../alerts/plan';

/** The page of all incidents. Processes without a panel need these paths too, so this file loads none of it. */
export const ALERTS_PATH = '/panel/alerts';

/** The page where a user can fix the cause of an alert. */
export function alertPath({ subject, lineId, ...alert }: Linked): string {
  switch (alert.kind) {
    case 'destination_paused':
      return `/panel/events?destination=${subject}&state=parked`;
    case 'destination_failing':
    case 'deliveries_ending':
      return `/panel/events?destination=${subject}&state=waiting`;
    case 'deliveries_given_up':
      return `/panel/events?destination=${subject}&state=dead`;
    case 'deliveries_late':
      return '/panel/events?state=waiting';
    case 'line_credentials':
    case 'access_token_expiring':
      return `/panel/lines/${lineId}/edit`;
    case 'line_restricted':
      if ('name' in alert.values) return `/panel/lines/${lineId}`;
      return alert.values.lineId === null ? '/panel/lines' : `/panel/lines/${alert.values.lineId}`;
    case 'line_disconnected':
    case 'line_quality':
    case 'line_limit':
    case 'line_setup':
      return `/panel/lines/${lineId}`;
    case 'template_stopped':
    case 'template_category':
      return `/panel/templates?line=${alert.values.lineId}`;
    case 'token_expiring':
    case 'token_unused':
      return `/panel/tokens?line=${lineId}`;
    case 'budget_used':
      return `/panel/customers/${subject}`;
    case 'channel_failing':
      return `/panel/alerts/channels/${subject}`;
    case 'log_in_attack':
      return '/panel/audit?action=log_in.failed';
    case 'owner_password':
      return '/panel/audit?action=session.begun';
    case 'signature_attack':
      return '/panel/lines';
    case 'token_attack':
      return '/panel/tokens';
    case 'disk_short':
    case 'memory_short':
    case 'overloaded':
    case 'database_away':
    case 'platform_away':
    case 'process_gone':
    case 'role_missing':
    case 'clocks_apart':
    case 'backup_failed':
      return '/panel/overview';
  }
}
