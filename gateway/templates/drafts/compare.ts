import { isObject, objects, type Json } from '../../cloud-api/json/json-value';
import { isMissing, kindOf } from '../rules/report';

/** Fields whose words the platform writes in capitals. */
const KINDS = new Set(['type', 'format', 'otp_type']);

/**
 * Whether the platform's components differ from those of a draft. What the platform adds does not count, such as the
 * texts of authentication templates, and neither do sample files, which its list has as links.
 */
export function differs(draft: readonly Json[], platform: readonly Json[]): boolean {
  const byType = new Map(platform.map((component) => [kindOf(component.type), component]));
  return (
    draft.length !== platform.length ||
    draft.some((component) => !isWithin(component, byType.get(kindOf(component.type))))
  );
}

function isWithin(wanted: unknown, found: unknown, field = ''): boolean {
  if (isMissing(wanted)) return true;
  if (typeof wanted === 'string' && typeof found === 'string')
    return KINDS.has(field) ? kindOf(wanted) === kindOf(found) : wanted === found;
  if (Array.isArray(wanted)) {
    // A sample of a button is a list in the platform's answer, whether it was sent as a text or as a list.
    const list = Array.isArray(found) ? found : [found];
    return wanted.length === list.length && wanted.every((one, index) => isWithin(one, list[index], field));
  }
  if (isObject(wanted)) {
    if (!isObject(found)) return false;
    // The platform makes an ordinary button of it.
    if (kindOf(wanted.type) === 'OTP') return true;
    return Object.entries(wanted).every(
      ([key, inner]) => LEFT_OUT.has(key) || isWithin(inner, found[key], key),
    );
  }
  if (Array.isArray(found)) return isWithin([wanted], found, field);
  return wanted === found;
}

/** Fields that the platform takes and does not return as they were sent. */
const LEFT_OUT = new Set(['header_handle', 'code_expiration_minutes', 'add_security_recommendation']);

export const componentsOf = (json: string): Json[] => objects(JSON.parse(json));
