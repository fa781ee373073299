/** A number in digits, with its country code. */
export const isNumber = (address: string): boolean => /^\d{5,20}$/.test(address);
/** "US.13491208655302741918", or of several business accounts together "US.ENT.11815799212886844830". */
export const isUserId = (address: string): boolean => /^[A-Z]{2}\.[A-Za-z0-9.]{1,128}$/.test(address);
