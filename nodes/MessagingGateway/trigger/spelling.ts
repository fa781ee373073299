import { dialled, withoutPrefix } from '../phoneNumber';

/**
 * Mobile numbers that the platform and people spell differently. The captured groups are the part that both
 * share.
 * - Brazil: people write a 9 before the eight digits, which begin with 6 to 9.
 * - Mexico: the platform may put a 1 after 52.
 * - Argentina: the platform puts a 9 after 54; people may write a 15 after the area code, which has two to
 *   four of the ten digits.
 */
const MOBILES = [
	/^(55[1-9]\d)9?([6-9]\d{7})$/,
	/^(52)1?([2-9]\d{9})$/,
	/^(54)9?([1-3]\d{9})$/,
	/^(54)9?(11)15(\d{8})$/,
	/^(54)9?([23]\d{2})15(\d{7})$/,
	/^(54)9?([23]\d{3})15(\d{6})$/,
];

/**
 * Normalizes a contact: all spellings of a phone number become the same digits; a user ID stays unchanged.
 */
export function oneSpelling(entered: string): string {
	const contact = dialled(entered);
	if (!/^[\d\s()+./-]+$/.test(contact)) return contact;
	const digits = withoutPrefix(contact.replace(/\D/g, ''));
	for (const mobile of MOBILES) {
		const parts = mobile.exec(digits);
		if (parts) return parts.slice(1).join('');
	}
	return digits;
}
