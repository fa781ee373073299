/** A rate card in the form in which the platform publishes it, with invented prices and fewer markets. */
export const PLATFORM_CARD = [
  '"Cost per message in USD on the WhatsApp Business Platform, effective October 1, 2026",,,,,,',
  'Note: prices are invented.,,,,,,',
  'Market,Currency,Marketing,Utility,Authentication,"Authentication-\nInternational",Service',
  'Brazil,$US,0.0625,0.0068,0.0068,n/a,0.0068',
  'India,$US,0.0118,0.0014,0.0014,0.0280,0.0014',
  'Morocco,$US,0.0225,0.0090,0.0090,0.0600,n/a',
  'Turkey,$US,0.0109,0.0053,0.0053,n/a,0.0053',
  'North America,$US,0.0250,0.0040,0.0040,n/a,0.0040',
  'Rest of Africa,$US,0.0225,0.0040,0.0040,n/a,0.0040',
  'Rest of Central & Eastern Europe,$US,0.0860,0.0212,0.0212,n/a,0.0212',
  'Other,$US,0.0604,0.0077,0.0077,n/a,0.0077',
  '',
].join('\r\n');
