/** Whether the address is a number in digits, with country code. */
export const isNumber = (address: string): boolean => /^\d{5,20}$/.test(address);
/**
 * Whether the address is a user ID such as "US.13491208655302741918", or "US.ENT.11815799212886844830" for
 * linked business accounts.
 */
export const isUserId = (address: string): boolean => /^[A-Z]{2}\.[A-Za-z0-9.]{1,128}$/.test(address);
