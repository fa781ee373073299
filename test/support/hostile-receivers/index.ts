import { BROKEN_ANSWERS } from './broken-answers';
import { ENDLESS } from './endless';
import { ODD_STATUSES } from './odd-statuses';
import { type HostileReceiver } from './receiver';

export { openReceiver, type HostileReceiver, type OpenReceiver } from './receiver';

export const HOSTILE_RECEIVERS: readonly HostileReceiver[] = [...ENDLESS, ...BROKEN_ANSWERS, ...ODD_STATUSES];
