import { type VNode } from 'preact';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { type RequestContext } from '../request-context';
import { SelectField, Submit } from './form';
import { useRequest } from './page-request';

/** Whether the user sees lines of several customers, or of one and of none. Otherwise pages don't mention customers. */
export const hasCustomers = ({ customers }: Pick<RequestContext, 'customers'>): boolean =>
  customers().length > 1;

/** The filter by customer, which the pipeline applies to the whole page. */
export function CustomerField(): VNode | null {
  const context = useRequest();
  if (!hasCustomers(context)) return null;
  return (
    <SelectField
      state={new FormState({ customer: context.customer })}
      name="customer"
      label={t('Customer')}
      choices={[
        { value: '', label: t('All customers') },
        ...context
          .customers()
          .map((one) =>
            one
              ? { value: String(one.id), label: one.name }
              : { value: 'none', label: t.of('customer', 'None') },
          ),
      ]}
    />
  );
}

interface CustomerFilterProps {
  action: string;
  /** Other parameters of the page. */
  fields?: Record<string, string>;
}

/** The filter by customer as a form, for pages without other filters. */
export function CustomerFilter({ action, fields = {} }: CustomerFilterProps): VNode | null {
  if (!hasCustomers(useRequest())) return null;
  return (
    <form
      class="filter of-customer"
      method="get"
      action={action}
      role="search"
      aria-label={t('Customer')}
      data-reload=""
    >
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <CustomerField />
      <Submit tone="plain">{t('Show')}</Submit>
    </form>
  );
}

/** Keeps the filter by customer in a link to a list. */
export function ofCustomer({ customer }: Pick<RequestContext, 'customer'>, href: string): string {
  if (
    !customer ||
    !/^\/panel\/(overview|lines|events|messages|conversations|search|alerts)(\/replay|\/export)?(\?|$)/.test(
      href,
    )
  )
    return href;
  return `${href}${href.includes('?') ? '&' : '?'}customer=${customer}`;
}
