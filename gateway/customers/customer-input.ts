import { Issues } from '../primitives/issues';
import { hasHiddenCharacters } from '../primitives/visible-text';
import { AUDITED_LOOKS, type AuditedLooks } from '../store/schema';
import { microsIn } from '../usage/micros';
import { fact } from '../wording/facts';

/** The entered data of a customer. Omitted fields stay. */
export interface CustomerInput {
  name?: string;
  /** The id in the operator's own systems; null if none. */
  externalId?: string | null;
  isSuspended?: boolean;
  /** Whose looks at messages its audit records. */
  auditLooks?: AuditedLooks;
  /** Whether its users must set up an authenticator app. */
  requiresApp?: boolean;
  /**
   * The most that a month may cost, such as `500` or `99.90`, in the currency of the rate card that applies to the
   * customer; null for no budget.
   */
  budget?: string | null;
  /** Whether marketing templates are refused while the budget is reached. */
  holdsAtBudget?: boolean;
}

const LONGEST = 80;

/** Validates customer data from the panel and the commands. @throws Refusal with all issues, by field */
export function customerInput<Given extends CustomerInput>(given: Given): Given {
  const issues = new Issues();
  const name = given.name?.trim();
  const externalId = given.externalId?.trim();
  if (name !== undefined) issues.addName(name, LONGEST);
  if (externalId !== undefined) {
    const add = (word: 'missing' | 'hidden') =>
      issues.add('external_id', 'external_id', fact(`external_id.${word}`, {}));
    if (!externalId) add('missing');
    if (externalId.length > LONGEST)
      issues.add('external_id', 'external_id', fact('external_id.long', { most: LONGEST }));
    if (hasHiddenCharacters(externalId)) add('hidden');
  }
  issues.addChoice('audit_looks', AUDITED_LOOKS, given.auditLooks);
  if (given.budget && !microsIn(given.budget.trim()))
    issues.add('budget', 'budget', fact('budget.invalid', {}));
  issues.check();
  return { ...given, ...(name !== undefined && { name }), ...(externalId !== undefined && { externalId }) };
}
